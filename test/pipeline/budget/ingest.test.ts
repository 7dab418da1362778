import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  compareEstimate,
  estimateIngest,
  type IngestedFile,
  ingestSamples,
} from "../../../src/pipeline/budget/ingest.ts";

const none = { format: () => new Map(), rest: new Map(), ocr: new Map() };
const file = (format: "pdf" | "markdown" | "image", sizeBytes: number, parseMs?: number): IngestedFile => ({
  format,
  sizeBytes,
  chunks: sizeBytes / 1000,
  tokens: sizeBytes / 10,
  parseMs,
  ...{ pages: 1, pagesByOcr: 0 },
});
const phase = (name: string, durationMs: number, counts = {}) => ({ phase: name, durationMs, counts });
const phases = [
  phase("read", 10),
  phase("parse", 500),
  phase("chunk", 20, { tokens: 15_000 }),
  phase("embed", 1000, { tokens: 15_000 }),
  phase("store", 470, { vectors: 150 }),
];
const files = [file("pdf", 80_000, 400), file("markdown", 70_000, 100)];

describe("the estimate of an ingest", () => {
  it("foresees an ingest that goes as the one before", () => {
    const { formats, rest } = ingestSamples(files, phases, 1000);
    const samples = {
      format: (format: string) =>
        new Map(
          Object.entries([...formats].find(([name]) => name === format)?.[1] ?? {}).map(([name, value]) => [
            name,
            [value],
          ]),
        ),
      rest: new Map(Object.entries(rest).map(([name, value]) => [name, [value]])),
      ocr: null,
    };
    const estimate = estimateIngest(files, samples);
    assert.equal(estimate.rates, "measured");
    assert.ok(Math.abs(estimate.durationMs - 1000) < 1e-6, `${estimate.durationMs}`);
    const { error, phases: compared } = compareEstimate(estimate, phases, 1000);
    assert.ok([error, ...compared.map((each) => each.error)].every((each) => Math.abs(each) < 1e-9));
  });

  it("says that it assumes where nothing was measured, and expects more of larger files", () => {
    const [small, large] = [
      estimateIngest([file("pdf", 1e6)], none),
      estimateIngest([file("pdf", 2e6)], none),
    ];
    assert.equal(small.rates, "assumed");
    assert.ok(large.durationMs > small.durationMs);
    assert.deepEqual([estimateIngest([], none).durationMs, estimateIngest([], none).files], [0, 0]);
  });

  it("learns nothing of parsing from what was in the cache, nor from a few kilobytes", () => {
    for (const one of [file("pdf", 80_000), file("pdf", 5000, 900)]) {
      const { formats } = ingestSamples([one], phases, 1000);
      assert.deepEqual(Object.keys(formats.get("pdf") ?? {}), ["tokens_per_kb", "chunks_per_kb"]);
    }
  });

  it("says what a page of OCR takes, by what scans took, and leaves the scans in PDFs out", () => {
    const scan = { ...file("pdf", 80_000, 3000), pages: 4, pagesByOcr: 4 };
    const mixed = { ...file("pdf", 80_000, 9000), pages: 90, pagesByOcr: 1 };
    const { formats, ocr } = ingestSamples([scan, mixed, file("pdf", 80_000, 160)], phases, 1000);
    assert.deepEqual([ocr, formats.get("pdf")?.["parse_ms_per_kb"]], [{ ocr_ms_per_page: 750 }, 2]);
    const samples = { ...none, ocr: new Map([["ocr_ms_per_page", [750]]]) };
    const parseMs = (one: IngestedFile, known: typeof none | { ocr: null }): number | undefined =>
      estimateIngest([one], { ...none, ...known }).phases.find(({ phase }) => phase === "parse")?.durationMs;
    assert.equal(parseMs(file("image", 1e6), samples), 750);
    assert.equal(estimateIngest([file("image", 1e6)], samples).ocrPageMs, undefined);
    assert.equal(estimateIngest([file("pdf", 1e6)], samples).ocrPageMs, 750);
    assert.equal(estimateIngest([file("pdf", 1e6)], { ...samples, ocr: null }).ocrPageMs, undefined);
    assert.equal(parseMs(file("pdf", 1e6), samples), parseMs(file("pdf", 1e6), { ocr: null }));
  });

  it("gives the error with its sign, and none for a phase that was to take no time", () => {
    const estimate = {
      ...{ files: 1, bytes: 1000, durationMs: 100, rates: "measured" as const },
      phases: [
        { phase: "parse", durationMs: 100 },
        { phase: "store", durationMs: 0 },
      ],
    };
    const { error, phases: compared } = compareEstimate(estimate, [phase("parse", 50)], 130);
    assert.equal(error, 0.3);
    assert.deepEqual(
      compared.map((each) => each.error),
      [-0.5, 0],
    );
  });
});
