import type { ParsedContent, SourceFile } from "../../core/document.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { OcrSettings } from "./ocr.ts";

/** What the pool sends a parse worker: one file at a time. */
export interface ParseRequest {
  readonly file: SourceFile;
  readonly maxBytes: number;
  readonly ocr?: OcrSettings;
}

/** What a parse worker says meanwhile: OCR of a page begins or ends; its time is not the parser's. */
export interface ParseNotice {
  readonly ocrRunning: boolean;
}

/** What a parse worker answers, with the bytes its heap and buffers hold afterwards; an error crosses the thread as data. */
export type ParseReply =
  | { readonly ok: true; readonly content: ParsedContent; readonly method: string; readonly heldBytes: number }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | undefined;
      readonly memory: boolean;
      readonly heldBytes: number;
    };

/** What a parse worker is started with. */
export interface ParseWorkerData {
  /** Give way to other work; only where the system keeps a priority per thread. */
  readonly lowPriority: boolean;
}
