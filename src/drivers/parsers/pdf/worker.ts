import module from "node:module";
import { RagctlError } from "../../../core/errors.ts";
import { createDrawingCollector, type PageDrawing } from "./drawing/drawing.ts";
import { isUnmappedFont } from "./drawing/fonts.ts";
import type { Dict } from "./drawing/pdfjs.ts";
import { isTooLarge } from "./drawing/size.ts";
import { readGlyph } from "./glyphs.ts";
import type { Port } from "./port.ts";

/** The half of pdf.js that reads files. */
interface PdfWorkerModule {
  readonly WorkerMessageHandler: { initializeFromPort(port: Port): void };
  /** Absent where Node cannot change a module while it is loaded. */
  readonly patched?: Hooks;
}

/** Functions called from within pdf.js. */
interface Hooks {
  /** Numbers of operators by their names. */
  readonly codes: Readonly<Record<string, number>>;
  readGlyph?: typeof readGlyph;
  openDrawing?: (catalog?: Dict) => PageDrawing;
  isTooLarge?: typeof isTooLarge;
  drawsByNumber?: typeof isUnmappedFont;
}

/** What the worker adds after the text of a page. */
export interface PageAfterword {
  /** Absent from a page whose text is not read, as its content is too large. */
  readonly drawing?: PageDrawing;
  /** Whether it has annotations other than links. */
  readonly hasNotes?: boolean;
}

/** Statements of pdf.js and their replacements, applied in this order. */
export const patches: readonly (readonly [string, string])[] = [
  // Text keeps the soft hyphen of a word that continues in the next line.
  [String.raw`(\p{Cf}+)`, String.raw`((?:(?!\xad)\p{Cf})+)`],
  // A glyph that the font's map leaves out is looked up by its name.
  [
    "let unicode = this.toUnicode.get(charcode) || charcode;",
    "let unicode = patched.readGlyph?.(this, charcode, (name) => getUnicodeForGlyph(name, getGlyphsUnicode())) ?? (this.toUnicode.get(charcode) || charcode);",
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
  // Marks surround the text for which the page gives ActualText.
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
  // A page's drawing is gathered while its text is read, and passed on after it.
  [
    `intersector = null
  }) {
    const contentStreamPromise = this.getContentStream();`,
    `intersector = null
  }) {
    const tell = (afterword) => sink?.enqueue({ items: [{ type: "afterword", ...afterword }], styles: {}, lang: null }, 1);
    if (sink && patched.isTooLarge?.(this.content)) return tell({});
    const drawing = sink ? patched.openDrawing?.(this.xref.trailer.get("Root")) : undefined;
    const contentStreamPromise = this.getContentStream();`,
  ],
  [
    `viewBox: this.view,
      lang,
      intersector
    });`,
    `viewBox: this.view,
      lang,
      intersector,
      drawing
    }).then(() => {
      const hasNotes = this.annotations.slice(0, 5000).some((entry) => {
        const kind = this.xref.fetchIfRef(entry)?.get?.("Subtype")?.name;
        return kind !== undefined && kind !== "Link" && kind !== "Popup";
      });
      if (drawing) tell({ drawing, hasNotes });
    });`,
  ],
  [
    "prevRefs = null,\n    intersector = null",
    "prevRefs = null,\n    intersector = null,\n    drawing = null",
  ],
  [
    "let textState, currentTextState;",
    `let textState, currentTextState;
    const localColorSpaceCache = new LocalColorSpaceCache();
    const draw = drawing?.open({
      resources,
      colorSpace: (cs) => ColorSpaceUtils.parse({ cs, xref, resources, pdfFunctionFactory: self._pdfFunctionFactory, globalColorSpaceCache: self.globalColorSpaceCache, localColorSpaceCache }),
    });`,
  ],
  [
    "textState.font = translated.font;",
    "textState.font = translated.font;\n      textState.fontDict = translated.dict;",
  ],
  [
    `args = operation.args;
        switch (fn | 0) {
          case OPS.setFont:
            const fontNameArg`,
    `args = operation.args;
        if (draw?.(fn, args, textState)) continue;
        switch (fn | 0) {
          case OPS.setFont:
            const fontNameArg`,
  ],
  // A style says whether the file gives the letters that its font draws.
  [
    "descent: font.descent,\n          vertical: font.vertical",
    "descent: font.descent,\n          vertical: font.vertical,\n          isUnmapped: textState.fontDict ? patched.drawsByNumber?.(textState.fontDict) : undefined",
  ],
  // A state is copied at every `q`, in a tenth of a parser's time where each one inherits from the one
  // before.
  ["class TextState {", "class TextState {\n  fontDict = null;\n  drawn = undefined;"],
  [
    "const clone = Object.assign(Object.create(this), this);",
    "const clone = Object.assign(new TextState(), this);",
  ],
  // A form without text is not read again, unless it draws.
  [
    "const sinkWrapper = textSinkWrapper(sink);",
    "const sinkWrapper = textSinkWrapper(sink);\n              const drawn = drawing?.size;",
  ],
  [
    "prevRefs: seenRefs\n              }).then",
    "prevRefs: seenRefs,\n                drawing\n              }).then",
  ],
  ["if (!sinkWrapper.enqueueInvoked) {", "if (!sinkWrapper.enqueueInvoked && drawing?.size === drawn) {"],
  // A button is recognized by the appearance that the file names for it.
  [
    "hasAppearance: !!this.appearance,",
    'hasAppearance: !!this.appearance,\n      appearance: dict.get("AS")?.name,',
  ],
];

/**
 * The source of pdf.js with every statement replaced. @throws RUNTIME_MISSING for a version without one of
 * them, in which text would be lost unnoticed
 */
export function applyPatches(source: string): string {
  const text = patches.reduce((patched, [from, to]) => {
    if (!patched.includes(from)) throw unpatchable(from);
    return patched.replace(from, () => to);
  }, source);
  return `${text}\nconst patched = { codes: OPS }; export { patched };`;
}

const unpatchable = (from: string): RagctlError =>
  new RagctlError(
    "RUNTIME_MISSING",
    `the installed pdfjs-dist is not the version that reads PDFs here: it lacks "${from.split("\n", 1)[0]}"`,
    {
      hint: "install ragctl again with `npm ci`, which takes the version of its package.json",
    },
  );

/**
 * Loads the half of pdf.js that reads files, patched to keep what it drops from text. The package has types
 * for its other half only: the name is not one that the compiler looks up.
 */
export async function loadWorker(): Promise<PdfWorkerModule> {
  const { href } = new URL("./pdf.worker.mjs", import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs"));
  const hooks = module.registerHooks?.({
    load(url, context, next) {
      const loaded = next(url, context);
      if (url !== href || loaded.source == null) return loaded;
      return { ...loaded, source: applyPatches(Buffer.from(loaded.source as Uint8Array).toString("utf8")) };
    },
  });
  try {
    const worker: PdfWorkerModule = await import(href);
    const { patched } = worker;
    if (patched !== undefined)
      Object.assign(patched, {
        readGlyph,
        isTooLarge,
        drawsByNumber: isUnmappedFont,
        openDrawing: (catalog?: Dict) => createDrawingCollector(patched.codes, catalog),
      });
    return worker;
  } finally {
    hooks?.deregister();
  }
}
