import { type Attempt, metadataKeyOf, named, withTypo } from "../../app/audit/attempt.ts";
import { z } from "../../core/schema.ts";
import { visibleCharacter } from "../../core/text.ts";
import { searchShape } from "../../shapes/search.ts";
import { passages } from "../fields.ts";
import { field, operation, type Probe } from "../operation.ts";
import { narrowedTo, narrowingFields } from "./narrowing.ts";

/** A question, as routes and tools take it. */
export const question = z.string().max(8000).regex(visibleCharacter, "must not be empty");

const modes = z.enum(["hybrid", "dense", "lexical"]).default("hybrid");
const modeHelp =
  "dense matches meaning; lexical matches exact words, names and numbers; hybrid combines both.";

/** How documents are searched. */
export const searchFields = {
  mode: field("--mode <mode>", modes.describe(modeHelp), "search mode"),
  top_k: passages("to return"),
  ...narrowingFields,
};

/** The passages closest to a question; the command, which reads many questions too, is in cli/. */
export const search = operation({
  name: "search",
  isCommand: false,
  input: { query: field("<query>", question, "question or keywords"), ...searchFields },
  document: "search",
  http: {
    route: "POST /v1/search",
    tag: "Questions",
    summary: "Find the passages that best match a question, without a language model",
    answer: "Passages, best first",
  },
  mcp: {
    effect: "reads",
    description:
      "Find the passages that best match a question, with document and page. Uses no language model. Use it to read the evidence yourself, and ask to get a finished answer.",
  },
  attempt(canary) {
    const { question: query, collection, document, word } = canary;
    const way = (by: string, narrowing: object, rest: Partial<Attempt> = {}): Probe => ({
      ...{ by, input: { query, top_k: 50, ...narrowing } },
      ...rest,
    });
    const key = metadataKeyOf(canary);
    const slipped = withTypo(key);
    const slip = { ...named, onlyDenied: true };
    return [
      way("by both", {}),
      way("by meaning", { mode: "dense" }),
      way("in every version", { versions: "all" }),
      way("by words", { mode: "lexical" }),
      way("in the document", { documents: [document.id] }),
      way("by its metadata", { meta: [`${key}=${word}`] }, { ...named, typed: [query, word] }),
      way("by a slip in a key", { meta: [`${slipped}=${word}`] }, { ...slip, typed: [query, word, slipped] }),
      way("in the collection", { collections: [collection] }, named),
      way("in a slip of the collection", { collections: [withTypo(collection)] }, slip),
    ];
  },
  run: (app, { query, mode, top_k, ...rest }, { run, topK }) =>
    app.search({ query, mode, topK: top_k ?? topK, ...narrowedTo(rest) }, run),
  print: searchShape,
  text: ({ query }) => query,
});
