import type { SearchRequest } from "../../core/app.ts";
import type { ActingAgent } from "../../core/permission.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import {
  indexNames,
  mayContainMisspeltName,
  plainWordsIn,
  withCorrectedWords,
} from "../../language/asking/spelling.ts";
import type { Catalogue, SpeltQuestion } from "../../pipeline/retrieve/naming.ts";
import type { RetrieveDrivers, Retrieved } from "../../pipeline/retrieve/retrieve.ts";
import type { Home } from "../home.ts";

/**
 * The text with its misspelt words as documents and passages spell them.
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

/** Passages near a question whose words a misspelt one may be meant to be. */
const nearPassages = 20;

/** What one reading of a question searches. */
interface Reading {
  readonly isWhole: (word: string) => boolean;
  readonly find: (query: string, mode: "hybrid" | "lexical", topK: number) => Promise<readonly Hit[]>;
}

/**
 * Corrects misspelt names of documents to those names, and other misspelt words to their spelling in passages
 * near the question. A word that is one token of the embedding model, or that occurs in a readable passage,
 * is correct as typed.
 */
export function createSpellingCorrection({ search, catalogue, access, vectors }: SpellingDrivers): Spelling {
  return async (typed, { collections, versions = "latest" }, run, agent = null) => {
    const words = plainWordsIn(typed);
    if (words.length === 0 && !mayContainMisspeltName(typed)) return { text: typed, misspelt: [] };
    const { tokenizer } = await vectors.embedder();
    const names = (await access.chosen(run, agent, collections)).map(({ name }) => name);
    const reading: Reading = {
      isWhole: (word) => tokenizer.count(word) === 1,
      find: async (query, mode, topK) =>
        (await search({ query, collections: names, topK, mode, versions }, run, agent)).hits,
    };
    const called = await spellNames(typed, await catalogue(names, versions), reading);
    const others = await spellWords(called.text, words, reading);
    return { text: others.text, misspelt: [...called.misspelt, ...others.misspelt] };
  };
}

async function spellNames(
  typed: string,
  catalogue: Catalogue,
  { isWhole, find }: Reading,
): Promise<SpeltQuestion> {
  const right = new Set<string>();
  for (;;) {
    const corrected = catalogue.spelt(typed, right);
    const before = right.size;
    for (const { typed: word } of corrected.misspelt)
      if (isWhole(word) || (await find(word, "lexical", 1)).length > 0) right.add(word.toLowerCase());
    // What is right after all leaves its place to others.
    if (right.size === before) return corrected;
  }
}

const lettersOf = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

async function spellWords(
  text: string,
  words: readonly string[],
  { isWhole, find }: Reading,
): Promise<SpeltQuestion> {
  const strange = words.filter((word) => !isWhole(word));
  const wrong: string[] = [];
  for (const word of strange) if ((await find(word, "lexical", 1)).length === 0) wrong.push(word);
  if (wrong.length === 0) return { text, misspelt: [] };
  const passages = (await find(text, "hybrid", nearPassages)).map(({ chunk }) => ({
    document: chunk.documentId,
    words: new Set(lettersOf(chunk.text)),
  }));
  const known = indexNames(new Set(passages.flatMap((passage) => [...passage.words])));
  const corrected = withCorrectedWords(text, wrong, known);
  const holdersOf = (name: string): readonly string[] => [
    ...new Set(passages.filter((passage) => passage.words.has(name)).map(({ document }) => document)),
  ];
  return {
    ...corrected,
    misspelt: corrected.misspelt.map((each) => ({ ...each, documents: holdersOf(each.name) })),
  };
}
