import type { Entry, Options, ZipFile } from "yauzl";
import { RagctlError } from "../../../core/errors.ts";
import { damagedFile } from "../blocks.ts";

/** Most a zip-based document may hold before its library is allowed to unpack it. */
const zipLimits = {
  entries: 20_000,
  inflatedBytes: 1024 ** 3,
  ratio: 200,
  ratioFromBytes: 64 * 1024 ** 2,
} as const;

function tooLarge(name: string, what: string): RagctlError {
  return new RagctlError("SOURCE_TOO_LARGE", `${name} ${what}`, {
    hint: "this looks like a zip bomb; if the file is genuine, split it into smaller documents",
  });
}

/** The error for a file that opens only with a password. */
export function encryptedFileError(name: string, cause?: unknown): RagctlError {
  return new RagctlError("SOURCE_ENCRYPTED", `${name} is password-protected`, {
    hint: "save a copy without a password and ingest the copy",
    cause,
  });
}

const mib = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MiB`;

function checkEntry(
  entry: Entry,
  total: { entries: number; inflated: number; packed: number },
  name: string,
): void {
  total.entries++;
  total.inflated += entry.uncompressedSize;
  total.packed += entry.compressedSize;
  if (entry.isEncrypted()) {
    throw encryptedFileError(name);
  }
  if (total.entries > zipLimits.entries)
    throw tooLarge(name, `contains more than ${zipLimits.entries} parts`);
  if (total.inflated > zipLimits.inflatedBytes) {
    throw tooLarge(
      name,
      `unpacks to more than ${mib(zipLimits.inflatedBytes)} (${mib(total.inflated)} and counting)`,
    );
  }
  const ratio = total.inflated / Math.max(1, total.packed);
  if (total.inflated > zipLimits.ratioFromBytes && ratio > zipLimits.ratio) {
    throw tooLarge(
      name,
      `unpacks to ${mib(total.inflated)}, ${ratio.toFixed(0)} times its packed size; the limit is ${zipLimits.ratio} times`,
    );
  }
}

async function openZip(bytes: Uint8Array, name: string, options: Options = {}): Promise<ZipFile> {
  const { fromBufferPromise } = await import("yauzl");
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return await fromBufferPromise(buffer, {
      lazyEntries: true,
      validateEntrySizes: true,
      strictFileNames: false,
      ...options,
    });
  } catch (error) {
    throw damagedFile(name, "a zip-based document", error);
  }
}

/** Whether the bytes are an OLE file, the container of old Office formats and of encrypted new ones. */
function isOle(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1].every((byte, index) => bytes[index] === byte);
}

/** Whether OLE bytes wrap an encrypted Office document (a stream named EncryptedPackage). */
export function isEncryptedOle(bytes: Uint8Array): boolean {
  return (
    isOle(bytes) &&
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
      Buffer.from("EncryptedPackage", "utf16le"),
    )
  );
}

/**
 * Checks a zip before a library unpacks it, by its declared sizes and then by unpacking every part once and
 * counting.
 * @throws SOURCE_TOO_LARGE, SOURCE_ENCRYPTED, SOURCE_DAMAGED
 */
export async function checkZip(bytes: Uint8Array, name: string): Promise<void> {
  if (isEncryptedOle(bytes)) {
    throw encryptedFileError(name);
  }
  const zip = await openZip(bytes, name);
  const total = { entries: 0, inflated: 0, packed: 0 };
  try {
    for await (const entry of zip.eachEntry()) {
      checkEntry(entry, total, name);
      if (entry.fileName.endsWith("/")) continue;
      // validateEntrySizes ends the stream with an error when a part is larger than it declares.
      const stream = await zip.openReadStreamPromise(entry);
      for await (const _ of stream);
    }
  } catch (error) {
    throw error instanceof RagctlError ? error : damagedFile(name, "a zip-based document", error);
  } finally {
    zip.close();
  }
}

/** A part of a zip. */
export interface ZipPart {
  readonly name: string;
  /** Unpacked. */
  readonly sizeBytes: number;
  read(): Promise<Buffer>;
}

/**
 * The parts of a zip that `checkZip` has passed one by one, folders left out; each can be read until the next
 * is taken.
 */
async function* zipParts(bytes: Uint8Array, name: string): AsyncGenerator<ZipPart> {
  const zip = await openZip(bytes, name);
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith("/")) continue;
      const read = async () => Buffer.concat(await Array.fromAsync(await zip.openReadStreamPromise(entry)));
      yield { name: entry.fileName, sizeBytes: entry.uncompressedSize, read };
    }
  } catch (error) {
    throw damagedFile(name, "a zip-based document", error);
  } finally {
    zip.close();
  }
}

/** A member of an archive as its directory has it, before anything of it was read. */
export interface ZipMember {
  /** Its name, undefined where the archive does not say in which character set it is. */
  readonly name: string | undefined;
  readonly rawName: Uint8Array;
  /** Unpacked; a member that is larger than it says ends with an error. */
  readonly sizeBytes: number;
  readonly isEncrypted: boolean;
  read(): Promise<Buffer>;
}

/**
 * The members of an archive, at most `most`, with the error that ended its directory before them.
 * @throws SOURCE_DAMAGED
 */
export async function zipMembers(
  bytes: Uint8Array,
  name: string,
  most: number,
): Promise<{ readonly members: readonly ZipMember[]; readonly fault?: RagctlError }> {
  const { getFileNameLowLevel } = await import("yauzl");
  const zip = await openZip(bytes, name, { decodeStrings: false });
  const members: ZipMember[] = [];
  const add = (entry: Entry): void => {
    const { generalPurposeBitFlag: flags, fileNameRaw, extraFields } = entry;
    // Bit 11 says UTF-8; the extra field has the name in Unicode. Source: APPNOTE 4.4.4, 4.6.9.
    const isSaid = (flags & 0x800) !== 0 || extraFields.some(({ id }) => id === 0x7075);
    members.push({
      name: isSaid ? getFileNameLowLevel(flags, fileNameRaw, extraFields, false) : undefined,
      rawName: fileNameRaw,
      sizeBytes: entry.uncompressedSize,
      isEncrypted: entry.isEncrypted(),
      read: async () => Buffer.concat(await Array.fromAsync(await zip.openReadStreamPromise(entry))),
    });
  };
  try {
    for await (const entry of zip.eachEntry()) {
      if (members.length === most) break;
      add(entry);
    }
    return { members };
  } catch (error) {
    return { members, fault: damagedFile(name, "a zip archive", error) };
  }
}

/** Reads the named parts of a zip that `checkZip` has passed, by part name. */
export async function readRawParts(
  bytes: Uint8Array,
  name: string,
  wanted: (part: string) => boolean,
): Promise<Map<string, Buffer>> {
  const parts = new Map<string, Buffer>();
  for await (const part of zipParts(bytes, name))
    if (wanted(part.name)) parts.set(part.name, await part.read());
  return parts;
}

/** Reads the named parts of a zip that `checkZip` has passed, as UTF-8 text by part name. */
export async function readParts(
  bytes: Uint8Array,
  name: string,
  wanted: (part: string) => boolean,
): Promise<Map<string, string>> {
  const parts = await readRawParts(bytes, name, wanted);
  return new Map([...parts].map(([part, raw]) => [part, raw.toString("utf8")]));
}

/** Names of the parts of a zip that `checkZip` has passed, folders left out. */
export const listParts = async (bytes: Uint8Array, name: string): Promise<string[]> =>
  await Array.fromAsync(zipParts(bytes, name), (part) => part.name);

/** An uncompressed zip of the given parts: the input for a library after parts were changed or left out. */
export async function createZip(parts: ReadonlyMap<string, string>): Promise<Buffer> {
  const { strToU8, zipSync } = await import("fflate");
  const entries = [...parts].map(([name, text]) => [name, strToU8(text)] as const);
  return Buffer.from(zipSync(Object.fromEntries(entries), { level: 0 }));
}
