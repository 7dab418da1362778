import type { DocumentSummary } from "../app.ts";
import { RagctlError } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import { toNfc } from "../text.ts";

/** Names that are compared for a suggestion. */
const comparedNames = 5000;

/** The last part of a document's name, which is a path where a folder was ingested. */
export const baseName = ({ name }: Pick<DocumentSummary, "name">): string =>
  name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);

/** How a reference may be read. */
export interface ReferenceReading {
  /** Not by the last part of a name: a document goes, and another may be meant. Default false. */
  readonly isExact?: boolean;
  /** The absolute path that it is to who typed it. */
  readonly place?: string;
}

/**
 * A document by id, else by path, else by name, else by a path from where it was typed, else by the last part
 * of a name that only one has, else by the unique beginning of its id (4 characters or more), else by its
 * title or the first words of it; decomposed letters are the same as composed ones. @throws NOT_FOUND
 */
export function resolveDocument<
  Document extends Pick<DocumentSummary, "id" | "path" | "name" | "title" | "collection">,
>(reference: string, visible: readonly Document[], reading: ReferenceReading = {}): Document {
  const matches = matching(reference, visible, reading);
  const [document] = matches;
  if (document === undefined) throw documentNotFound(reference, visible);
  if (matches.length > 1) throw ambiguousReference(reference, matches);
  return document;
}

function matching<Document extends Pick<DocumentSummary, "id" | "path" | "name" | "title">>(
  reference: string,
  visible: readonly Document[],
  { isExact = false, place = reference }: ReferenceReading,
): readonly Document[] {
  const same = (text: string, wanted: string): boolean => toNfc(text) === toNfc(wanted);
  // Ids come first, so that a file named like an id cannot hide the document with that id.
  const fields = [
    ["id", reference],
    ["path", reference],
    ["name", reference],
    ["path", place],
  ] as const;
  for (const [field, wanted] of fields) {
    const matches = visible.filter((document) => same(document[field], wanted));
    const exact = matches.filter((document) => document[field] === wanted);
    if (matches.length > 0) return exact.length > 0 ? exact : matches;
  }
  const ending = isExact ? [] : visible.filter((document) => same(baseName(document), reference));
  if (ending.length > 0) return ending;
  const begun = /^[0-9a-f]{4,15}$/.test(reference)
    ? visible.filter(({ id }) => id.startsWith(reference))
    : [];
  return begun.length > 0 || isExact ? begun : titled(reference, visible);
}

/** Documents of that title, else those whose title begins with it, in whole words. */
function titled<Document extends Pick<DocumentSummary, "title">>(
  reference: string,
  visible: readonly Document[],
): readonly Document[] {
  const wanted = folded(reference);
  if (wanted === "") return [];
  const whole = visible.filter(({ title }) => folded(title) === wanted);
  if (whole.length > 0) return whole;
  return visible.filter(({ title }) => {
    const known = folded(title);
    return known.startsWith(wanted) && !/^[\p{L}\p{M}\p{N}]/u.test(known.slice(wanted.length));
  });
}

const folded = (text: string): string => toNfc(text).replace(/\s+/g, " ").trim().toLowerCase();

/** The error for a reference that fits no visible document, with the nearest name. */
export function documentNotFound(
  reference: string,
  visible: readonly Pick<DocumentSummary, "name" | "title">[],
): RagctlError {
  const names = visible
    .slice(0, comparedNames)
    .flatMap(({ name, title }) => (title === "" ? [name] : [name, title]));
  return new RagctlError("NOT_FOUND", `there is no document "${reference}"${didYouMean(reference, names)}`, {
    hint: "`ragctl list` shows every document with its id",
  });
}

function ambiguousReference(
  reference: string,
  matches: readonly Pick<DocumentSummary, "id" | "name" | "collection">[],
): RagctlError {
  const listed = matches.slice(0, 5).map(({ id, name, collection }) => `${id} (${name} in ${collection})`);
  const more = matches.length > 5 ? ` and ${matches.length - 5} more` : "";
  return new RagctlError(
    "NOT_FOUND",
    `"${reference}" matches ${matches.length} documents: ${listed.join(", ")}${more}`,
    { hint: "use an id" },
  );
}
