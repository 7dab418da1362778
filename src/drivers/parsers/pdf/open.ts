import { fileURLToPath } from "node:url";
import { RagctlError } from "../../../core/errors.ts";
import { damagedFile } from "../blocks.ts";
import type { Matrix } from "../page/geometry.ts";
import type { TextStyle } from "../page/pieces.ts";
import { patchStreamInflate } from "./inflate.ts";
import { patchJpegDecoder } from "./jpeg.ts";
import { createMessageChannel } from "./port.ts";
import { loadWorker } from "./worker.ts";

export interface OutlineNode {
  readonly title: string;
  readonly dest: string | readonly unknown[] | null;
  readonly items: readonly OutlineNode[];
}

export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly transform: Matrix;
}

/** A node of a page's structure tree: an element with a role, or a leaf that names content. */
export interface StructNode {
  readonly role?: string;
  readonly alt?: string;
  readonly type?: string;
  readonly id?: string;
  readonly children?: readonly StructNode[];
}

/** The parts of pdf.js that are used. */
export interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getOutline(): Promise<readonly OutlineNode[] | null>;
  getPageLabels(): Promise<readonly string[] | null>;
  getDestination(name: string): Promise<readonly unknown[] | null>;
  getPageIndex(reference: { num: number; gen: number }): Promise<number>;
  getMetadata(): Promise<{ info: object }>;
  getMarkInfo(): Promise<object | null>;
  getAttachments(): Promise<ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>> | null>;
  cleanup(keepLoadedFonts?: boolean): Promise<unknown>;
}

export interface PdfPage {
  readonly view: readonly number[];
  readonly rotate: number;
  readonly ref: { readonly num: number } | null;
  getViewport(options: { scale: number; rotation?: number }): Viewport;
  getTextContent(options: {
    includeMarkedContent: boolean;
    disableNormalization: boolean;
  }): Promise<{ items: readonly unknown[]; styles: Readonly<Record<string, TextStyle>> }>;
  getStructTree(): Promise<StructNode | null>;
  getAnnotations(): Promise<readonly object[]>;
  render(options: { canvas: unknown; canvasContext: unknown; viewport: Viewport; background?: string }): {
    promise: Promise<void>;
    cancel(): void;
  };
  cleanup(): boolean;
}

/** Opens a PDF with pdf.js, which reads it in this thread. @throws SOURCE_ENCRYPTED, SOURCE_DAMAGED */
export async function openPdf(
  bytes: Uint8Array,
  name: string,
): Promise<{ document: PdfDocument; close: () => Promise<void> }> {
  patchJpegDecoder();
  const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs");
  const { WorkerMessageHandler } = await loadWorker();
  patchStreamInflate();
  const folder = (part: string) =>
    fileURLToPath(new URL(`../../${part}/`, import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs")));
  const files = {
    cMapUrl: folder("cmaps"),
    cMapPacked: true,
    standardFontDataUrl: folder("standard_fonts"),
    wasmUrl: folder("wasm"),
  };
  const safe = {
    isEvalSupported: false,
    isImageDecoderSupported: true,
    useSystemFonts: false,
    disableFontFace: true,
    stopAtErrors: false,
    canvasMaxAreaInBytes: 256_000_000,
  };
  const port = createMessageChannel();
  WorkerMessageHandler.initializeFromPort(port);
  const worker = pdfjs.PDFWorker.create({ port, verbosity: 0 });
  // pdf.js takes ownership of the bytes it is given, so it gets a copy.
  const task = pdfjs.getDocument({ data: new Uint8Array(bytes), verbosity: 0, worker, ...files, ...safe });
  const close = async (): Promise<void> => {
    await task.destroy();
    worker.destroy();
  };
  try {
    // PdfDocument is the subset declared above.
    return { document: (await task.promise) as unknown as PdfDocument, close };
  } catch (error) {
    await close();
    if (error instanceof Error && error.name === "PasswordException") {
      throw new RagctlError("SOURCE_ENCRYPTED", `${name} is password-protected`, {
        hint: "save a copy without a password and ingest the copy",
        cause: error,
      });
    }
    throw damagedFile(name, "a PDF", error);
  }
}
