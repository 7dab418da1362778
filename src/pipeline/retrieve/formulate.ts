import type { SearchRequest } from "../../core/app.ts";
import type { Hit } from "../../core/retrieval.ts";
import { shortForms, spelledOut } from "../../language/asking/abbreviations.ts";
import { withoutAnswerForm } from "../../language/asking/answer-form.ts";
import { searchText } from "../../language/asking/search-text.ts";
import { asksForReason } from "../../language/asking/values.ts";
import { longFormOf } from "../../language/synonyms.ts";
import { readSought, type Sought } from "./features.ts";
import type { Companion, Glossary } from "./glossary.ts";
import { type Catalogue, mostNamed, type Naming, type NamingWeights, namedIn } from "./naming.ts";
import { distinctPages } from "./pages.ts";
import type { FeatureWeights } from "./weigh.ts";

/** How questions are read before they are searched, and what their pages show weighs. */
export interface Ranking {
  readonly glossary: Glossary;
  readonly weights: FeatureWeights;
}

/** How far a text names each document, and those that it names, best first. */
export interface Namings {
  readonly byDocument: ReadonlyMap<string, Naming>;
  readonly documents: ReturnType<typeof namedIn>;
}

/** One text as it is searched. */
export interface Search {
  /** What is embedded. */
  readonly dense: string;
  /** What BM25 looks for. */
  readonly lexical: string;
  readonly namings: Namings;
  /** Searched beside it; absent where the text has no term of the glossary, or no ranking is used. */
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
 * How a text is searched. A search by one route alone takes it as it is, so that the routes can be compared;
 * else its documents are read from it, also under a misspelt name, and with a ranking it is searched
 * 1. without what it says of the answer's form,
 * 2. by BM25 also without the names of the documents it is about, which within them are on every page,
 * 3. beside a companion in the words of documents, where the glossary has one.
 */
export function formulate(text: string, { request, catalogue, settings, ranking }: FormulateOptions): Search {
  const plain = { dense: text, lexical: text, namings: noNamings };
  if (isOneRoute(request)) return plain;
  const namings = request.documents === undefined ? readNamings(text, catalogue, settings) : noNamings;
  if (ranking === undefined) return { ...plain, namings };
  const dense = searchText(text);
  const about = request.documents ?? namings.documents.map(({ id }) => id);
  const isFew = about.length <= mostNamed;
  const lexical = (isFew ? catalogue?.without(dense, about) : undefined) ?? dense;
  const glossed = ranking.glossary.companionOf(text);
  // A reason stands in prose: the kinds of pages that have the figures give none.
  const companion =
    glossed !== undefined && glossed.heads.length > 0 && asksForReason(dense) ? undefined : glossed;
  return { dense, lexical, namings, companion, sought: readSought(lexical, text, companion?.heads ?? []) };
}

const noNamings: Namings = { byDocument: new Map(), documents: [] };

function readNamings(text: string, catalogue: Catalogue | undefined, settings: NamingWeights): Namings {
  if (catalogue === undefined) return noNamings;
  const byDocument = catalogue.name(withoutAnswerForm(text));
  return { byDocument, documents: namedIn(byDocument, settings) };
}

/**
 * The wordings that one query is searched by: itself and, where it has abbreviations, with their long forms, which
 * may be all that a document has. A search by one route takes the query as it is.
 */
export const wordingsOf = ({ query, mode }: Pick<SearchRequest, "query" | "mode">): readonly string[] =>
  mode === "hybrid" ? [...new Set([query, spelledOut(query)])] : [query];

/** What one wording found. */
interface Found {
  readonly hits: readonly Hit[];
  readonly vectors: ReadonlyMap<string, Float32Array>;
  /** Best cosine of any passage; absent where no dense route ran. */
  readonly cosine?: number;
}

/** The best cosine of all that have one; empty where none does. */
export function nearestOf(found: readonly { readonly cosine?: number | undefined }[]): {
  readonly cosine?: number;
} {
  const cosines = found.flatMap(({ cosine }) => cosine ?? []);
  return cosines.length === 0 ? {} : { cosine: Math.max(...cosines) };
}

/**
 * What the wordings of one query found, with the rest of what the query itself found. Where passages have its
 * abbreviations as they are, that is all; else each hit has its best score, and the cosine is the best of all.
 */
export function bestOfEach<T extends Found>(
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
  return { ...own, hits: distinctPages(ranked, limit), vectors, ...nearestOf([own, ...others]) };
}

/** Whether passages hold each abbreviation of a query that has a long form. */
function hasAbbreviations(query: string, hits: readonly Hit[]): boolean {
  const known = shortForms(query).filter((word) => longFormOf(word).length > 0);
  const held = new Set(
    hits.flatMap(({ chunk }) => shortForms([chunk.title, ...chunk.headings, chunk.text].join("\n"))),
  );
  return known.every((word) => held.has(word));
}
