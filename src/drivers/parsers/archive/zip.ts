import { extname } from "node:path";
import { standInError } from "../../../core/bytes/stand-in.ts";
import type { ParsedContent, Parser } from "../../../core/documents/document.ts";
import { type Format, formatFacts, formatOfExtension } from "../../../core/documents/formats.ts";
import { RagctlError } from "../../../core/errors.ts";
import { damagedFile } from "../blocks.ts";
import { encryptedFileError, type ZipMember, zipMembers } from "../office/zip.ts";
import type { ParserOptions } from "../options.ts";
import { type Member, membersContent, recordSkipped, type SkippedMembers } from "./members.ts";
import { decodedNames } from "./names.ts";

/**
 * Of an archive and those within it: most files that are read and that are listed, the most bytes of one and
 * of all, unpacked, the deepest archive.
 */
const limits = {
  files: 1_000,
  listed: 20_000,
  bytes: 25 * 1024 ** 2,
  allBytes: 256 * 1024 ** 2,
  depth: 3,
} as const;

/** What was read so far of the outermost archive, and the current depth in it. */
interface Opening {
  readonly depth: number;
  readonly count: { files: number; listed: number; bytes: number };
}

/** A member with its name as text. */
interface Named {
  readonly name: string;
  readonly member: ZipMember;
}

const mib = (bytes: number): string => `${bytes / 1024 ** 2} MiB`;
const tooMuch = `skipped: the limit for all files in an archive is ${mib(limits.allBytes)}, unpacked`;

/** Hidden files and those that macOS adds, which the ingest of a folder leaves out as well. */
const isHidden = (name: string): boolean =>
  name.split("/").some((part) => /^\.(?!\.?$)/.test(part) || part.startsWith("~$") || part === "__MACOSX");
/** Whether a path leads out of the folder that an archive stands for. */
const leadsOut = (name: string): boolean => /^(?:\/|[A-Za-z]:)|(?:^|\/)\.\.(?:\/|$)/.test(name);

/** Why a file stays closed; undefined where it is read as `format`. */
function whyClosed(
  { name, member: { sizeBytes, isEncrypted } }: Named,
  format: Format | undefined,
  { depth, count }: Opening,
): string | undefined {
  if (leadsOut(name)) return "skipped: its path leads out of the archive";
  if (isHidden(name)) return "hidden files are skipped";
  if (isEncrypted) return "skipped: protected by a password";
  if (format === undefined) return "skipped: unsupported format";
  if (format === "image") return "skipped: OCR does not read images in archives";
  if (format === "zip" && depth >= limits.depth)
    return `skipped: archives are opened ${limits.depth} levels deep`;
  if (sizeBytes > limits.bytes) return `skipped: the limit for a file in an archive is ${mib(limits.bytes)}`;
  if (count.files >= limits.files) return `skipped: only ${limits.files} files of an archive are read`;
  return count.bytes + sizeBytes > limits.allBytes ? tooMuch : undefined;
}

/** Files of no extension, as `README` and `Makefile`, are text. */
const formatOf = (name: string): Format | undefined =>
  extname(name) === "" ? "text" : formatOfExtension(extname(name).toLowerCase());

/** The members of an archive with their names, folders left out, and warnings about its directory. */
async function listed(bytes: Uint8Array, name: string, { count }: Opening) {
  const room = limits.listed - count.listed;
  // One more, to know whether there are more.
  const { members, fault } = await zipMembers(bytes, name, room + 1);
  if (fault !== undefined && members.length === 0) throw fault;
  const own = members.slice(0, room);
  count.listed += own.length;
  const unsaid = own.filter(({ name: said }) => said === undefined);
  const { texts, guess } = await decodedNames(unsaid.map(({ rawName }) => rawName));
  const told = new Map(unsaid.map((member, at) => [member, texts[at]?.replaceAll("\\", "/")]));
  const files = own.map((member): Named => ({ name: member.name ?? told.get(member) ?? "", member }));
  return {
    files: files.filter(({ name: own }) => !own.endsWith("/")),
    warnings: [
      ...(guess === undefined ? [] : [`names of files were read as ${guess} (a guess)`]),
      ...(fault === undefined ? [] : [`the list of files ends early: ${fault.message}`]),
      ...(members.length > room
        ? [`only the first ${limits.listed} files of an archive and those within it are looked at`]
        : []),
    ],
  };
}

/** Bytes that the parts of a package, such as a Word document, unpack to by its directory. */
async function unpackedBytes(bytes: Uint8Array, name: string): Promise<number> {
  const { members } = await zipMembers(bytes, name, limits.listed).catch(() => ({ members: [] }));
  return members.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

async function readZip(
  bytes: Uint8Array,
  name: string,
  parserOf: NonNullable<ParserOptions["parserOf"]>,
  opening: Opening,
): Promise<ParsedContent> {
  const { files, warnings } = await listed(bytes, name, opening);
  if (files.length > 0 && files.every(({ member }) => member.isEncrypted)) throw encryptedFileError(name);
  const left: SkippedMembers = new Map();
  const inside = { ...opening, depth: opening.depth + 1 };
  const read = async ({ name: own, member }: Named, format: Format): Promise<ParsedContent> => {
    const content = await member.read().catch((error: unknown) => {
      throw damagedFile(own, "a file of an archive", error);
    });
    const standIn = standInError(content, own);
    if (standIn !== undefined) throw standIn;
    if (format === "zip") return await readZip(content, own, parserOf, inside);
    if (formatFacts[format].isZip === true) {
      opening.count.bytes += await unpackedBytes(content, own);
      if (opening.count.bytes > limits.allBytes) throw new RagctlError("SOURCE_TOO_LARGE", tooMuch);
    }
    return await (await parserOf(format)).parse(content, { name: own });
  };
  async function* members(): AsyncGenerator<Member> {
    for (const file of files) {
      const format = formatOf(file.name);
      const why = whyClosed(file, format, opening);
      if (why !== undefined || format === undefined) {
        recordSkipped(left, why ?? "", file.name);
        continue;
      }
      opening.count.files += 1;
      opening.count.bytes += file.member.sizeBytes;
      yield { name: file.name, read: () => read(file, format) };
    }
  }
  return await membersContent(name, members(), left, warnings);
}

/**
 * Archives as folders: each file under its path, read by the parser of its format; archives in archives too.
 */
export default ({ parserOf }: ParserOptions): Parser => ({
  id: "zip",
  parse: async (bytes, { name }) => {
    if (parserOf === undefined)
      throw new RagctlError("SOURCE_UNSUPPORTED", `${name} is an archive inside a document`, {
        hint: "unpack it and ingest its files",
      });
    return await readZip(bytes, name, parserOf, { depth: 1, count: { files: 0, listed: 0, bytes: 0 } });
  },
});
