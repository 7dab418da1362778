import type {
  Citation,
  Generated,
  GroundedMode,
  LanguageModel,
  Message,
  SentenceVerdict,
} from "../../core/answers/answer.ts";
import { cellsQuoted } from "../../core/documents/cells.ts";
import { type Context, type Passage, quotedChunk } from "../../core/retrieval.ts";
import { withoutEnd } from "../../core/text.ts";
import type { Notes } from "../../language/notes/words.ts";
import { words } from "../../language/terms.ts";
import { bestQuote, support } from "./extract.ts";
import { type Judge, openJudge, type Trust } from "./judge/judge.ts";
import type { SecondJudge } from "./judge/second.ts";
import { withoutInstructions } from "./orders/orders.ts";
import { citationGrammar } from "./prompt.ts";
import { type Question, readQuestion } from "./question.ts";
import {
  markerPattern,
  quotedSentence,
  type Statement,
  statementsOf,
  withoutDangling,
} from "./statements.ts";

export interface AnswerOptions {
  /** 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
  /** `performance.now()` at which generation stops, finished or not. Default: never. */
  readonly until?: number;
  /** The model may reply that the passages do not say. Default false. */
  readonly mayDecline?: boolean;
}

/** An answer in which every marker refers to one of the passages. */
export interface Grounded {
  /** The text that the mode keeps. */
  readonly text: string;
  /** Citations of the sentences that are kept. */
  readonly citations: readonly Citation[];
  /** Every sentence of the answer, written or quoted, including those removed. */
  readonly sentences: readonly SentenceVerdict[];
  /** Number of sentences removed as unsupported. */
  readonly removed: number;
}

/** Support from which an uncited sentence is attributed to a passage, and below which it never is. */
const [strongSupport, weakSupport] = [0.6, 0.34];
/** Follows an unsupported sentence in modes that keep and mark such sentences. */
export const unverifiedMark = "(unverified)";

/**
 * Text that is safe to display: no images, links, tags or prompt fences, and no addresses except those in the
 * passages.
 */
export function inert(text: string, passages: readonly Passage[]): string {
  const known = passages.map((passage) => passage.text).join("\n");
  return text
    .replace(/!?\[([^[\]]*)\]\((?:(?!\]\()[^)])*\)/g, "$1")
    .replaceAll("](", "] (")
    .replace(/!\s*\(\s*(?:https?:|data:|\/\/)[^!)]*\)/gi, "")
    .replace(/<<\/?[a-z\d]{1,64}>>/gi, "")
    .replace(/<\/?[a-z!][^>]*(?:>|$)/gi, (tag) => (tag.endsWith(">") ? "" : tag))
    .replace(/\b(?:https?|ftp|file|data|javascript):[^\s)\]]+/gi, (address) =>
      known.includes(withoutEnd(address, /[.,;]/)) ? address : "(link removed)",
    );
}

/**
 * A citation built from the passage itself, never from what was written about it; each statement that cites
 * it gets a quote. If the passage has several chunks, cites the one with the first quote.
 */
export function citationOf(passage: Passage, statements: readonly string[], asked: Question): Citation {
  const allowed = withoutInstructions(passage.chunk.text, asked.asksAboutOrders).text;
  return citationQuoting(
    passage,
    statements.map((statement) => bestQuote(statement, allowed)),
  );
}

/** A citation with given quotes, which occur verbatim in the passage. */
export function citationQuoting(
  passage: Pick<Passage, "marker" | "chunk" | "around">,
  all: readonly string[],
): Citation {
  const quotes = [...new Set(all)];
  const quoted = quotes.map((quote) => ({ quote, from: quotedChunk(passage, quote) }));
  const chunk = quoted[0]?.from ?? quotedChunk(passage, "");
  const cells = [...new Set(quoted.flatMap(({ quote, from }) => cellsQuoted(quote, from)))];
  const sections = quoted.map(({ from }) => from.headings.join(" › "));
  return {
    marker: passage.marker,
    chunkId: chunk.id,
    sourceFile: chunk.sourceName,
    sourcePath: chunk.sourcePath,
    pages: chunk.pages,
    section: [...new Set(sections)].filter((section) => section !== "").join("; "),
    ...(cells.length === 0 ? {} : { cells }),
    collection: chunk.collection,
    quote: quotes[0] ?? "",
    quotes,
  };
}

/** Merges citations of the same passage; ordered by marker. */
export function mergedCitations(all: readonly Citation[]): readonly Citation[] {
  const byMarker = Map.groupBy(all, ({ marker }) => marker);
  return [...byMarker.values()]
    .flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const sections = [first, ...others].flatMap(({ section }) => section.split("; "));
      const quotes = [first, ...others].flatMap((citation) => citation.quotes);
      const section = [...new Set(sections)].filter((each) => each !== "").join("; ");
      const cells = [...new Set([first, ...others].flatMap((citation) => citation.cells ?? []))];
      return [{ ...first, section, ...(cells.length === 0 ? {} : { cells }), quotes: [...new Set(quotes)] }];
    })
    .sort((one, other) => one.marker - other.marker);
}

/** A passage and the share of a statement's words that it has. */
interface Holder {
  readonly marker: number;
  readonly score: number;
}

/**
 * Drops the weakest passages of a verdict as long as the support stays the same, so that the citation leads
 * to the words themselves.
 */
function narrow(verdict: SentenceVerdict, holders: readonly Holder[], judge: Judge): SentenceVerdict {
  return holders.toReversed().reduce((kept, { marker }) => {
    if (kept.markers.length < 2 || !kept.markers.includes(marker)) return kept;
    const fewer = judge.sentence(
      kept.text,
      kept.markers.filter((other) => other !== marker),
    );
    return fewer.support === kept.support ? fewer : kept;
  }, verdict);
}

/**
 * Ties a statement to passages and judges it against them:
 * 1. the passages it cites or borrows; borrowed ones must support it fully, because the model did not cite
 * them;
 * 2. if it has none, or its words hardly occur in them, the passage with most of it, provided that has enough
 * of it;
 * 3. if they support it only in part or not at all, another passage that does; for a summary, which covers
 * all passages, all of them;
 * 4. if several are cited, as few as support it.
 */
function tie(
  { bare, markers: named, isLent }: Statement,
  passages: readonly Passage[],
  judge: Judge,
  isSummary: boolean,
): SentenceVerdict {
  const holders = passages
    .map(({ marker, text }) => ({ marker, score: support(bare, text) }))
    .sort((left, right) => right.score - left.score);
  const best = holders[0];
  let own = holders.filter(({ marker }) => named.includes(marker));
  const isWeak = own.every(({ score }) => score < weakSupport);
  const isElsewhere = isWeak && best !== undefined && best.score >= strongSupport;
  if (isElsewhere) own = [best];
  const markersOfAll = (of: readonly Holder[]): number[] =>
    of.map(({ marker }) => marker).sort((left, right) => left - right);
  const markers = markersOfAll(own);
  const verdict = judge.sentence(bare, markers);
  const isCited = !isLent || isElsewhere;
  if (verdict.support === "supported") return narrow(verdict, holders, judge);
  // A passage with less of the question's subject does not make a restricted yes correct.
  const others = holders.filter(({ marker, score }) => score >= weakSupport && !markers.includes(marker));
  const bearing = (judge.instead(verdict) === null ? others : [])
    .values()
    .map(({ marker }) => judge.sentence(bare, [marker]))
    .find(({ support }) => support === "supported");
  if (bearing !== undefined) return bearing;
  if (verdict.support === "partial" && isCited) return narrow(verdict, holders, judge);
  const whole = isSummary ? judge.sentence(bare, markersOfAll(holders)) : verdict;
  if (whole.support === "supported") return narrow(whole, holders, judge);
  return isCited ? verdict : judge.sentence(bare, []);
}

/** The statements of a text, made inert, without repetitions. */
function distinct(raw: string, passages: readonly Passage[]): readonly Statement[] {
  const said = new Set<string>();
  const texts = passages.map((passage) => passage.text);
  return statementsOf(inert(raw, passages), texts).filter(({ bare }) => {
    if (!/[\p{L}\p{N}]/u.test(bare) || said.has(bare)) return false;
    said.add(bare);
    return true;
  });
}

/** Judged text without citations, shown while an answer is still being written. */
export type Judged = Omit<Grounded, "citations">;

/** Joins sentences with spaces and puts table rows on separate lines. */
const joined = (written: readonly string[]): string =>
  written.reduce((text, next, at) => {
    const isRow = at > 0 && [written[at - 1], next].some((each) => each?.includes(" | "));
    return `${text}${at === 0 ? "" : isRow ? "\n" : " "}${next}`;
  }, "");

/** Grounds the text of one answer as it grows; a statement is judged only once. */
export interface Grounding {
  /**
   * Asks the second judge, if any, about statements not judged before, or asks `again` about all of them;
   * call it before `judge` and `ground`.
   */
  consult(raw: string, signal: AbortSignal, again?: SecondJudge): Promise<void>;
  judge(raw: string): Judged;
  ground(raw: string): Grounded;
}

/**
 * Ties each statement to passages and judges it:
 * 1. addresses and tags are made inert; markers that refer to no passage and repeated statements are dropped;
 * 2. each statement is tied to the passages that have its words and judged against them;
 * 3. unsupported statements are removed (`strict`), marked (`prefer`) or kept (`off`).
 * `second` may overrule the verdicts it was consulted about.
 */
export function openGrounding(
  passages: readonly Passage[],
  question: Question,
  mode: GroundedMode,
  second?: SecondJudge,
  trust: Trust = {},
): Grounding {
  const judge = openJudge(passages, question, trust);
  const known = new Map<string, SentenceVerdict>();
  const keyOf = ({ bare, markers, isLent }: Statement): string => `${bare} ${markers} ${isLent}`;
  const isSummary = question.kind === "summary";
  const verdictOn = (statement: Statement): SentenceVerdict => {
    const verdict = known.get(keyOf(statement)) ?? tie(statement, passages, judge, isSummary);
    known.set(keyOf(statement), verdict);
    return verdict;
  };
  /** A removed yes or no is replaced by the sentence it was based on. */
  const withBasis = (verdict: SentenceVerdict): readonly SentenceVerdict[] => {
    const basis = mode === "strict" ? judge.instead(verdict) : null;
    if (basis === null) return [verdict];
    return [verdict, quotedSentence({ text: inert(basis.text.trim(), passages), markers: [basis.marker] })];
  };
  const keep = (verdicts: readonly SentenceVerdict[]): readonly SentenceVerdict[] =>
    mode === "strict" ? verdicts.filter(({ support }) => support !== "unsupported") : verdicts;
  const judged = (raw: string): Judged => {
    const each = distinct(raw, passages).map(verdictOn).flatMap(withBasis);
    const verdicts = mode === "strict" ? withoutDangling(each, question) : each;
    const kept = keep(verdicts);
    const written = kept.map(({ text, markers, support }) => {
      const mark = mode === "prefer" && support === "unsupported" ? ` ${unverifiedMark}` : "";
      return `${text}${mark}${markers.map((marker) => ` [${marker}]`).join("")}`;
    });
    return { text: joined(written), sentences: verdicts, removed: verdicts.length - kept.length };
  };
  return {
    async consult(raw, signal, again) {
      const by = again ?? second;
      const asked = distinct(raw, passages).filter((each) => again !== undefined || !known.has(keyOf(each)));
      if (by !== undefined)
        for (const each of asked) known.set(keyOf(each), await by(verdictOn(each), signal));
    },
    judge: judged,
    ground(raw) {
      const found = judged(raw);
      const kept = keep(found.sentences);
      const citations = passages.flatMap((passage) => {
        // Also quotes the operands of a computed number.
        const own = kept
          .filter(({ markers }) => markers.includes(passage.marker))
          .map(({ text, derivation = "" }) => `${text} ${derivation}`.trim());
        return own.length === 0 ? [] : [citationOf(passage, own, question)];
      });
      return { ...found, citations: citations.sort((left, right) => left.marker - right.marker) };
    },
  };
}

/** Grounds a complete text. */
export function ground(
  raw: string,
  passages: readonly Passage[],
  question = "",
  mode: GroundedMode = "off",
): Grounded {
  return openGrounding(passages, readQuestion(question), mode).ground(raw);
}

/** How much of an answer its passages support, and what was removed or withheld, in one line. */
export function describeGrounded(
  { sentences, removed }: Grounded,
  { dropped }: Context,
  { reasons, sheets }: Notes,
): string {
  const count = (support: string): number =>
    sentences.filter((sentence) => sentence.support === support).length;
  const supported = sentences.length - count("unsupported");
  const worst = sentences.find((sentence) => sentence.support === "unsupported");
  const withheld = dropped.instructions ?? 0;
  return [
    reasons.standing(supported, sentences.length),
    ...(count("partial") > 0 ? [reasons.inPart(count("partial"))] : []),
    ...(removed > 0 ? [reasons.removed(removed)] : []),
    ...(worst === undefined ? [] : [`“${worst.text.slice(0, 80)}”${sheets.colon} ${worst.reason}`]),
    ...(withheld > 0 ? [reasons.withheld(withheld)] : []),
  ].join("; ");
}

/** Whether the last six words already occurred twice: small models loop. */
function circles(text: string): boolean {
  const said = words(text.replace(markerPattern, ""));
  const last = said.slice(-6).join(" ");
  return said.length > 18 && ` ${said.slice(0, -1).join(" ")} `.split(` ${last} `).length > 2;
}

/** Streams what the model writes about the passages, under the citation grammar; stops early if it loops. */
export async function* generateAnswer(
  messages: readonly Message[],
  markers: readonly number[],
  model: LanguageModel,
  options: AnswerOptions,
  signal: AbortSignal,
): AsyncGenerator<Generated> {
  const { temperature, maxTokens, until, mayDecline } = options;
  let text = "";
  for await (const event of model.generate(
    messages,
    {
      temperature,
      maxTokens,
      grammar: citationGrammar(markers, mayDecline),
      keepSystem: true,
      ...(until === undefined ? {} : { until }),
    },
    signal,
  )) {
    yield event;
    if (event.type !== "text-delta") continue;
    text += event.text;
    if (circles(text)) return;
  }
}
