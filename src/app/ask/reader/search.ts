import type { Run } from "../../../core/run.ts";
import { z } from "../../../core/schema.ts";
import { type ReaderTool, readerTool, type ToolOutcome } from "../../../pipeline/answer/tools/tool.ts";
import { type GatheredHits, gatherDefaults, gatherPassages } from "../../../pipeline/retrieve/gather.ts";
import type { AskHome } from "../question.ts";
import { documentNamed, type ReaderScope, searchIn } from "./scope.ts";

const input = z.strictObject({
  query: z.string().trim().min(1).max(500).describe("Words or a question, in the words of the documents."),
  document: z.string().min(1).max(500).describe("Name of the only document to search.").optional(),
  pages: z
    .strictObject({ from: z.int().min(1), to: z.int().min(1) })
    .describe("Search these pages only.")
    .optional(),
});

/** Hits that a search returns, at most; the shelf shows those that are new. */
const hitsOfSearch = 12;

/** The tool that searches again, with words that the reader chose. */
export function searchTool(
  scope: ReaderScope,
  home: Pick<AskHome, "retrieval" | "documents" | "settings">,
  found: (gathered: GatheredHits) => void,
): ReaderTool {
  const { retrieval, settings } = home;
  const work = async ({ query, document, pages }: z.output<typeof input>, run: Run): Promise<ToolOutcome> => {
    const within =
      document === undefined ? {} : { documents: [(await documentNamed(document, scope, home)).id] };
    const request = searchIn(scope, {
      ...within,
      ...(pages === undefined ? {} : { pages }),
      topK: hitsOfSearch,
    });
    const { text } = await retrieval.spelt(query, request, run, scope.agent);
    const plan = { queries: [{ text, purpose: "question" as const, limit: hitsOfSearch }], reason: "reader" };
    const drivers = {
      retrieve: retrieval.drivers(run, scope.agent),
      settings: { ...gatherDefaults, lambda: settings.mmr.lambda },
    };
    const gathered = await gatherPassages(plan, request, drivers, run);
    found(gathered);
    const hits = await retrieval.widen(
      gathered.hits,
      hitsOfSearch,
      settings.answer.neighbours,
      request,
      run,
      scope.agent,
    );
    const where = document === undefined ? "" : ` in ${document}`;
    return { decided: `searching for “${query}”${where}: ${hits.length} passages`, hits };
  };
  const description =
    "Search the documents, by meaning and by words. Returns new passages; those shown already are named again.";
  return readerTool("search", description, input, work);
}
