import { createHash } from "node:crypto";
import { isBlank } from "../image/pixels.ts";
import { rotatePixels } from "../image/shrink.ts";
import type { GrayImage, OcrEngine, OcrOptions, OcrPage } from "../options.ts";
import { createOcrTimer } from "./clock.ts";
import { findLanguages } from "./languages.ts";
import { encodePgm, parseOcrResult, startTesseract, type TesseractWorker } from "./tesseract.ts";

/** Raised when the same image gives another result, so that remembered pages are read again. */
const revision = 2;
const turns = [90, 180, 270] as const;
/** Longer side of the images on which the four ways to turn a page are tried, pixels. */
const trialPixels = 1400;

interface Slot {
  worker: Promise<TesseractWorker> | undefined;
  pages: number;
}

/** How much certain text a page holds: letters of words of three letters or more, by confidence. */
function weight(page: OcrPage): number {
  let sum = 0;
  for (const { words } of page.lines) {
    for (const { text, confidence } of words)
      if (/\p{L}{3}/u.test(text) && confidence > 0.7) sum += text.length * confidence;
  }
  return sum;
}

function plain({ width, height, turned, lines, confidence, dropped }: OcrPage): OcrPage {
  return { width, height, turned, lines, confidence, dropped };
}

function keyOf(image: GrayImage, options: OcrOptions): string {
  const facts = `${revision} ${options.languages.join("+")} ${image.width} ${image.height}\n`;
  return createHash("sha256").update(facts).update(image.data).digest("hex");
}

type Recognized = ReturnType<typeof parseOcrResult>;
type Failure = "late" | undefined;

/** Reads one image of a page, `turned` degrees from the original; all images of a page share its time. */
type Recognize = (image: GrayImage, turned: OcrPage["turned"]) => Promise<Recognized | Failure>;

const isFailure = (result: Recognized | Failure): result is Failure =>
  result === undefined || result === "late";

const isCertain = (page: Recognized) => page.upright && page.confidence > 0.7 && weight(page) > 60;

/** The direction in which a small copy of the page reads best; 0 where a trial fails. */
async function findTurn(
  recognize: Recognize,
  image: GrayImage,
  upright: Recognized,
): Promise<OcrPage["turned"]> {
  // Another direction has to be clearly better, unless the lines of the page run up or down.
  let most = upright.upright ? Math.max(weight(upright), 20) * 1.5 : 0;
  let best: OcrPage["turned"] = 0;
  for (const turned of turns) {
    const trial = await recognize(await rotatePixels(image, turned, trialPixels), turned);
    if (isFailure(trial)) return 0;
    if (weight(trial) > most) {
      most = weight(trial);
      best = turned;
    }
  }
  return best;
}

/** Reads a page; one that reads badly is tried in the other three directions. */
async function readPage(recognize: Recognize, image: GrayImage): Promise<Recognized | Failure> {
  const upright = await recognize(image, 0);
  if (isFailure(upright) || isCertain(upright)) return upright;
  const turned = await findTurn(recognize, image, upright);
  if (turned === 0) return upright;
  const page = await recognize(await rotatePixels(image, turned), turned);
  return isFailure(page) ? upright : page;
}

interface Workers extends AsyncDisposable {
  /** Runs `read` with exclusive use of a worker, once one is free. */
  use<T>(read: (recognize: Recognize) => Promise<T>): Promise<T>;
  readonly lost: number;
}

function openWorkers({
  languages,
  folder,
  pageTimeoutMs,
  workers,
  pagesPerWorker = 100,
}: OcrOptions): Workers {
  const free: Slot[] = Array.from({ length: Math.max(1, workers) }, () => ({ worker: undefined, pages: 0 }));
  const all = [...free];
  const waiting: ((slot: Slot) => void)[] = [];
  const clock = createOcrTimer();
  let files: Promise<readonly string[]> | undefined;
  let lost = 0;

  const start = async (): Promise<TesseractWorker> => {
    files ??= findLanguages(languages, folder);
    return await startTesseract(await files);
  };
  const drop = async (slot: Slot): Promise<void> => {
    const { worker } = slot;
    slot.worker = undefined;
    slot.pages = 0;
    await worker?.then(
      (started) => started.terminate(),
      () => {},
    );
  };
  const take = (): Promise<Slot> => {
    const slot = free.pop();
    return slot === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(slot);
  };
  const give = (slot: Slot): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(slot);
    else next(slot);
  };
  /** A reader of one page's images, which ends together when the page's time is over. */
  const reader = (slot: Slot): Recognize => {
    let leftMs = pageTimeoutMs;
    const recognize = async (
      image: GrayImage,
      turned: OcrPage["turned"],
      tries = 2,
    ): Promise<Recognized | Failure> => {
      slot.worker ??= start();
      const worker = await slot.worker;
      const late = Promise.withResolvers<"late">();
      const end = clock.watch(leftMs, () => late.resolve("late"));
      const read = worker.recognize(encodePgm(image), {}, { blocks: true, text: false });
      const result = await Promise.race([read.catch(() => undefined), worker.gone, late.promise]);
      leftMs = Math.max(1, end());
      if (typeof result === "object") return parseOcrResult(result, image, turned);
      lost++;
      await drop(slot);
      // That a thread died need not be the fault of the page that it was reading.
      if (result === "gone") return tries > 1 ? recognize(image, turned, tries - 1) : undefined;
      return result;
    };
    return recognize;
  };

  return {
    async use(read) {
      const slot = await take();
      try {
        const result = await read(reader(slot));
        if (++slot.pages >= pagesPerWorker) await drop(slot);
        return result;
      } finally {
        give(slot);
      }
    },
    get lost() {
      return lost;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map(drop));
    },
  };
}

/**
 * Opens engines for reading pages; each starts with its first page and is replaced after `pagesPerWorker`
 * pages, or when a page takes too much processor time. A page that reads badly is tried in the other three
 * directions on a small copy.
 */
export function openOcrEngine(options: OcrOptions): OcrEngine {
  const { cache } = options;
  const workers = openWorkers(options);
  return {
    async recognize(image) {
      if (isBlank(image))
        return { width: image.width, height: image.height, turned: 0, lines: [], confidence: 0, dropped: 0 };
      const key = keyOf(image, options);
      const cached = await cache?.get(key);
      if (cached !== undefined) return cached;
      const read = await workers.use((recognize) => readPage(recognize, image));
      if (isFailure(read)) return read;
      const page = plain(read);
      await cache?.put(key, page);
      return page;
    },
    get workersLost() {
      return workers.lost;
    },
    [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose](),
  };
}
