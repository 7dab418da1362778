import type { Command } from "commander";
import { Option } from "commander";
import type { SearchRequest, SearchResult } from "../../core/app.ts";
import { cellsOf } from "../../core/documents/cells.ts";
import type { ScoreParts } from "../../core/retrieval.ts";
import { excerpt, nothingFits, phaseLine, place } from "../../operations/text.ts";
import { searchShape } from "../../shapes/search.ts";
import { eachQuestion } from "../answers/batch.ts";
import { type FilterFlags, filterOptions, narrowedBy, requestFilters } from "../answers/filters.ts";
import { declared } from "../commands.ts";
import { collectionOption, milvusOption, rerankerOption, topKOption } from "../shell/options.ts";
import { openProgress } from "../shell/progress.ts";
import { action } from "../shell/session.ts";
import { noteUnavailable } from "../shell/unavailable.ts";

interface SearchFlags extends FilterFlags {
  readonly batch?: string;
  readonly topK?: number;
  readonly mode: SearchRequest["mode"];
  readonly explain?: boolean;
}

/** `ragctl search`: one question, or a file of them. */
export function registerSearch(program: Command): void {
  const command = declared(program, "search")
    .argument("[question...]", "question, or - to read it from stdin")
    .option("--batch <file>", "search for every line of a JSONL file of {id, query}, or - for stdin")
    .addOption(
      new Option("--mode <mode>", "search mode")
        .choices(["hybrid", "dense", "lexical", "colbert"])
        .default("hybrid"),
    )
    .option("--explain", "show how each score is composed")
    .addOption(collectionOption())
    .addOption(topKOption("number of passages to return"))
    .addOption(rerankerOption())
    .addOption(milvusOption());
  filterOptions(command).addHelpText(
    "after",
    '\nExample:\n  ragctl search "torque of the seal plate bolts" --top-k 3',
  );
  command.action(
    action(async (session, words: readonly string[], flags: SearchFlags) => {
      const app = await session.app();
      const topK = flags.topK ?? session.settings.retrieve.topK;
      const search = async (query: string): Promise<SearchResult> => {
        using progress = openProgress("", "", session.output);
        progress.stage("searching");
        const result = await app.search(
          { query, topK, mode: flags.mode, explain: flags.explain === true, ...requestFilters(flags) },
          session.run,
        );
        if (result.readAs !== undefined && session.output.format === "text")
          session.output.note(`read as: ${result.readAs}`);
        noteUnavailable(session.output, result.unavailable);
        return result;
      };
      await eachQuestion(words, flags.batch, session, {
        async one(query) {
          const result = await search(query);
          session.output.result({ text: searchText(result, flags), data: searchShape(result) });
          if (session.output.format === "text" && flags.explain === true)
            session.output.note(phaseLine(result.phases));
          if (result.found === false) session.exit(3);
        },
        line: async (query) => searchShape(await search(query)),
      });
    }),
  );
}

function searchText({ hits, found, query, readAs = query }: SearchResult, flags: FilterFlags): string {
  const by = narrowedBy(flags);
  if (hits.length === 0) return `nothing found${by === "" ? "" : ` with ${by}`}`;
  const lines = hits.flatMap(({ chunk, score, via, parts }, i) => [
    `${String(i + 1).padStart(2)}. ${place(chunk.sourceName, chunk.pages, chunk.headings.join(" › "), cellsOf(chunk))}  (${parts === undefined ? "" : `${via} ${score.toFixed(3)}, `}${chunk.collection})`,
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
