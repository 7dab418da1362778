import type { PageToDraw, ParsedContent, SourceFile } from "../../../core/documents/document.ts";
import type { ErrorCode } from "../../../core/errors.ts";
import type { OcrSettings } from "../options.ts";
import type { PageLimit, ParseHistory, ParseLimits } from "../pages.ts";

/** A request of the pool to a parser process: one file at a time. */
export interface ParseRequest {
  readonly file: SourceFile;
  readonly maxBytes: number;
  readonly limits: ParseLimits;
  readonly history: ParseHistory;
  readonly ocr?: OcrSettings;
  readonly draw?: readonly PageToDraw[];
}

/**
 * Written by a parser process, one per line, to a dedicated pipe: this works even for a process that is about
 * to be ended.
 */
export type ParseNotice =
  /**
   * The work on a page begins; 0 is the document as a whole. `heldBytes`: resident memory at that moment,
   * beyond the idle process's; `spentMs`: processor time the document has taken, without its OCR.
   */
  | { readonly page: number; readonly pages: number; readonly heldBytes: number; readonly spentMs: number }
  /** The process ends itself because the page last named exceeded a limit. */
  | { readonly limit: PageLimit; readonly spentMs: number };

/**
 * The answer of a parser process, with its resident memory beyond the idle process's, in bytes; an error
 * crosses as data.
 */
export type ParseReply =
  | {
      readonly ok: true;
      readonly content: ParsedContent;
      readonly method: string;
      readonly heldBytes: number;
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | undefined;
      readonly memory: boolean;
      readonly heldBytes: number;
    };

/** The descriptor notices are written to; 3 is the channel of requests and replies. */
export const noticeDescriptor = 4;
