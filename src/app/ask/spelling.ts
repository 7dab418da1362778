import type { SearchRequest } from "../../core/app.ts";
import type { ActingAgent } from "../../core/permission.ts";
import type { Run } from "../../core/run.ts";
import { mayNameMisspelt } from "../../language/asking/spelling.ts";
import type { SpeltQuestion } from "../../pipeline/retrieve/naming.ts";
import type { RetrieveDrivers, Retrieved } from "../../pipeline/retrieve/retrieve.ts";
import type { Home } from "../home.ts";

/**
 * The text with misspelt names of documents of collections as these are called.
 * @throws as a search of these collections
 */
export type Spelling = (
  text: string,
  request: Pick<SearchRequest, "collections" | "versions">,
  run: Run,
  agent?: ActingAgent | null,
) => Promise<SpeltQuestion>;

interface SpellingDrivers extends Pick<Home, "access" | "vectors"> {
  readonly catalogue: NonNullable<RetrieveDrivers["catalogue"]>;
  search(request: SearchRequest, run: Run, agent: ActingAgent | null): Promise<Pick<Retrieved, "hits">>;
}

/**
 * Reads misspelt names of documents as these are called. A word that the embedding model has whole, or that stands in
 * some passage that may be read, is right as it was typed.
 */
export function openSpelling({ search, catalogue, access, vectors }: SpellingDrivers): Spelling {
  const isRight = async (word: string, request: SearchRequest, run: Run, agent: ActingAgent | null) => {
    const { tokenizer } = await vectors.embedder();
    if (tokenizer.count(word) === 1) return true;
    return (await search({ ...request, query: word }, run, agent)).hits.length > 0;
  };
  return async (typed, { collections, versions = "latest" }, run, agent = null) => {
    if (!mayNameMisspelt(typed)) return { text: typed, misspelt: [] };
    const names = access.chosen(run, agent, collections).map(({ name }) => name);
    const called = catalogue(names, versions);
    const request = { query: typed, collections: names, topK: 1, mode: "lexical" as const, versions };
    const right = new Set<string>();
    for (;;) {
      const corrected = called.spelt(typed, right);
      const before = right.size;
      for (const { typed: word } of corrected.misspelt)
        if (await isRight(word, request, run, agent)) right.add(word.toLowerCase());
      // What is right after all leaves its place to others.
      if (right.size === before) return corrected;
    }
  };
}
