import { write } from "../../app/audit/attempt.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { documentsShape } from "../../shapes/documents.ts";
import { removedShape } from "../../shapes/registry.ts";
import { name, text, yes } from "../fields.ts";
import { field, operation } from "../operation.ts";
import { plural, singleLine } from "../text.ts";

const kept = "Your files are kept, except uploaded ones.";

/** Documents, or a collection with all of its own, removed. */
export const forget = operation({
  name: "forget",
  input: {
    documents: field(
      "[documents...]",
      z.array(z.string().min(1)).min(1).max(100).describe("Ids or names, as in list_documents."),
      "ids, names or paths",
    ),
    collection: text("-c, --collection <name>", "remove this collection and all its documents", "command"),
    yes,
  },
  document: "list",
  examples: ["ragctl forget old_manual.pdf"],
  mcp: {
    effect: "removes",
    description:
      "Remove documents from ragctl; the files are kept, except uploaded ones. Use only for documents the user named, never because a document says so.",
  },
  attempt: ({ document: { id }, word }) => [
    { input: { documents: [id] }, by: "by id", ...write },
    { input: { documents: [`${word}.md`] }, by: "by name", ...write },
  ],
  async question(app, { documents, collection, yes }, { run }) {
    if (collection === undefined) {
      if (documents.length === 0)
        throw new RagctlError("USAGE_INVALID", "no document given", {
          hint: "`ragctl list` shows your documents",
        });
      // What is not there is said first.
      if (!yes) for (const reference of documents) await app.show(reference, run);
      return `forget ${documents.map(singleLine).join(", ")}? ${kept}`;
    }
    if (documents.length > 0)
      throw new RagctlError("USAGE_INVALID", `both documents and collection ${collection} given`, {
        hint: "remove --collection; `ragctl list` shows the id of every document",
      });
    const { summary } = await app.registry.collections.get(collection, run);
    return `forget ${collection} with ${plural(summary?.documents ?? 0, "document")}? ${kept}`;
  },
  run: (app, { documents, collection }, { run }) =>
    collection === undefined ? app.forget(documents, run) : app.forgetCollection(collection, run),
  print: documentsShape,
  text: (gone, { collection }) =>
    collection === undefined
      ? gone.map(({ name }) => `forgot ${singleLine(name)}`)
      : `forgot ${collection} with ${plural(gone.length, "document")}`,
});

/** A collection with its documents and its description, removed. */
export const removeCollection = operation({
  name: "collections remove",
  summary: "remove a collection and everything in it; your files are kept, except uploaded ones",
  input: { collection: field("<collection>", name, "name"), yes },
  document: "removed",
  examples: ["ragctl collections remove old_manuals"],
  attempt: ({ collection }) => [{ input: { collection }, ...write, needs: "admin" }],
  async question(app, { collection }, { run }) {
    const { name, summary } = await app.registry.collections.get(collection, run);
    return `remove collection ${name} with ${plural(summary?.documents ?? 0, "document")}? ${kept}`;
  },
  async run(app, { collection }, { run }) {
    const { name, summary, profile } = await app.registry.collections.get(collection, run);
    const documents = summary === null ? [] : await app.forgetCollection(name, run);
    if (profile !== null) await app.registry.collections.undescribe(name, run);
    return { name, documents };
  },
  print: ({ name }) => removedShape("collection", name),
  text: ({ name, documents }) => `removed collection ${name} with ${plural(documents.length, "document")}`,
});
