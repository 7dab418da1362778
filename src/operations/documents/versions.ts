import { type Canary, hint, named, write } from "../../app/audit/attempt.ts";
import { z } from "../../core/schema.ts";
import { type DocumentHistory, diffShape, historyShape } from "../../shapes/documents.ts";
import { versionText } from "../fields.ts";
import { defined, type Field, field, operation, type Probe } from "../operation.ts";
import { type Text, tableOf } from "../result-text.ts";
import { bytes, singleLine, timeOf } from "../text.ts";
import { addDocumentArgument, document, resolveDocumentArgument } from "./reference.ts";

const version = z.int().min(1);

/** A version by its number, also as `ragctl history` shows it: `v2`. */
const numbered = <S extends z.ZodType>(form: string, schema: S): Field<S> =>
  field(form, schema, "version number, as listed by `ragctl history`", { normalize: versionText });

/** A canary by its id and by its name. */
const byIdAndName = ({ document: { id }, word }: Canary, rest: Probe) =>
  [
    { ...rest, input: { ...rest.input, document: id }, by: "by id" },
    { ...rest, input: { ...rest.input, document: `${word}.md` }, by: "by name" },
  ] as const;
const likely = { ...named, ...hint };

/** The versions of a document. */
export const history = operation({
  name: "history",
  input: addDocumentArgument,
  document: "history",
  examples: ["ragctl history policy_handbook.pdf"],
  http: { route: "GET /v1/documents/{document}/versions", tag: "Documents", answer: "Its history" },
  attempt: (canary) => byIdAndName(canary, named),
  run: async (app, input, { run }) =>
    app.background.history(await resolveDocumentArgument(input, app, run), run),
  print: historyShape,
  text: historyText,
});

/** The text of two versions, compared. */
export const diff = operation({
  name: "diff",
  input: {
    ...addDocumentArgument,
    from: numbered("[from]", version.optional()),
    to: numbered("[to]", version.optional()),
  },
  document: "diff",
  examples: ["ragctl diff policy_handbook.pdf 1 2"],
  http: { route: "GET /v1/documents/{document}/diff", tag: "Documents", answer: "The difference" },
  attempt: (canary) => [
    ...byIdAndName(canary, likely),
    ...byIdAndName(canary, { ...likely, input: { from: 1, to: 1 } }),
  ],
  run: async (app, { from, to, ...meant }, { run }) =>
    app.background.diff(await resolveDocumentArgument(meant, app, run), defined({ from, to }), run),
  print: diffShape,
  text: ({ from, to, patch, document: { name } }) =>
    patch === "" ? `version ${from} and version ${to} of ${singleLine(name)} have the same text` : patch,
});

/** An earlier version made current again. */
export const restore = operation({
  name: "restore",
  input: { document, version: numbered("<version>", version) },
  document: "history",
  examples: ["ragctl restore policy_handbook.pdf 1"],
  http: { route: "POST /v1/documents/{document}/restore", tag: "Documents", answer: "Its history" },
  attempt: (canary) => byIdAndName(canary, { ...write, input: { version: 1 } }),
  run: (app, input, { run }) => app.background.restore(input.document, input.version, run),
  print: historyShape,
  text: historyText,
});

function historyText({ document, versions }: DocumentHistory): Text {
  const table = tableOf(versions, {
    version: ({ version }) => `v${version}`,
    state: ({ isLatest, kept }) => (isLatest ? "visible" : kept ? "kept" : "gone"),
    since: ({ at }) => timeOf(at),
    size: ({ sizeBytes }) => bytes(sizeBytes),
    chunks: ({ chunks }) => chunks,
    sha256: ({ sha256 }) => sha256.slice(0, 8),
    by: ({ origin }) => origin,
    name: ({ name }) => singleLine(name),
  });
  return [`${document.id} ${singleLine(document.path)}`, table];
}
