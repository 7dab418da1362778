import type { ParsedContent, SourceFile } from "../../core/document.ts";
import type { ErrorCode } from "../../core/errors.ts";

/** What the pool sends a parse worker: one file at a time. */
export interface ParseRequest {
  readonly file: SourceFile;
  readonly maxBytes: number;
}

/** What a parse worker answers; an error crosses the thread as data. */
export type ParseReply =
  | { readonly ok: true; readonly content: ParsedContent; readonly method: string; readonly rssBytes: number }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly hint: string | undefined; readonly memory: boolean };
