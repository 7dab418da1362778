import type { FileHandle } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Entry, ZipFile } from "yauzl";
import type { Format } from "../../core/documents/document.ts";

/**
 * The content of a container: a supported format, a description of an unsupported one, or `broken` if it
 * cannot be opened.
 */
export type Inside =
  | { readonly format: Format }
  | { readonly other: string; readonly hint?: string }
  | "broken";

const packages: readonly (readonly [RegExp, Format])[] = [
  [/^application\/epub\+zip/, "epub"],
  [/^application\/vnd\.oasis\.opendocument\.text/, "odt"],
  [/^application\/vnd\.oasis\.opendocument\.presentation/, "odp"],
  [/^application\/vnd\.oasis\.opendocument\.spreadsheet/, "ods"],
];

/** The format of a package's declared media type; undefined for any other. */
const packageOf = (stated: string): Format | undefined =>
  packages.find(([pattern]) => pattern.test(stated))?.[1];

/** The part that declares the media type of OpenDocument files and e-books, and its maximum size in bytes. */
const statement = { name: "mimetype", mostBytes: 100 } as const;

/** The media type declared in a package's first part, which its standard requires to be uncompressed. */
function statedType(head: Uint8Array): string {
  const view = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (view.length < 38 || view.toString("latin1", 30, 38) !== statement.name || view.readUInt16LE(26) !== 8)
    return "";
  const start = 38 + view.readUInt16LE(28);
  return view.toString("latin1", start, start + 80);
}

/** Parts that identify a format. */
const parts: readonly (readonly [RegExp, Format])[] = [
  [/^word\/document\d*\.xml$/, "docx"],
  [/^xl\/workbook\d*\.(xml|bin)$/, "xlsx"],
  [/^ppt\/presentation\d*\.xml$/, "pptx"],
  [/^META-INF\/container\.xml$/, "epub"],
];

/** The format identified by a part of a zip. */
async function toldBy(entry: Entry, zip: ZipFile): Promise<Format | undefined> {
  const { fileName, uncompressedSize } = entry;
  return fileName === statement.name && uncompressedSize <= statement.mostBytes
    ? packageOf(await text(await zip.openReadStreamPromise(entry)))
    : parts.find(([pattern]) => pattern.test(fileName))?.[1];
}

/** A zip that is no document. */
export const plainZip = {
  other: "a zip archive",
  hint: "rename it to .zip if it is an archive, or unpack it and ingest the folder",
} as const;

/** Identifies a zip by its first bytes, then by its parts. */
export async function identifyZip({ fd }: FileHandle, head: Uint8Array): Promise<Inside> {
  const stated = packageOf(statedType(head));
  if (stated !== undefined) return { format: stated };
  const { fromFdPromise } = await import("yauzl");
  try {
    // Uses the open file rather than its path, which may now lead elsewhere.
    const zip = await fromFdPromise(fd, { lazyEntries: true, autoClose: false });
    let looked = 0;
    for await (const entry of zip.eachEntry()) {
      const format = await toldBy(entry, zip);
      if (format !== undefined) return { format };
      if (++looked > 5000) break;
    }
  } catch {
    return "broken"; // the parser of the claimed format reports what is wrong with it
  }
  return plainZip;
}

/** How far an OLE file is searched for stream names, in bytes. */
const searchBytes = 32 * 1024 ** 2;

const streams: readonly (readonly [string, Inside])[] = [
  // An encrypted Office file of any kind; the parser reports it.
  ["EncryptedPackage", { format: "docx" }],
  ["__properties_version1.0", { format: "msg" }],
  [
    "WordDocument",
    {
      other: "an old Word document (.doc)",
      hint: "save it as .docx in Word or LibreOffice and ingest the copy",
    },
  ],
  [
    "PowerPoint Document",
    {
      other: "an old PowerPoint presentation (.ppt)",
      hint: "save it as .pptx in PowerPoint or LibreOffice and ingest the copy",
    },
  ],
  ["Workbook", { format: "xlsx" }],
  ["Book", { format: "xlsx" }],
];

/**
 * Identifies an OLE file, the container of old Office formats, Outlook messages and encrypted new Office
 * files, by its stream names.
 */
export async function identifyOle(handle: FileHandle): Promise<Inside> {
  const size = 1024 ** 2;
  const found = new Set<string>();
  const window = Buffer.alloc(size + 128);
  for (let at = 0; at < searchBytes; at += size) {
    const { bytesRead } = await handle.read(window, 0, window.length, at);
    const part = window.subarray(0, bytesRead);
    // Stream names are UTF-16 and end with a zero.
    for (const [name] of streams) if (part.includes(`${name}\0`, 0, "utf16le")) found.add(name);
    if (found.has("EncryptedPackage") || bytesRead < window.length) break;
  }
  return streams.find(([name]) => found.has(name))?.[1] ?? { other: "an old Office document" };
}
