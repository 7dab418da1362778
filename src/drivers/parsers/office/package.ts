import { countWarning } from "../blocks.ts";
import { xmlProperties } from "../properties.ts";
import type { LoadXml } from "./xml.ts";
import { encryptedFileError, readParts } from "./zip.ts";

/**
 * Warnings for what a package holds in addition to its text: macros, embedded files, nested archives. None of
 * them is opened.
 */
export function packageWarnings(parts: readonly string[]): string[] {
  const warnings: string[] = [];
  if (parts.some((part) => /(^|\/)(vbaProject\.bin|vbaData\.xml)$|^Basic\//i.test(part)))
    warnings.push("the file contains macros; they were ignored");
  const embedded = parts.filter(
    (part) => /(^|\/)(embeddings|Object \d+)\/./.test(part) && !/\.xlsx$/i.test(part),
  );
  const archives = parts.filter((part) => /\.(zip|7z|rar|tar|gz|tgz|bz2|xz|jar)$/i.test(part));
  return [
    ...warnings,
    ...countWarning(embedded.length, "embedded object", "not opened"),
    ...countWarning(archives.length, "nested archive", "not opened"),
  ];
}

/** Properties of an Office file: built-in and custom ones. */
export const officeProperties = (parts: ReadonlyMap<string, string>, load: LoadXml) =>
  xmlProperties(...["core", "custom"].map((part) => load(parts.get(`docProps/${part}.xml`) ?? "")));

/** @throws SOURCE_ENCRYPTED when an OpenDocument package says that its parts are encrypted */
export async function assertOdfNotEncrypted(bytes: Uint8Array, name: string): Promise<void> {
  const part = "META-INF/manifest.xml";
  const manifest = (await readParts(bytes, name, (each) => each === part)).get(part) ?? "";
  if (/<(?:\w+:)?encryption-data\b/.test(manifest)) throw encryptedFileError(name);
}
