import { hint, named, ownerOnly } from "../../app/audit/attempt.ts";
import { z } from "../../core/schema.ts";
import { type CollectionView, collectionListShape, collectionShape } from "../../shapes/registry.ts";
import { requireAnyOption } from "../company/config.ts";
import { name } from "../fields.ts";
import { defined, field, type Operation, operation } from "../operation.ts";
import { fieldTable, listed, type PrintedTable } from "../result-text.ts";
import { oneLine } from "../text.ts";
import { removeCollection } from "./removal.ts";

const tag = "Company";
const collection = field("<collection>", name, "name");

/** What operations that show one collection have in common. */
const shown = {
  document: "collection",
  print: (view: CollectionView) => collectionShape(view),
  text(view: CollectionView): PrintedTable {
    const { schema_version: _, ingested, grants, ...fields } = collectionShape(view);
    const rules = grants.map(
      ({ subject_kind, subject, effect, level }) => `${effect} ${level} to ${subject_kind} ${subject}`,
    );
    return fieldTable({ ...fields, ...ingested, grants: rules });
  },
};

/** The readable collections. */
export const listCollections = operation({
  name: "collections list",
  summary: "list the collections you can read",
  input: {},
  document: "collections",
  lines: "collections",
  examples: ["ragctl collections list"],
  http: { route: "GET /v1/collections", tag, answer: "Collections" },
  mcp: {
    effect: "reads",
    name: "list_collections",
    description:
      "List the collections you can search, with their number of documents and their descriptions. Use it to choose where to search.",
  },
  attempt: () => [{}],
  run: (app, _, { run }) => app.registry.collections.list(run),
  print: collectionListShape,
  text: (views) =>
    listed(views, "no collections; `ragctl ingest PATH` creates one", {
      collection: ({ name }) => name,
      instance: ({ summary, profile }) => summary?.instance ?? profile?.instance ?? "",
      documents: ({ summary }) => summary?.documents ?? 0,
      chunks: ({ summary }) => summary?.chunks ?? 0,
      embedder: ({ summary }) => summary?.embedder ?? "",
      lexical: ({ summary }) => summary?.lexical ?? "",
      department: ({ profile }) => profile?.department ?? "",
      description: ({ profile }) => oneLine(profile?.description ?? "", 50),
    }),
});

const show = operation({
  ...shown,
  name: "collections show",
  summary: "show a collection, its description and its grants",
  input: { collection },
  examples: ["ragctl collections show hr_private_docs"],
  http: { route: "GET /v1/collections/{collection}", tag, answer: "The collection" },
  attempt: ({ collection }) => [{ input: { collection }, ...named, ...hint }],
  run: (app, input, { run }) => app.registry.collections.get(input.collection, run),
});

const describe = operation({
  ...shown,
  name: "collections describe",
  summary: "set a collection's description, department or instance, even before it has documents",
  input: {
    collection,
    description: field("--description <text>", z.string().optional(), "what its documents are about"),
    department: field("--department <name>", z.string().optional(), "department it belongs to"),
    instance: field(
      "--instance <instance>",
      z.enum(["public", "private"]).optional(),
      "public: every principal can read it; private: only principals with a grant (default: the current one, else as the name says)",
    ),
  },
  examples: ['ragctl collections describe manuals --description "Manuals of pumps and compressors."'],
  attempt: ({ collection }) => [{ input: { collection, description: "none" }, ...ownerOnly }],
  run(app, { collection, ...rest }, { run }) {
    const patch = defined(rest);
    requireAnyOption(patch, "collections describe");
    return app.registry.collections.describe(collection, patch, run);
  },
});

/** Collections, their purpose and their permissions; cli/ has those that confirm or show progress. */
export const collections: readonly Operation[] = [listCollections, show, describe, removeCollection];
