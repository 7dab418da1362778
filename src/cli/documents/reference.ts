import type { Command } from "commander";
import type { LocalApp } from "../../app/app.ts";
import { documentNamed } from "../../app/documents/documents.ts";
import type { Session } from "../shell/session.ts";

/** Flags of a command about one document. */
export interface DocumentFlags {
  readonly collection?: string;
}

/** How a document is named. */
export const documentReference = "id or unique prefix, name or path";

/** A command about one document; `--collection` distinguishes documents of the same name or path. */
export const aboutDocument = (command: Command): Command =>
  command
    .argument("<document>", documentReference)
    .option("-c, --collection <name>", "look only in this collection");

/**
 * The reference for the app: the document's id where a collection is given, else the typed text. @throws
 * NOT_FOUND
 */
export async function documentMeant(
  reference: string,
  { collection }: DocumentFlags,
  app: Pick<LocalApp, "documents">,
  { run }: Pick<Session, "run">,
): Promise<string> {
  if (collection === undefined) return reference;
  return documentNamed(reference, await app.documents([collection], run)).id;
}
