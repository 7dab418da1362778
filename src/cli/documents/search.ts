import type { Command } from "commander";
import type { SearchResult } from "../../core/app.ts";
import { cellsOf } from "../../core/documents/cells.ts";
import type { ScoreParts } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import { narrowedTo } from "../../operations/answers/narrowing.ts";
import { searchFields } from "../../operations/answers/search.ts";
import { text, toggle, under } from "../../operations/fields.ts";
import type { InputOf } from "../../operations/operation.ts";
import { excerpt, location, nothingFits, phaseLine } from "../../operations/text.ts";
import { searchShape } from "../../shapes/search.ts";
import { forEachQuestion } from "../answers/batch.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { questionField, settingFields } from "../shell/options.ts";
import { createProgress } from "../shell/progress.ts";
import { warnUnavailable } from "../shell/unavailable.ts";

const { rerankerModel, milvusUri } = settingFields;
const { mode, top_k, ...narrowing } = searchFields;
const modes = z.enum(["hybrid", "dense", "lexical", "colbert"]);
const input = {
  words: questionField,
  ...under("Question:", {
    batch: text("--batch <file>", "search for every line of a JSONL file of {id, query}, or - for stdin"),
    mode: { ...mode, schema: modes.default("hybrid") },
    top_k,
  }),
  ...narrowing,
  ...under("Models and stores:", { rerankerModel, milvusUri }),
  ...under("Output:", { explain: toggle("--explain", "show how each score is composed") }),
};
const examples = ['ragctl search "torque of the seal plate bolts" --top-k 3'];

/** `ragctl search`: one question, or a file of them. */
export function registerSearch(program: Command): void {
  defineCommand(declare(program, "search"), { input, examples }, async (session, typed) => {
    const { output, run, settings } = session;
    const { words, batch, mode, explain, top_k: topK = settings.retrieve.topK, ...rest } = typed;
    const app = await session.app();
    const search = async (query: string): Promise<SearchResult> => {
      using progress = createProgress("", "", output);
      progress.stage("searching");
      const result = await app.search({ query, topK, mode, explain, ...narrowedTo(rest) }, run);
      if (result.readAs !== undefined && output.format === "text") output.note(`read as: ${result.readAs}`);
      warnUnavailable(output, result.unavailable);
      return result;
    };
    await forEachQuestion(words, batch, session, {
      async one(query) {
        const result = await search(query);
        output.result({ text: searchText(result, describeFilters(rest)), data: searchShape(result) });
        if (output.format === "text" && explain) output.note(phaseLine(result.phases));
        if (result.found === false) session.exit(3);
      },
      line: async (query) => searchShape(await search(query)),
    });
  });
}

/** The flags that narrowed a search: `--type, --since`; "" where none did. */
const describeFilters = (input: Partial<InputOf<typeof narrowing>>): string =>
  Object.entries(narrowing)
    .filter(([name]) => name !== "all_versions" && Reflect.get(input, name) !== undefined)
    .map(([, { form }]) => /--[a-z-]+/.exec(form)?.[0])
    .join(", ");

function searchText({ hits, found, query, readAs = query }: SearchResult, by: string): string {
  if (hits.length === 0) return `nothing found${by === "" ? "" : ` with ${by}`}`;
  const lines = hits.flatMap(({ chunk, score, via, parts }, i) => [
    `${String(i + 1).padStart(2)}. ${location(chunk.sourceName, chunk.pages, chunk.headings.join(" › "), cellsOf(chunk))}  (${parts === undefined ? "" : `${via} ${score.toFixed(3)}, `}${chunk.collection})`,
    ...(parts === undefined ? [] : [`    = ${partsLine(parts)}`]),
    `    ${excerpt(chunk.text, readAs, 200)}`,
  ]);
  return [...(found === false ? [nothingFits] : []), ...lines].join("\n");
}

/** `fused 0.612 + kind 0.550 − name 0.200`, largest first. */
function partsLine(parts: ScoreParts): string {
  return Object.entries(parts)
    .sort(([, one], [, two]) => Math.abs(two) - Math.abs(one))
    .map(
      ([name, part], at) => `${part < 0 ? "− " : at === 0 ? "" : "+ "}${name} ${Math.abs(part).toFixed(3)}`,
    )
    .join(" ");
}
