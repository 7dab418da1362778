import type { Company } from "../../app/company.ts";
import { documentNamed } from "../../app/documents/documents.ts";
import type { Run } from "../../core/run.ts";
import { z } from "../../core/schema.ts";
import { name } from "../fields.ts";
import { field } from "../operation.ts";

/** A document by its reference. */
export const document = field("<document>", z.string().min(1), "id or unique prefix, name or path");

/** A document; on the command line `--collection` distinguishes documents of the same name or path. */
export const addDocumentArgument = {
  document,
  collection: field("-c, --collection <name>", name.optional(), "look only in this collection", {
    only: "command",
  }),
};

/**
 * The reference for the app: the document's id where a collection is given, else the typed text. @throws
 * NOT_FOUND
 */
export async function resolveDocumentArgument(
  { document, collection }: { readonly document: string; readonly collection?: string | undefined },
  app: Pick<Company, "documents">,
  run: Run,
): Promise<string> {
  if (collection === undefined) return document;
  return documentNamed(document, await app.documents([collection], run)).id;
}
