import type { FileHandle } from "node:fs/promises";
import { extname } from "node:path";
import type { Format } from "../core/document.ts";
import { RagctlError } from "../core/errors.ts";

const byExtension: ReadonlyMap<string, Format> = new Map([
  [".pdf", "pdf"],
  [".docx", "docx"],
  [".docm", "docx"],
  [".xlsx", "xlsx"],
  [".xlsm", "xlsx"],
  [".xls", "xlsx"],
  [".csv", "csv"],
  [".tsv", "csv"],
  [".pptx", "pptx"],
  [".pptm", "pptx"],
  [".html", "html"],
  [".htm", "html"],
  [".xhtml", "html"],
  [".md", "markdown"],
  [".markdown", "markdown"],
  [".txt", "text"],
  [".text", "text"],
  [".log", "text"],
  [".rst", "text"],
  [".adoc", "text"],
  ["", "text"],
]);

const readable = "pdf, docx, xlsx, xls, csv, pptx, html, md, txt";
const headBytes = 64 * 1024;

function startsWith(bytes: Uint8Array, ...magic: number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/** Whether bytes look like text: marked as UTF-16, or without NUL and with hardly any control characters. */
function looksLikeText(bytes: Uint8Array): boolean {
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)) return true;
  let control = 0;
  for (const byte of bytes) {
    if (byte === 0) return false;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) control++;
  }
  return control <= bytes.length * 0.01;
}

/** The Office format whose main part the zip at `path` holds; undefined for any other zip, `broken` when its directory cannot be read. */
async function officeFormat(path: string): Promise<Format | "broken" | undefined> {
  const { openPromise } = await import("yauzl");
  try {
    const zip = await openPromise(path, { lazyEntries: true });
    try {
      for await (const entry of zip.eachEntry()) {
        if (entry.fileName === "word/document.xml") return "docx";
        if (/^xl\/workbook\.(xml|bin)$/.test(entry.fileName)) return "xlsx";
        if (entry.fileName === "ppt/presentation.xml") return "pptx";
      }
    } finally {
      zip.close();
    }
  } catch {
    return "broken"; // the parser of the claimed format reports what is wrong with it
  }
  return undefined;
}

function textFormat(head: Uint8Array, claimed: Format | undefined, extension: string, name: string): Format {
  const text = Buffer.from(head.subarray(0, 4096))
    .toString(startsWith(head, 0xff, 0xfe) ? "utf16le" : "latin1")
    .replace(/^(?:\u00ef\u00bb\u00bf|\ufeff)/, "")
    .replace(/^(?:\s|<\?xml[^>]*>|<!--[\s\S]*?-->)+/, "");
  const isHtml = /^<(?:!doctype\s+html|html|head|body)\b/i.test(text);
  if (isHtml && claimed !== "markdown" && claimed !== "csv") return "html";
  if (text.startsWith("{\\rtf") || text.startsWith("%!PS"))
    throw other(name, claimed, extension, text.startsWith("{") ? "rtf" : "PostScript");
  if (claimed === "csv" || claimed === "html" || claimed === "markdown" || claimed === "text") return claimed;
  if (claimed !== undefined) return "text";
  throw new RagctlError("SOURCE_UNSUPPORTED", `${name} is a kind of text that is not read (${extension})`, {
    hint: `ragctl reads ${readable}`,
  });
}

function other(name: string, claimed: Format | undefined, extension: string, actual: string): RagctlError {
  if (claimed !== undefined && extension !== "") {
    return new RagctlError("SOURCE_MISMATCHED", `${name} is named ${extension} but its content is ${actual}`, {
      hint: "give it its right name, or save it again in the format its name says",
    });
  }
  return new RagctlError("SOURCE_UNSUPPORTED", `${name} is of a format that is not read (${actual})`, { hint: `ragctl reads ${readable}` });
}

/**
 * The format of an open file, by its content first and its name second.
 * @throws SOURCE_MISMATCHED when the name claims a format and the content is one that is not read
 * @throws SOURCE_UNSUPPORTED when neither is a format that is read
 */
export async function detectFormat(handle: FileHandle, path: string, name: string): Promise<Format> {
  const extension = extname(name).toLowerCase();
  const claimed = byExtension.get(extension);
  const { bytesRead, buffer } = await handle.read(new Uint8Array(headBytes), 0, headBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  if (Buffer.from(head.subarray(0, 1024)).includes("%PDF-")) return "pdf";
  if (startsWith(head, 0x50, 0x4b, 0x03, 0x04)) {
    const office = await officeFormat(path);
    const isOffice = claimed === "docx" || claimed === "xlsx" || claimed === "pptx";
    if (office === "broken" && isOffice) return claimed;
    if (office !== undefined && office !== "broken") return office;
    throw other(name, claimed, extension, "a zip archive");
  }
  if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0)) {
    // The container of old Office files and of encrypted new ones, which the parser recognises.
    if (claimed === "docx" || claimed === "xlsx" || claimed === "pptx") return claimed;
    throw other(name, claimed, extension, "an old Office document");
  }
  if (looksLikeText(head)) return textFormat(head, claimed, extension, name);
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  throw other(name, claimed, extension, found?.mime ?? "binary data of no known kind");
}
