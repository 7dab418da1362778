import module from "node:module";
import { readGlyph } from "./glyphs.ts";
import type { Port } from "./port.ts";

/** The half of pdf.js that reads files. */
interface PdfWorkerModule {
  readonly WorkerMessageHandler: { initializeFromPort(port: Port): void };
  /** Absent where Node cannot change a module while it is loaded. */
  readonly taught?: { readGlyph?: typeof readGlyph };
}

/** Statements of pdf.js, and what stands in their place here. */
const lessons: readonly (readonly [string, string])[] = [
  // Text keeps the mark of a word that goes on in the next line.
  [String.raw`(\p{Cf}+)`, String.raw`((?:(?!\xad)\p{Cf})+)`],
  // A glyph that the font's map leaves out is looked up by its name.
  [
    "let unicode = this.toUnicode.get(charcode) || charcode;",
    "let unicode = taught.readGlyph?.(this, charcode, (name) => getUnicodeForGlyph(name, getGlyphsUnicode())) ?? (this.toUnicode.get(charcode) || charcode);",
  ],
  [
    "const newMapping = adjustMapping(charCodeToGlyphId,",
    "this.glyphs = { names: properties.glyphNames, ofCode: charCodeToGlyphId };\nconst newMapping = adjustMapping(charCodeToGlyphId,",
  ],
  [
    "const mapping = font.getGlyphMapping(properties);",
    `const mapping = font.getGlyphMapping(properties);
    this.glyphs = { names: font.getCharset?.() ?? [".notdef", ...font.charstrings.map(({ glyphName }) => glyphName)], ofCode: mapping };`,
  ],
  // Where the page states what a piece of text says, marks stand around it.
  ["let textMarkedContentLevel = null;", "let textMarkedContentLevel = null;\nconst said = [];"],
  [
    "case OPS.beginMarkedContent:\n            flushTextContentItem();",
    "case OPS.beginMarkedContent:\n            flushTextContentItem();\nsaid.push(false);",
  ],
  [
    "case OPS.beginMarkedContentProps:\n            flushTextContentItem();",
    `case OPS.beginMarkedContentProps: {
            flushTextContentItem();
            const about = args[1] instanceof Name ? resources.get("Properties")?.get(args[1].name) : args[1];
            const text = about instanceof Dict ? about.get("ActualText") : undefined;
            said.push(typeof text === "string");
            if (said.at(-1)) textContent.items.push({ type: "beginActualText", text: stringToPDFString(text) });
            }`,
  ],
  [
    "case OPS.endMarkedContent:\n            flushTextContentItem();",
    `case OPS.endMarkedContent:
            flushTextContentItem();
            if (said.pop()) textContent.items.push({ type: "endActualText" });`,
  ],
];

const teach = (source: string): string =>
  `${lessons.reduce((text, [from, to]) => text.replace(from, () => to), source)}\nconst taught = {}; export { taught };`;

/**
 * Loads the half of pdf.js that reads files, taught to keep what it drops from text. The package has types for
 * its other half only: the name is not one that the compiler looks up.
 */
export async function loadWorker(): Promise<PdfWorkerModule> {
  const { href } = new URL("./pdf.worker.mjs", import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs"));
  const hooks = module.registerHooks?.({
    load(url, context, next) {
      const loaded = next(url, context);
      if (url !== href || loaded.source == null) return loaded;
      return { ...loaded, source: teach(Buffer.from(loaded.source as Uint8Array).toString("utf8")) };
    },
  });
  try {
    const worker: PdfWorkerModule = await import(href);
    if (worker.taught !== undefined) worker.taught.readGlyph = readGlyph;
    return worker;
  } finally {
    hooks?.deregister();
  }
}
