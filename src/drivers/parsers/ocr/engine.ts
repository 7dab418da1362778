import { createHash } from "node:crypto";
import { isBlank, shrink, turn } from "../image/pixels.ts";
import type { GrayImage, OcrEngine, OcrOptions, OcrPage } from "../options.ts";
import { openOcrClock } from "./clock.ts";
import { findLanguages } from "./languages.ts";
import { encodePgm, readRecognized, startTesseract, type TesseractWorker } from "./tesseract.ts";

/** Raised when the same image gives another result, so that remembered pages are read anew. */
const revision = 1;
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

/**
 * Opens engines for reading pages; each starts with its first page and is replaced after `pagesPerWorker` pages, or when a page
 * takes too much processor time. A page that reads badly is tried in the other three directions on a small copy.
 */
export function openOcrEngine(options: OcrOptions): OcrEngine {
  const { pageTimeoutMs, workers, pagesPerWorker = 100, cache } = options;
  const free: Slot[] = Array.from({ length: Math.max(1, workers) }, () => ({ worker: undefined, pages: 0 }));
  const all = [...free];
  const waiting: ((slot: Slot) => void)[] = [];
  const data: { files?: Promise<readonly string[]> } = {};
  const clock = openOcrClock();
  let workersLost = 0;

  const drop = async (slot: Slot): Promise<void> => {
    const { worker } = slot;
    slot.worker = undefined;
    slot.pages = 0;
    await worker?.then(
      (started) => started.terminate(),
      () => {},
    );
  };
  const start = async (): Promise<TesseractWorker> => {
    data.files ??= findLanguages(options.languages, options.folder);
    return await startTesseract(await data.files);
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
  const once = async (
    slot: Slot,
    image: GrayImage,
    turned: OcrPage["turned"],
    budget: { leftMs: number },
  ): Promise<ReturnType<typeof readRecognized> | "late" | undefined> => {
    slot.worker ??= start();
    const worker = await slot.worker;
    const late = Promise.withResolvers<"late">();
    const end = clock.watch(budget.leftMs, () => late.resolve("late"));
    const read = worker.recognize(encodePgm(image), {}, { blocks: true, text: false });
    const result = await Promise.race([read.catch(() => undefined), late.promise]);
    budget.leftMs = Math.max(1, end());
    if (result !== undefined && result !== "late") return readRecognized(result, image, turned);
    workersLost++;
    await drop(slot);
    return result;
  };
  const read = async (slot: Slot, image: GrayImage): Promise<OcrPage | "late" | undefined> => {
    const budget = { leftMs: pageTimeoutMs };
    const upright = await once(slot, image, 0, budget);
    if (upright === undefined || upright === "late") return upright;
    if (upright.upright && upright.confidence > 0.7 && weight(upright) > 60) return upright;
    const small = shrink(image, trialPixels);
    // Another direction has to be clearly better, unless the lines found run up or down.
    let best = {
      weight: upright.upright ? Math.max(weight(upright), 20) * 1.5 : 0,
      turned: 0 as OcrPage["turned"],
    };
    for (const turned of turns) {
      const trial = await once(slot, turn(small, turned), turned, budget);
      if (trial === undefined || trial === "late") return upright;
      if (weight(trial) > best.weight) best = { weight: weight(trial), turned };
    }
    if (best.turned === 0) return upright;
    const turnedPage = await once(slot, turn(image, best.turned), best.turned, budget);
    return turnedPage === undefined || turnedPage === "late" ? upright : turnedPage;
  };

  return {
    async recognize(image) {
      if (isBlank(image))
        return { width: image.width, height: image.height, turned: 0, lines: [], confidence: 0, dropped: 0 };
      const key = keyOf(image, options);
      const known = await cache?.get(key);
      if (known !== undefined) return known;
      const slot = await take();
      try {
        const found = await read(slot, image);
        if (++slot.pages >= pagesPerWorker) await drop(slot);
        if (found === undefined || found === "late") return found;
        const page = plain(found);
        await cache?.put(key, page);
        return page;
      } finally {
        give(slot);
      }
    },
    get workersLost() {
      return workersLost;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map(drop));
    },
  };
}
