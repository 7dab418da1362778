import type {
  Citation,
  Generated,
  GroundedMode,
  LanguageModel,
  Message,
  SentenceVerdict,
} from "../../core/answers/answer.ts";
import { cellsQuoted } from "../../core/documents/cells.ts";
import { headingsAbove } from "../../core/documents/sections.ts";
import { type Context, type Passage, quotedChunk } from "../../core/retrieval.ts";
import { withoutEnd } from "../../core/text.ts";
import type { Notes } from "../../language/notes/words.ts";
import { sentences } from "../../language/sentences.ts";
import { words } from "../../language/terms.ts";
import { bestQuote, extract, support } from "./extract.ts";
import { type Judge, openJudge, type Trust } from "./judge/judge.ts";
import type { SecondJudge } from "./judge/second.ts";
import { addressesAssistant, withoutInstructions } from "./orders/orders.ts";
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
  /** `performance.now()` at which the model stops, wherever it is. Default: never. */
  readonly until?: number;
  /** The model may write that the passages do not say. Default false. */
  readonly mayDecline?: boolean;
}

/** An answer whose every marker stands for one of the passages. */
export interface Grounded {
  /** What the mode leaves of it. */
  readonly text: string;
  /** Of the sentences that are left. */
  readonly citations: readonly Citation[];
  /** Every sentence of the answer, written or quoted, those removed too. */
  readonly sentences: readonly SentenceVerdict[];
  /** Sentences taken out because nothing supports them. */
  readonly removed: number;
}

/** Support from which an uncited sentence is given to a passage, and below which it is not tied to one. */
const [strongSupport, weakSupport] = [0.6, 0.34];
/** Stands behind a sentence that nothing supports where such sentences are kept and marked. */
const unverifiedMark = "(unverified)";

/**
 * Text that can be shown anywhere: no images, links, tags or fences of the prompt, and no address the passages
 * do not hold themselves.
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
 * A citation made from the passage itself, never from what was written about it; each of the statements that
 * cite it gets its own quote. Of several chunks, it is the one with the first quote.
 */
export function citationOf(passage: Passage, statements: readonly string[], asked: Question): Citation {
  const told = withoutInstructions(passage.chunk.text, asked.asksAboutOrders).text;
  return citationQuoting(
    passage,
    statements.map((statement) => bestQuote(statement, told)),
  );
}

/** A citation with quotes that are known, as they stand in the passage. */
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

/** Citations by their markers, several of one passage as one. */
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

/** A passage with the share of a statement that its words hold. */
interface Holder {
  readonly marker: number;
  readonly score: number;
}

/**
 * The verdict with as few of its passages as bear it, so that a citation leads to where the words stand; those
 * that hold least go first.
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
 * The passages a statement is tied to, and the verdict under them:
 * 1. those it names, or is lent: then they must bear it whole, since the model did not say so;
 * 2. where it has none or their words are hardly in it, the one that holds most of it, if that is most of it;
 * 3. where they do not support it, or only in part, and another one does, that one; in a summary, which is of
 *   them all, all;
 * 4. of several, as few as bear it.
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
  // A passage that says less of what is asked does not make a restricted yes right.
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

/** The statements of a text, inert, each once. */
function distinct(raw: string, passages: readonly Passage[]): readonly Statement[] {
  const said = new Set<string>();
  const texts = passages.map((passage) => passage.text);
  return statementsOf(inert(raw, passages), texts).filter(({ bare }) => {
    if (!/[\p{L}\p{N}]/u.test(bare) || said.has(bare)) return false;
    said.add(bare);
    return true;
  });
}

/** Text that was judged, without its citations: what is shown of an answer while it is still written. */
export type Judged = Omit<Grounded, "citations">;

/** Sentences behind each other, and rows of tables on lines of their own. */
const joined = (written: readonly string[]): string =>
  written.reduce((text, next, at) => {
    const isRow = at > 0 && [written[at - 1], next].some((each) => each?.includes(" | "));
    return `${text}${at === 0 ? "" : isRow ? "\n" : " "}${next}`;
  }, "");

/**
 * Grounds the texts of one answer, each as far as it is written; a statement judged before is not judged
 * again.
 */
export interface Grounding {
  /**
   * Asks the second judge, if there is one, about the statements that were not judged yet, or `again` about all of them;
   * call it before `judge` and `ground`.
   */
  consult(raw: string, signal: AbortSignal, again?: SecondJudge): Promise<void>;
  judge(raw: string): Judged;
  ground(raw: string): Grounded;
}

/**
 * Ties each statement to passages and judges it:
 * 1. addresses and tags are made inert, markers that stand for no passage and statements made before are
 *   dropped;
 * 2. each statement is tied to the passages that hold it, and held against them;
 * 3. unsupported ones are removed (`strict`), marked (`prefer`) or left (`off`).
 * `second` has a say on what it was consulted about.
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
  /** With a yes or a no that is removed, the sentence that it rests on. */
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
        // What a number was worked out of is quoted with it.
        const own = kept
          .filter(({ markers }) => markers.includes(passage.marker))
          .map(({ text, derivation = "" }) => `${text} ${derivation}`.trim());
        return own.length === 0 ? [] : [citationOf(passage, own, question)];
      });
      return { ...found, citations: citations.sort((left, right) => left.marker - right.marker) };
    },
  };
}

/** Grounds one text that is already whole. */
export function ground(
  raw: string,
  passages: readonly Passage[],
  question = "",
  mode: GroundedMode = "off",
): Grounded {
  return openGrounding(passages, readQuestion(question), mode).ground(raw);
}

/** How much of an answer its passages support, and what was taken out or withheld, in one line. */
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

/** Whether the last six words stand twice before in what was written: small models circle. */
function circles(text: string): boolean {
  const said = words(text.replace(markerPattern, ""));
  const last = said.slice(-6).join(" ");
  return said.length > 18 && ` ${said.slice(0, -1).join(" ")} `.split(` ${last} `).length > 2;
}

/**
 * What the model writes about the passages, as it comes, under the citation grammar; ends early when it
 * circles.
 */
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

/** A line that can stand alone: six words or more, ended as a sentence, and no row of a table. */
const isWhole = (sentence: string): boolean =>
  /[.!?。！？]["”’)]?$/u.test(sentence) && !sentence.includes(" | ") && words(sentence).length >= 6;

/**
 * A summary without a model: of each passage, which are in the order of the document, its section and the
 * first sentence that can stand alone.
 */
function outlineAnswer({ passages }: Context): string {
  let section = "";
  return passages
    .flatMap(({ text, marker, chunk }) => {
      const told = sentences(text).filter((sentence) => !addressesAssistant(sentence));
      const first = told.find(isWhole) ?? told[0];
      if (first === undefined) return [];
      const heading = headingsAbove(first, chunk).at(-1) ?? "";
      const isNew = heading !== "" && heading !== section && !addressesAssistant(heading);
      section = heading;
      return [`${isNew ? `${heading}: ` : ""}${first} [${marker}]`];
    })
    .join("\n");
}

/** Whether a passage was computed from a document: `withFindings` shows it as it stands, with its rows. */
const isComputed = ({ chunk: { method, documentId } }: Passage): boolean =>
  method === "tool:calculator" && documentId !== "";

/** Whether a passage is the result of a calculation or a query, which `withFindings` shows with its lines. */
const isResult = ({ chunk: { method } }: Passage): boolean =>
  method === "tool:calculator" || method === "tool:database_query";

/**
 * The answer without a model: "" where there are results alone; the rows a query gave, else the nearest
 * sentences of the passages, each with its marker; none that speaks to an assistant.
 */
export function extractiveAnswer(question: Question, context: Context, maxSentences = 3): string {
  const queried = context.passages.filter(({ chunk }) => chunk.method === "tool:database_query");
  if (queried.length > 0 && context.passages.every(isResult)) return "";
  if (queried.length > 0) return queried.map(({ text, marker }) => `${text.trim()} [${marker}]`).join("\n");
  if (question.kind === "summary") return outlineAnswer(context);
  const passages = context.passages.filter((passage) => !isComputed(passage));
  return extract(question, { ...context, passages }, maxSentences)
    .filter((found) => !addressesAssistant(found.text))
    .map((found) => `${found.text.replace(markerPattern, "")} [${found.marker}]`)
    .join("\n");
}
