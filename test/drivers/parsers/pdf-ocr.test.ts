import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Worker } from "node:worker_threads";
import { setTextRenderingMode, TextRenderingMode } from "pdf-lib";
import { decodeImage, readImage } from "../../../src/drivers/parsers/image/document.ts";
import { isBlank } from "../../../src/drivers/parsers/image/pixels.ts";
import { rotatePixels } from "../../../src/drivers/parsers/image/shrink.ts";
import { createOcrCache } from "../../../src/drivers/parsers/ocr/cache.ts";
import { openOcrEngine } from "../../../src/drivers/parsers/ocr/engine.ts";
import type { OcrEngine } from "../../../src/drivers/parsers/options.ts";
import { openPdf } from "../../../src/drivers/parsers/pdf/open.ts";
import { renderPage } from "../../../src/drivers/parsers/pdf/render.ts";
import { isGarbage } from "../../../src/drivers/parsers/pdf/verdict.ts";
import { openParserPool } from "../../../src/drivers/parsers/process/pool.ts";
import { source } from "./make.ts";
import { drawn, fillPage, parsePdf, prose, type Sheet, scanned } from "./pdf-make.ts";

const engine = openOcrEngine({ languages: ["eng"], folder: "", pageTimeoutMs: 60_000, workers: 1 });
after(() => engine[Symbol.asyncDispose]());
const ocr = { mode: "auto", engine } as const;
const typed = [
  "The harbour master closed the northern gate",
  "on Tuesday because of the storm warning.",
  "Ships must wait outside until Friday morning.",
];

test("of a document with typed and scanned pages every page is read, and says which way", async () => {
  const bytes = await drawn([
    ({ write }) => {
      for (const [index, line] of prose(6, "typing").entries()) write(line, 72, 100 + index * 12);
    },
    (sheet) => fillPage(sheet, scanned(typed)),
  ]);
  const content = await parsePdf(bytes, { ocr, pagesAtOnce: 2 });
  assert.deepEqual(content.pagesByOcr, [2]);
  assert.deepEqual(content.pagesWithoutText, []);
  const scan = content.blocks.filter((block) => block.pages.includes(2));
  assert.match(
    scan.map((block) => block.text).join(" "),
    /harbour master closed the northern gate on Tuesday because of the storm/,
  );
  assert.ok((scan[0]?.confidence ?? 0) > 0.7 && (scan[0]?.boxes?.length ?? 0) === 1);
  const off = await parsePdf(bytes);
  assert.deepEqual(off.pagesWithoutText, [2]);
});

test("a page scanned upside down or sideways is turned upright", async () => {
  const bytes = await drawn([
    (sheet) => fillPage(sheet, scanned(typed, 180)),
    (sheet) => fillPage(sheet, scanned(typed, 90)),
  ]);
  const { blocks } = await parsePdf(bytes, { ocr });
  for (const page of [1, 2]) {
    const text = blocks
      .filter((block) => block.pages.includes(page))
      .map((block) => block.text)
      .join(" ");
    // The face is one of this machine's: in some an "rn" is read as an "m", which is not what is tried here.
    assert.match(text, /harbour master[\s\S]*storm war\w+[\s\S]*Friday morning/, `page ${page}: ${text}`);
  }
});

test("a text layer that says something else than the page shows is not believed", async () => {
  const bytes = await drawn([
    async (sheet) => {
      sheet.write("Invisible words about bananas and their export prices in detail", 72, 200, {
        white: false,
      });
      await fillPage(sheet, scanned(typed));
    },
  ]);
  // The words are drawn first and covered by the scan: seen by pdf.js, not by a reader.
  const { blocks, pagesByOcr } = await parsePdf(bytes, { ocr });
  assert.deepEqual(pagesByOcr, [1]);
  assert.doesNotMatch(blocks.map((block) => block.text).join(" "), /bananas/);
});

test("letters mapped wrongly, unmapped characters and control codes are garbage; prose, tables and other scripts are not", () => {
  const text =
    "The harbour was built in the last century, when ships still came under sail. It has two basins and a dry dock, and most of the " +
    "trade goes through the smaller of them, since the larger one silts up every winter and must be dredged before the spring. The " +
    "council has asked for a report on what the works would cost, and how long the northern gate would have to stay closed for them.";
  const shifted = text.replace(/[a-z]/g, (letter) =>
    String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97),
  );
  assert.equal(isGarbage(text), false);
  assert.equal(isGarbage(shifted), true);
  assert.equal(isGarbage("\ue001\ue002\ue003 \ufffd\ufffd \ue010 abc \ue011\ue012".repeat(5)), true);
  assert.equal(isGarbage("(cid:12)(cid:7)(cid:44)(cid:9)".repeat(6)), true);
  assert.equal(isGarbage("Net revenue 1,200 1,100 (700) (650) 12.5 % 2023 2022".repeat(10)), false);
  assert.equal(
    isGarbage(
      "Việt Nam là một quốc gia nằm ở phía đông bán đảo Đông Dương thuộc khu vực Đông Nam Á. ".repeat(6),
    ),
    false,
  );
  assert.equal(isGarbage("Москва является столицей России и крупнейшим городом страны. ".repeat(6)), false);
});

test("a page of 20 000 points is rendered within the pixel limit, one of a point not at all", async () => {
  const { document, close } = await openPdf(
    await drawn([({ write }) => write("Giant", 2000, 3000, { size: 900 })], [20_000, 20_000]),
    "giant.pdf",
  );
  const rendered = await renderPage(await document.getPage(1), undefined, 0);
  await close();
  assert.ok(rendered !== undefined && rendered.image.width * rendered.image.height <= 10_100_000);
  const tiny = await openPdf(await drawn([() => undefined], [1, 1]), "tiny.pdf");
  assert.equal(await renderPage(await tiny.document.getPage(1), undefined, 0), undefined);
  await tiny.close();
});

test("a page is remembered by its image, so that it is read once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-test-"));
  try {
    const cached = openOcrEngine({
      languages: ["eng"],
      folder: "",
      pageTimeoutMs: 60_000,
      workers: 1,
      cache: createOcrCache(folder),
    });
    const image = await decodeImage(scanned(typed));
    const first = await cached.recognize(image);
    await cached[Symbol.asyncDispose]();
    assert.equal((await readdir(folder)).length, 1);
    // An engine whose language does not exist can only answer from memory.
    const silent = openOcrEngine({
      languages: ["eng"],
      folder: "",
      pageTimeoutMs: 1,
      workers: 1,
      cache: createOcrCache(folder),
    });
    assert.deepEqual(await silent.recognize(image), first);
    await silent[Symbol.asyncDispose]();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("what a scanner's text layer is worth does not depend on how many pages are read at once", async () => {
  const layered = (layer: readonly string[]) => async (sheet: Sheet) => {
    sheet.page.pushOperators(setTextRenderingMode(TextRenderingMode.Invisible));
    for (const [index, line] of layer.entries()) sheet.write(line, 72, 200 + index * 20);
    await fillPage(sheet, scanned(typed));
  };
  const honest = layered(typed);
  // After three pages that agree the layer is believed.
  const lying = layered(["Invisible words about bananas and their export prices in detail"]);
  const bytes = await drawn([honest, honest, honest, lying, honest]);
  const one = await parsePdf(bytes, { ocr });
  assert.match(one.pageTexts?.find(({ page }) => page === 4)?.text ?? "", /bananas/);
  assert.deepEqual(await parsePdf(bytes, { ocr, pagesAtOnce: 5 }), one);
  const doubted = await drawn([honest, lying, honest, honest, honest]);
  const read = await parsePdf(doubted, { ocr });
  assert.deepEqual(read.pagesByOcr, [2]);
  assert.deepEqual(await parsePdf(doubted, { ocr, pagesAtOnce: 5 }), read);
});

test("a scan is read by several threads as by one", async () => {
  const lines = ["The harbour master", "closed the northern gate", "on Tuesday", "because of the storm"];
  const bytes = await drawn(
    lines.map((line) => (sheet: Sheet) => fillPage(sheet, scanned([line, ...typed]))),
  );
  const several = openOcrEngine({ languages: ["eng"], folder: "", pageTimeoutMs: 60_000, workers: 3 });
  const content = await parsePdf(bytes, { ocr: { mode: "auto", engine: several }, pagesAtOnce: 6 });
  await several[Symbol.asyncDispose]();
  assert.deepEqual(content.pagesByOcr, [1, 2, 3, 4]);
  assert.deepEqual(content, await parsePdf(bytes, { ocr }));
});

test("a page whose thread dies is read in another one, and given up where that dies too", async () => {
  const image = await decodeImage(scanned(typed));
  const read = async (deaths: number) => {
    const dying = openOcrEngine({ languages: ["eng"], folder: "", pageTimeoutMs: 60_000, workers: 1 });
    let left = deaths;
    const onWorker = (thread: Worker) => {
      const post = thread.postMessage.bind(thread);
      thread.postMessage = (message: { readonly action?: string }) => {
        post(message);
        if (message.action === "recognize" && left-- > 0) void thread.terminate();
      };
    };
    process.on("worker", onWorker);
    try {
      return { page: await dying.recognize(image), lost: dying.workersLost };
    } finally {
      process.off("worker", onWorker);
      await dying[Symbol.asyncDispose]();
    }
  };
  assert.deepEqual(await read(1), { page: await engine.recognize(image), lost: 1 });
  assert.deepEqual(await read(2), { page: undefined, lost: 2 });
});

test("a page over its time is given up, its thread replaced, and the next page is read", async () => {
  const image = await decodeImage(scanned(typed));
  const hasty = openOcrEngine({ languages: ["eng"], folder: "", pageTimeoutMs: 1, workers: 1 });
  assert.equal(await hasty.recognize(image), "late");
  assert.equal(hasty.workersLost, 1);
  await hasty[Symbol.asyncDispose]();
  const read = await readImage(image, ocr, 1);
  assert.ok(read !== undefined && read !== "late");
  assert.match(read.blocks[0]?.text ?? "", /harbour master/);
});

test("pages whose OCR takes more than its processor time are named, and the document keeps the others", async () => {
  const hasty = openOcrEngine({ languages: ["eng"], folder: "", pageTimeoutMs: 1, workers: 1 });
  const bytes = await drawn([
    ({ write }) => {
      for (const [index, line] of prose(6, "typing").entries()) write(line, 72, 100 + index * 12);
    },
    (sheet) => fillPage(sheet, scanned(typed)),
  ]);
  const content = await parsePdf(bytes, { ocr: { mode: "auto", engine: hasty } });
  assert.match(content.blocks[0]?.text ?? "", /Sentence 0 about typing/);
  assert.equal(content.omitted, "OCR of page 2");
  assert.match(content.warnings.join(), /skipped OCR of page 2: CPU time limit reached/);
  const scan = await drawn([(sheet) => fillPage(sheet, scanned(typed))]);
  await assert.rejects(parsePdf(scan, { ocr: { mode: "auto", engine: hasty } }), { code: "PARSER_TIMEOUT" });
  await hasty[Symbol.asyncDispose]();
});

test("a language without data is refused with the way to get it", async () => {
  const unknown: OcrEngine = openOcrEngine({
    languages: ["eng", "xyz"],
    folder: "",
    pageTimeoutMs: 10_000,
    workers: 1,
  });
  await assert.rejects(unknown.recognize(await decodeImage(scanned(typed))), { code: "RUNTIME_MISSING" });
  await unknown[Symbol.asyncDispose]();
});

test("OCR opens no socket", async () => {
  const { connect } = net.Socket.prototype;
  const opened: unknown[] = [];
  net.Socket.prototype.connect = function (this: net.Socket, ...parts: unknown[]) {
    opened.push(parts);
    return Reflect.apply(connect, this, parts);
  } as typeof connect; // the same signatures as the method it stands for
  try {
    const fresh = openOcrEngine({ languages: ["eng"], folder: "", pageTimeoutMs: 60_000, workers: 1 });
    const page = await fresh.recognize(await decodeImage(scanned(typed)));
    assert.ok(page !== undefined && page !== "late" && page.lines.length >= 3);
    await fresh[Symbol.asyncDispose]();
  } finally {
    net.Socket.prototype.connect = connect;
  }
  assert.deepEqual(opened, []);
});

test("an image turned four times by a quarter is itself, and a blank one is known as blank", async () => {
  const image = { width: 3, height: 2, data: new Uint8Array([1, 2, 3, 4, 5, 6]) };
  const turned = await rotatePixels(image, 90);
  assert.deepEqual([turned.width, turned.height, ...turned.data], [2, 3, 4, 1, 5, 2, 6, 3]);
  assert.deepEqual([...(await rotatePixels(turned, 270)).data], [...image.data]);
  assert.deepEqual([...(await rotatePixels(await rotatePixels(image, 180), 180)).data], [...image.data]);
  const { width, height } = await rotatePixels({ width: 30, height: 20, data: new Uint8Array(600) }, 90, 15);
  assert.deepEqual([width, height], [10, 15]);
  assert.equal(isBlank({ width: 2, height: 2, data: new Uint8Array([250, 255, 252, 251]) }), true);
  assert.equal(isBlank({ width: 2, height: 2, data: new Uint8Array([250, 0, 252, 251]) }), false);
});

test("through the pool, in a thread of its own, a scan is read and remembered", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-test-"));
  const settings = {
    mode: "auto",
    languages: ["eng"],
    folder: "",
    pageTimeoutMs: 60_000,
    workers: 1,
    cacheFolder: join(folder, "ocr"),
  } as const;
  await using pool = openParserPool({
    workers: 1,
    timeoutMs: 60_000,
    memoryMb: 512,
    maxBytes: 10_000_000,
    ocr: settings,
  });
  try {
    const bytes = await drawn([(sheet) => fillPage(sheet, scanned(typed))]);
    const { content } = await pool.parse(
      await source(join(folder, "scan.pdf"), "scan.pdf", "pdf", bytes),
      new AbortController().signal,
    );
    assert.deepEqual(content.pagesByOcr, [1]);
    assert.match(content.blocks.map((block) => block.text).join(" "), /harbour master/);
    assert.equal((await readdir(join(folder, "ocr"))).length, 1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
