import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { crc32, deflateRawSync } from "node:zlib";
import { PDFDocument, StandardFonts } from "pdf-lib";
import type { Format, SourceFile } from "../../../src/core/documents/document.ts";

/**
 * A zip of the given parts, deflated; `declared` overrides the uncompressed size its headers state, `bytesOf` makes
 * the bytes of names, and parts named in `locked` say that they need a password.
 */
export function zip(
  parts: Readonly<Record<string, Uint8Array | string>>,
  declared?: number,
  {
    bytesOf = Buffer.from,
    locked = [],
  }: { bytesOf?: (name: string) => Buffer; locked?: readonly string[] } = {},
): Uint8Array {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const data = Buffer.from(content);
    const packed = deflateRawSync(data);
    const fileName = bytesOf(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(locked.includes(name) ? 1 : 0, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(declared ?? data.length, 18);
    fields.writeUInt16LE(fileName.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, fileName, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, tail, fileName]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(locals.length, 8);
  end.writeUInt16LE(locals.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...locals, central, end]));
}

/** One drawn string: x and y in points from the page's top left. */
export interface Drawn {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly size?: number;
  readonly bold?: boolean;
}

/** A PDF of Letter pages with the given strings drawn on them. */
export async function pdf(pages: readonly (readonly Drawn[])[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const plain = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  for (const strings of pages) {
    const page = document.addPage([612, 792]);
    for (const { x, y, text, size = 10, bold: heavy } of strings)
      page.drawText(text, { x, y: 792 - y, size, font: heavy ? bold : plain });
  }
  return await document.save();
}

/** Writes bytes and describes them as the read phase would. */
export async function source(
  path: string,
  name: string,
  format: Format,
  bytes: Uint8Array,
): Promise<SourceFile> {
  await writeFile(path, bytes);
  return {
    path,
    name,
    format,
    sizeBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}

/** An RC4-encrypted PDF skeleton whose user password is not empty. */
export function encryptedPdf(): Uint8Array {
  const hex = "00".repeat(31);
  const body = [
    "%PDF-1.4",
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj",
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>endobj",
    `4 0 obj<</Filter/Standard/V 1/R 2/Length 40/P -44/O<${hex}11>/U<${hex}22>>>endobj`,
    `trailer<</Root 1 0 R/Size 5/Encrypt 4 0 R/ID[<${hex}33><${hex}33>]>>`,
    "%%EOF",
  ].join("\n");
  return new TextEncoder().encode(body);
}
