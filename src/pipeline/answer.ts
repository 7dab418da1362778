import type { Citation, Generated, LanguageModel } from "../core/answer.ts";
import type { Context, Passage } from "../core/retrieval.ts";
import { bestQuote, extract, support } from "./extract.ts";
import { citationGrammar, prompt } from "./prompt.ts";
import { sentences, words } from "./terms.ts";

export interface AnswerOptions {
  /** 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
}

/** An answer whose every marker stands for one of the passages. */
export interface Grounded {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly statements: number;
  /** Statements for which no passage could be named. */
  readonly uncited: number;
  /** Statements of which less than a third of the words, or a number, stand in the passages they cite. */
  readonly unsupported: number;
}

/** Support from which an uncited sentence is given to a passage. */
const strongSupport = 0.6;
const weakSupport = 0.34;
const markerPattern = /\s*\[(\d+)\]/g;

/** Text that can be shown anywhere: no images, links or tags to follow, and no address the passages do not hold themselves. */
export function inert(text: string, passages: readonly Passage[]): string {
  const known = passages.map((passage) => passage.text).join("\n");
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/!\s*\(\s*(?:https?:|data:|\/\/)[^)]*\)/gi, "")
    .replace(/<\/?[a-z!][^>]*>/gi, "")
    .replace(/\b(?:https?|ftp|file|data|javascript):[^\s)\]]+/gi, (address) =>
      known.includes(address.replace(/[.,;]+$/, "")) ? address : "(link removed)",
    );
}

/** A marker standing alone after a sentence belongs to that sentence. */
function statementsOf(text: string): string[] {
  const found: string[] = [];
  for (const part of sentences(text)) {
    const rest = part.replace(/^(?:\s*\[\d+\])+[.,;:!?]?\s*/, "");
    const leading = part.slice(0, part.length - rest.length).trim();
    const before = found.pop();
    if (before !== undefined) found.push(leading === "" ? before : `${before} ${leading}`);
    const own = before === undefined ? part : rest;
    if (own !== "") found.push(own);
  }
  return found;
}

function citationOf(passage: Passage, statements: readonly string[]): Citation {
  const { chunk } = passage;
  return {
    marker: passage.marker,
    chunkId: chunk.id,
    sourceFile: chunk.sourceName,
    sourcePath: chunk.sourcePath,
    pages: chunk.pages,
    section: chunk.headings.join(" › "),
    collection: chunk.collection,
    quote: bestQuote(statements.join(" "), chunk.text),
  };
}

/**
 * Ties each statement to passages:
 * 1. markers that stand for no passage are dropped, and statements made before;
 * 2. a statement without one gets the passage that holds most of its words, if that is most of them;
 * 3. a marker whose passage holds hardly anything of the statement gives way to one whose passage holds most of it;
 * 4. citations are made from the passages, never from what was written about them.
 */
export function ground(raw: string, passages: readonly Passage[]): Grounded {
  const cited = new Map<Passage, string[]>();
  const written: string[] = [];
  const said = new Set<string>();
  let uncited = 0;
  let unsupported = 0;
  for (const statement of statementsOf(inert(raw, passages))) {
    const bare = statement.replace(markerPattern, "").trim();
    if (!/[\p{L}\p{N}]/u.test(bare) || said.has(bare)) continue;
    said.add(bare);
    const named = [...statement.matchAll(markerPattern)].map((match) => Number(match[1]));
    const scored = passages
      .map((passage) => ({ passage, score: support(bare, passage.text) }))
      .sort((left, right) => right.score - left.score);
    const best = scored[0];
    let own = scored.filter((entry) => named.includes(entry.passage.marker));
    const weak = own.every((entry) => entry.score < weakSupport);
    if (weak && best !== undefined && best.score >= strongSupport) own = [best];
    if (own.length === 0) uncited += 1;
    const numbers = bare.match(/\d+(?:[.,]\d+)*/g) ?? [];
    const held = own.map((entry) => entry.passage.text).join("\n");
    if (own.every((entry) => entry.score < weakSupport) || numbers.some((number) => !held.includes(number))) unsupported += 1;
    for (const { passage } of own) cited.set(passage, [...(cited.get(passage) ?? []), bare]);
    const markers = own.map((entry) => entry.passage.marker).sort((left, right) => left - right);
    written.push(`${bare}${markers.map((marker) => ` [${marker}]`).join("")}`);
  }
  const citations = [...cited].map(([passage, statements]) => citationOf(passage, statements));
  return {
    text: written.join(" "),
    citations: citations.sort((left, right) => left.marker - right.marker),
    statements: written.length,
    uncited,
    unsupported,
  };
}

/** The text cut back to its last finished sentence, for an answer that met the length limit; as it is when none is finished. */
export function finished(text: string): string {
  const end = [...text.matchAll(/[.!?。！？](?:\s*\[\d+\])*(?=\s|$)|\](?=[\s.,;:!?]|$)/g)].at(-1);
  return end === undefined ? text : text.slice(0, end.index + end[0].length);
}

/** Whether the last six words stand twice before in what was written: small models circle. */
function circles(text: string): boolean {
  const said = words(text.replace(markerPattern, ""));
  const last = said.slice(-6).join(" ");
  return said.length > 18 && ` ${said.slice(0, -1).join(" ")} `.split(` ${last} `).length > 2;
}

/** What the model writes about the passages, as it comes, under the citation grammar; ends early when it circles. */
export async function* generateAnswer(
  context: Context,
  model: LanguageModel,
  options: AnswerOptions,
  signal: AbortSignal,
): AsyncGenerator<Generated> {
  const grammar = citationGrammar(context.passages.map((passage) => passage.marker));
  let text = "";
  for await (const event of model.generate(prompt(context), { ...options, grammar }, signal)) {
    yield event;
    if (event.type !== "text-delta") continue;
    text += event.text;
    if (circles(text)) return;
  }
}

/** The answer without a model: the nearest sentences of the passages, each with its marker. */
export function extractiveAnswer(context: Context, maxSentences = 3): string {
  return extract(context, maxSentences)
    .map((found) => `${found.text.replace(/\s*\[\d+\]/g, "")} [${found.marker}]`)
    .join("\n");
}
