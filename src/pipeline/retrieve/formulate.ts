import type { SearchRequest } from "../../core/app.ts";
import type { Hit } from "../../core/retrieval.ts";
import { expandAbbreviations, shortForms } from "../../language/asking/abbreviations.ts";
import { stripFormat } from "../../language/asking/answer-form.ts";
import { searchText } from "../../language/asking/search-text.ts";
import { asksForReason } from "../../language/asking/values.ts";
import { longFormOf } from "../../language/synonyms.ts";
import { questionFeatures, type Sought } from "./features.ts";
import type { Companion, Glossary } from "./glossary.ts";
import {
  type Catalogue,
  findNamedDocuments,
  maxNamedDocuments,
  type Naming,
  type NamingWeights,
} from "./naming.ts";
import { distinctPages } from "./pages.ts";
import type { FeatureWeights } from "./rescore.ts";

/** How questions are interpreted before the search, and how page features are weighted. */
export interface Ranking {
  readonly glossary: Glossary;
  readonly weights: FeatureWeights;
}

/** How far a text names each document, and the documents it names, best first. */
export interface Namings {
  readonly byDocument: ReadonlyMap<string, Naming>;
  readonly documents: ReturnType<typeof findNamedDocuments>;
}

/** A text prepared for the search routes. */
export interface Search {
  /** Text to embed. */
  readonly dense: string;
  /** Text for BM25. */
  readonly lexical: string;
  readonly namings: Namings;
  /** An additional search; absent if the text has no term of the glossary, or no ranking is used. */
  readonly companion?: Companion | undefined;
  readonly sought?: Sought;
}

export interface FormulateOptions {
  readonly request: Omit<SearchRequest, "query">;
  readonly catalogue: Catalogue | undefined;
  readonly settings: NamingWeights;
  readonly ranking: Ranking | undefined;
}

const isOneRoute = ({ mode }: Pick<SearchRequest, "mode">): boolean => mode === "dense" || mode === "lexical";

/**
 * Prepares a text for the search. Single-route searches use it unchanged, so that routes can be compared;
 * otherwise the documents it names are recognised, even if misspelt. With a ranking it is searched
 * 1. without instructions on the form of the answer,
 * 2. in BM25 also without the names of its documents, which occur on nearly all of their pages,
 * 3. together with a companion in the documents' vocabulary, if the glossary has one.
 */
export function formulate(text: string, { request, catalogue, settings, ranking }: FormulateOptions): Search {
  const plain = { dense: text, lexical: text, namings: noNamings };
  if (isOneRoute(request)) return plain;
  const namings = request.documents === undefined ? readNamings(text, catalogue, settings) : noNamings;
  if (ranking === undefined) return { ...plain, namings };
  const dense = searchText(text);
  const about = request.documents ?? namings.documents.map(({ id }) => id);
  const isFew = about.length <= maxNamedDocuments;
  const lexical = (isFew ? catalogue?.without(dense, about) : undefined) ?? dense;
  const glossed = ranking.glossary.companionOf(text);
  // Reasons are given in running text, not on the statement pages a companion looks for.
  const companion =
    glossed !== undefined && glossed.heads.length > 0 && asksForReason(dense) ? undefined : glossed;
  return {
    dense,
    lexical,
    namings,
    companion,
    sought: questionFeatures(lexical, text, companion?.heads ?? []),
  };
}

const noNamings: Namings = { byDocument: new Map(), documents: [] };

function readNamings(text: string, catalogue: Catalogue | undefined, settings: NamingWeights): Namings {
  if (catalogue === undefined) return noNamings;
  const byDocument = catalogue.name(stripFormat(text));
  return { byDocument, documents: findNamedDocuments(byDocument, settings) };
}

/**
 * The wordings to search a query by: the query itself, and one with its abbreviations spelled out, since a
 * document may have only the long form. Single-route searches use the query unchanged.
 */
export const queryVariants = ({ query, mode }: Pick<SearchRequest, "query" | "mode">): readonly string[] =>
  mode === "hybrid" ? [...new Set([query, expandAbbreviations(query)])] : [query];

/** Results of one wording. */
interface Found {
  readonly hits: readonly Hit[];
  readonly vectors: ReadonlyMap<string, Float32Array>;
  /** Best cosine of any passage; absent if no dense route ran. */
  readonly cosine?: number;
}

/** The highest cosine; empty if there is none. */
export function bestCosine(found: readonly { readonly cosine?: number | undefined }[]): {
  readonly cosine?: number;
} {
  const cosines = found.flatMap(({ cosine }) => cosine ?? []);
  return cosines.length === 0 ? {} : { cosine: Math.max(...cosines) };
}

/**
 * Combines the results of a query's wordings. If passages contain its abbreviations, the query's own results
 * suffice; otherwise each hit gets its best score, and the cosine is the best of all.
 */
export function mergeBest<T extends Found>(
  query: string,
  [own, ...others]: readonly [T, ...T[]],
  limit: number,
): T {
  if (others.length === 0 || hasAbbreviations(query, own.hits)) return own;
  const best = new Map<string, Hit>();
  for (const hit of [own, ...others].flatMap(({ hits }) => hits))
    if (hit.score > (best.get(hit.chunk.id)?.score ?? Number.NEGATIVE_INFINITY)) best.set(hit.chunk.id, hit);
  const ranked = [...best.values()].sort((one, two) => two.score - one.score);
  const vectors = new Map([own, ...others].flatMap((each) => [...each.vectors]));
  return { ...own, hits: distinctPages(ranked, limit), vectors, ...bestCosine([own, ...others]) };
}

/** Whether passages contain every abbreviation of a query that has a long form. */
function hasAbbreviations(query: string, hits: readonly Hit[]): boolean {
  const known = shortForms(query).filter((word) => longFormOf(word).length > 0);
  const held = new Set(
    hits.flatMap(({ chunk }) => shortForms([chunk.title, ...chunk.headings, chunk.text].join("\n"))),
  );
  return known.every((word) => held.has(word));
}
