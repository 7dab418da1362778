import type { DocumentSummary } from "../app.ts";
import { RagctlError } from "../errors.ts";
import { didYouMean } from "../nearest.ts";

/** Names that are compared for a suggestion. */
const comparedNames = 5000;

/** The last part of a document's name, which is a path where a folder was ingested. */
export const baseName = ({ name }: Pick<DocumentSummary, "name">): string =>
  name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);

/**
 * A document by id, else by path, else by name, else by the last part of a name that only one has, else by the
 * unique beginning of its id (4 characters or more). `isExact`: not by the last part, where a document goes that
 * is not meant. @throws NOT_FOUND
 */
export function documentByReference<
  Document extends Pick<DocumentSummary, "id" | "path" | "name" | "collection">,
>(reference: string, visible: readonly Document[], isExact = false): Document {
  const matches = matching(reference, visible, isExact);
  const [document] = matches;
  if (document === undefined) throw documentNotFound(reference, visible);
  if (matches.length > 1) throw ambiguousReference(reference, matches);
  return document;
}

function matching<Document extends Pick<DocumentSummary, "id" | "path" | "name">>(
  reference: string,
  visible: readonly Document[],
  isExact: boolean,
): readonly Document[] {
  // In this order, so that nobody who names a file like an id stands in the way of it.
  for (const field of ["id", "path", "name"] as const) {
    const matches = visible.filter((document) => document[field] === reference);
    if (matches.length > 0) return matches;
  }
  const ending = isExact ? [] : visible.filter((document) => baseName(document) === reference);
  if (ending.length > 0) return ending;
  return /^[0-9a-f]{4,15}$/.test(reference) ? visible.filter(({ id }) => id.startsWith(reference)) : [];
}

/** The error for a reference that fits no visible document, with the nearest name. */
export function documentNotFound(
  reference: string,
  visible: readonly Pick<DocumentSummary, "name">[],
): RagctlError {
  const names = visible.slice(0, comparedNames).map(({ name }) => name);
  return new RagctlError("NOT_FOUND", `there is no document "${reference}"${didYouMean(reference, names)}`, {
    hint: "ragctl list shows every document with its id",
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
    `"${reference}" fits ${matches.length} documents: ${listed.join(", ")}${more}`,
    { hint: "name one by its id" },
  );
}
