import type { Command } from "commander";
import { Option } from "commander";
import type { SearchRequest, SearchResult } from "../core/app.ts";
import { searchShape } from "./answer-shapes.ts";
import { readBatch } from "./batch.ts";
import { collectionOption, type FilterFlags, filterOptions, requestFilters, topKOption } from "./options.ts";
import { action } from "./session.ts";
import { oneLine, phaseLine, place } from "./text.ts";
import { noteUnavailable } from "./unavailable.ts";

interface SearchFlags extends FilterFlags {
  readonly batch?: string;
  readonly topK?: number;
  readonly mode: SearchRequest["mode"];
}

/** `ragctl search`: one question, or a file of them. */
export function registerSearch(program: Command): void {
  const command = program
    .command("search")
    .description("find the passages nearest to a question, without asking a model; exit status 3 when nothing is found")
    .argument("[question...]", "the question")
    .option("--batch <file>", "search for every line of a JSONL file ({id, query} each; - for standard input)")
    .addOption(new Option("--mode <mode>", "routes to use").choices(["hybrid", "dense", "lexical"]).default("hybrid"))
    .addOption(collectionOption())
    .addOption(topKOption("hits to return"));
  filterOptions(command).addHelpText("after", '\nExample:\n  ragctl search "torque of the seal plate bolts" --top-k 3');
  command.action(
    action(async (session, words: readonly string[], flags: SearchFlags) => {
      const app = await session.app();
      const topK = flags.topK ?? session.settings.retrieve.topK;
      for await (const { id, query } of readBatch(words, flags.batch)) {
        const result = await app.search({ query, topK, mode: flags.mode, ...requestFilters(flags) }, session.run);
        const shape = searchShape(result);
        noteUnavailable(session.output, result.unavailable);
        if (id !== undefined) session.output.line({ id, ...shape });
        else {
          session.output.result({ text: searchText(result), data: shape });
          if (result.hits.length === 0) session.exit(3);
        }
      }
    }),
  );
}

function searchText({ hits, phases }: SearchResult): string {
  if (hits.length === 0) return "nothing was found";
  const lines = hits.flatMap(({ chunk, score, via }, i) => [
    `${String(i + 1).padStart(2)}. ${place(chunk.sourceName, chunk.pages, chunk.headings.join(" › "))}  (${via} ${score.toFixed(3)}, ${chunk.collection})`,
    `    ${oneLine(chunk.text, 200)}`,
  ]);
  return [...lines, "", phaseLine(phases)].join("\n");
}
