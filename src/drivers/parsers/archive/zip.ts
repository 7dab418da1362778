import { extname } from "node:path";
import type { ParsedContent, Parser } from "../../../core/documents/document.ts";
import { type Format, formatOfExtension } from "../../../core/documents/formats.ts";
import { RagctlError } from "../../../core/errors.ts";
import { guardZip, zipParts } from "../office/zip.ts";
import type { ParserOptions } from "../options.ts";
import { type LeftOut, leaveOut, type Member, membersContent } from "./members.ts";

/**
 * Most files of an archive and of those within it that are read, the most bytes of one and of all, the
 * deepest archive.
 */
const limits = { files: 1_000, bytes: 25 * 1024 ** 2, allBytes: 256 * 1024 ** 2, depth: 3 } as const;

/** What was read so far of the outermost archive, and the current depth in it. */
interface Opening {
  readonly depth: number;
  readonly count: { files: number; bytes: number };
}

/** A file in an archive, as its directory has it. */
interface Listed {
  readonly name: string;
  readonly sizeBytes: number;
}

const mib = (bytes: number): string => `${bytes / 1024 ** 2} MiB`;

/** Hidden files and those that macOS adds, which the ingest of a folder leaves out as well. */
const isHidden = (name: string): boolean =>
  name.split("/").some((part) => part.startsWith(".") || part.startsWith("~$") || part === "__MACOSX");

/** Why a file stays closed; undefined where it is read as `format`. */
function whyClosed(
  { name, sizeBytes }: Listed,
  format: Format | undefined,
  { depth, count }: Opening,
): string | undefined {
  if (isHidden(name)) return "hidden files are skipped";
  if (format === undefined) return "skipped: unsupported format";
  if (format === "image") return "skipped: OCR does not read images in archives";
  if (format === "zip" && depth >= limits.depth)
    return `skipped: archives are opened ${limits.depth} levels deep`;
  if (sizeBytes > limits.bytes) return `skipped: the limit for a file in an archive is ${mib(limits.bytes)}`;
  if (count.files >= limits.files) return `skipped: only ${limits.files} files of an archive are read`;
  return count.bytes + sizeBytes > limits.allBytes
    ? `skipped: the limit for all files in an archive is ${mib(limits.allBytes)}`
    : undefined;
}

/** Files of no extension, as `README` and `Makefile`, are text. */
const formatOf = (name: string): Format | undefined =>
  extname(name) === "" ? "text" : formatOfExtension(extname(name).toLowerCase());

async function readZip(
  bytes: Uint8Array,
  name: string,
  parserOf: NonNullable<ParserOptions["parserOf"]>,
  opening: Opening,
): Promise<ParsedContent> {
  await guardZip(bytes, name);
  const left: LeftOut = new Map();
  const inside = { ...opening, depth: opening.depth + 1 };
  async function* members(): AsyncGenerator<Member> {
    for await (const file of zipParts(bytes, name)) {
      const format = formatOf(file.name);
      const why = whyClosed(file, format, opening);
      if (why !== undefined || format === undefined) {
        leaveOut(left, why ?? "", file.name);
        continue;
      }
      opening.count.files += 1;
      opening.count.bytes += file.sizeBytes;
      const read = async (): Promise<ParsedContent> => {
        const own = await file.read();
        return format === "zip"
          ? await readZip(own, file.name, parserOf, inside)
          : await (await parserOf(format)).parse(own, { name: file.name });
      };
      yield { name: file.name, read };
    }
  }
  return await membersContent(name, members(), left);
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
    return await readZip(bytes, name, parserOf, { depth: 1, count: { files: 0, bytes: 0 } });
  },
});
