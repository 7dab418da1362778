import type { FileHandle } from "node:fs/promises";
import { extname } from "node:path";
import { standInError } from "../../core/bytes/stand-in.ts";
import { isTextWithZeros, wideCharset } from "../../core/bytes/wide-text.ts";
import type { SourceFile } from "../../core/documents/document.ts";
import {
  type Format,
  formatFacts,
  formatOfExtension,
  formats,
  formatsWhere,
} from "../../core/documents/formats.ts";
import { RagctlError } from "../../core/errors.ts";
import { type Inside, identifyOle, identifyZip, plainZip } from "./container.ts";

const readable = listed(formats.flatMap((format) => formatFacts[format].readable));
const textual = formatsWhere((facts) => facts.isText === true);
const zipped = formatsWhere((facts) => facts.isZip === true);
const headBytes = 64 * 1024;
const images = new Set(["image/png", "image/jpeg", "image/webp", "image/bmp", "image/gif", "image/tiff"]);

/** `pdf, docx and odt`. */
function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function startsWith(bytes: Uint8Array, ...magic: number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/**
 * Whether bytes look like text: of a wide character set, or without zeros, unless the name says that it is
 * text, and with few control characters.
 */
function looksLikeText(bytes: Uint8Array, claimed: Format | undefined): boolean {
  if (wideCharset(bytes) !== undefined) return true;
  const mayHaveZeros = claimed !== undefined && textual.has(claimed);
  return (mayHaveZeros || !bytes.includes(0)) && isTextWithZeros(bytes);
}

/** Whether text begins with message headers: several that only messages have, before the first empty line. */
function looksLikeMail(text: string, claimed: Format | undefined): boolean {
  const head = text.slice(0, 16_384).split(/\r?\n\r?\n/, 1)[0] ?? "";
  if (!/^[\w-]+:/.test(head)) return false;
  const own =
    /^(received|return-path|delivered-to|message-id|mime-version|dkim-signature|content-type|content-transfer-encoding|in-reply-to):/gim;
  const common = /^(from|to|subject|date|cc|reply-to|sender):/gim;
  const [rare, plain] = [head.match(own)?.length ?? 0, head.match(common)?.length ?? 0];
  return claimed === "eml" ? rare + plain > 0 : rare > 0 && plain > 1 && rare + plain > 3;
}

/** Formats of file names whose text may begin like HTML: PHP templates do. */
const mayHoldHtml: ReadonlySet<Format | undefined> = new Set(["markdown", "csv", "code"]);

/**
 * The format that text declares at its beginning; undefined if it could be any. `text` is `whole` without an
 * optional prefix.
 */
function markedFormat(whole: string, text: string, claimed: Format | undefined): Format | undefined {
  // Programs export "Excel" as a bare HTML table, or in Excel's XML of 2003.
  if (claimed === "xlsx" && /^<(?:\w+:)?Workbook\b/.test(text)) return "xlsx";
  if (claimed === "xlsx" && /^<(?:table|meta|style|div|center|font)\b/i.test(text)) return "html";
  const isHtml = /^<(?:!doctype\s+html|html|head|body)\b/i.test(text);
  if (isHtml && !mayHoldHtml.has(claimed)) return "html";
  if (text.startsWith("{\\rtf")) return "rtf";
  return /^\{/.test(text) && /"schema_name"\s*:\s*"DoclingDocument"/.test(whole) ? "docling" : undefined;
}

function textFormat(head: Uint8Array, claimed: Format | undefined, extension: string, name: string): Format {
  // Of wide characters those that are looked for are one byte, the others zero.
  const whole = Buffer.from(head.filter((byte) => byte !== 0)).toString("latin1");
  const text = whole
    .slice(0, 4096)
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, "")
    .replace(/^(?:\s|<\?[^>]*>|<!--[\s\S]*?-->)+/, "");
  const marked = markedFormat(whole, text, claimed);
  if (marked !== undefined) return marked;
  if (text.startsWith("%!PS")) throw other(name, claimed, extension, "PostScript");
  if (claimed === undefined || ["eml", "text", "msg", "xlsx"].includes(claimed)) {
    if (looksLikeMail(text, claimed)) return "eml";
  }
  if (claimed === "xlsx" && /[\t;,]/.test(text.split(/\r?\n/, 1)[0] ?? "")) return "csv";
  if (claimed !== undefined && textual.has(claimed)) return claimed;
  if (claimed !== undefined || extension === "") return "text";
  throw new RagctlError("SOURCE_UNSUPPORTED", `${name} has an unsupported text format (${extension})`, {
    hint: `ragctl reads ${readable}; declare a loader for others under parse.loaders`,
  });
}

function other(
  name: string,
  claimed: Format | undefined,
  extension: string,
  actual: string,
  hint?: string,
): RagctlError {
  if (claimed !== undefined && extension !== "") {
    return new RagctlError(
      "SOURCE_MISMATCHED",
      `${name} is named ${extension}, but its content is ${actual}`,
      {
        hint: hint ?? "correct the file name, or save the file in the format its name indicates",
      },
    );
  }
  return new RagctlError("SOURCE_UNSUPPORTED", `${name} has an unsupported format (${actual})`, {
    hint: hint ?? `ragctl reads ${readable}; declare a loader for others under parse.loaders`,
  });
}

/**
 * A warning if a file's name claims another format than its content has; undefined if they agree. Text,
 * Markdown, CSV and HTML are only distinguished by name, and `declared` extensions belong to the user's
 * loaders.
 */
export function extensionMismatchWarning(
  { name, format }: Pick<SourceFile, "name" | "format">,
  declared: ReadonlySet<string>,
): string | undefined {
  const extension = extname(name).toLowerCase();
  const claimed = formatOfExtension(extension);
  if (claimed === undefined || claimed === format || declared.has(extension)) return undefined;
  if (textual.has(claimed) && textual.has(format)) return undefined;
  return `named ${extension}, but read as ${formatFacts[format].description ?? format} because of its content`;
}

function containerFormat(
  inside: Inside,
  claimed: Format | undefined,
  extension: string,
  name: string,
): Format {
  if (inside === "broken") {
    if (claimed !== undefined && zipped.has(claimed)) return claimed;
    throw other(name, claimed, extension, "a damaged zip archive");
  }
  if ("format" in inside) return inside.format;
  // Programs and their packages are archives too, but contain no documents.
  if (inside.other === plainZip.other && claimed === "zip") return "zip";
  throw other(name, claimed, extension, inside.other, inside.hint);
}

/**
 * The format of an open file, by its content first and its name second. A file whose extension is in
 * `declared` (with the dot, in lower case) has a user-defined loader and is not inspected: its format is
 * `text`.
 * @throws SOURCE_MISMATCHED if the name claims a supported format and the content has an unsupported one
 * @throws SOURCE_UNSUPPORTED if neither is a supported format, or only a pointer to the file is there
 */
export async function detectFormat(
  handle: FileHandle,
  name: string,
  declared?: ReadonlySet<string>,
): Promise<Format> {
  const extension = extname(name).toLowerCase();
  if (declared?.has(extension) === true) return "text";
  const claimed = formatOfExtension(extension);
  const { bytesRead, buffer } = await handle.read(new Uint8Array(headBytes), 0, headBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  const standIn = standInError(head, name);
  if (standIn !== undefined) throw standIn;
  if (Buffer.from(head.subarray(0, 1024)).includes("%PDF-")) return "pdf";
  if (startsWith(head, 0x50, 0x4b, 0x03, 0x04))
    return containerFormat(await identifyZip(handle, head), claimed, extension, name);
  if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0)) {
    const inside = await identifyOle(handle);
    const isEncrypted = inside !== "broken" && "format" in inside && inside.format === "docx";
    return isEncrypted && claimed !== undefined && zipped.has(claimed)
      ? claimed
      : containerFormat(inside, claimed, extension, name);
  }
  // Scanners put a TIFF's directory at the end, where `file-type` does not find it.
  if (startsWith(head, 0x49, 0x49, 0x2a, 0) || startsWith(head, 0x4d, 0x4d, 0, 0x2a)) return "image";
  if (looksLikeText(head, claimed)) return textFormat(head, claimed, extension, name);
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found !== undefined && images.has(found.mime)) return "image";
  throw other(name, claimed, extension, found?.mime ?? "unknown binary data");
}
