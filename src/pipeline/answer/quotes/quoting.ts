import type { Draft } from "../../../core/answers/agent.ts";
import type {
  AnswerEvent,
  GroundedMode,
  NearPassage,
  SentenceVerdict,
  Verdict,
  WrittenDraft,
} from "../../../core/answers/answer.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import type { Context, Hit, Passage } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { context } from "../context.ts";
import { assessEvidence, type EvidenceContext } from "../evidence.ts";
import { citationQuoting, type Grounded, mergedCitations, neutralizeMarkup } from "../ground.ts";
import { analyzeQuestion, type Question } from "../question.ts";
import { describeInsufficiency, refusal } from "../refuse.ts";
import { citationPattern, quotedSentence } from "../statements.ts";
import { type StepClock, stepClock } from "../step-clock.ts";
import { appendToolValues } from "../tool-values.ts";
import { answerability, type RatedLine, rankLines, selectBestLines } from "./choose.ts";
import { linesIn, type QuotableLine, withList } from "./lines.ts";
import { extractSummary, type QuotedLine } from "./outline.ts";

/** A text to compare with a question, by the model of its collection. */
export interface NearText {
  readonly text: string;
  /** Of the line; "" for a message or the finding of a tool. */
  readonly collection: string;
}

export interface QuotingOptions extends EvidenceContext {
  readonly grounded: GroundedMode;
  /** Results of tools, as chunks of `findingChunk`, shown before the quotes. */
  readonly findings: readonly Chunk[];
  /** Most passages that lines are quoted from. */
  readonly maxPassages: number;
  /** What was excluded from the search, for a refusal; absent for nothing. */
  readonly withheld?: string;
  /** Empty forms, where nothing else was found: a refusal is for what they lack. */
  readonly forms?: readonly Hit[];
  /** The hits are one whole document, cut down to the sentences that carry it. */
  readonly isWhole?: boolean;
  /** Withholds sentences that address an assistant. `off` only to measure the effect. Default `on`. */
  readonly guard?: "on" | "off";
}

export interface QuotingDrivers {
  /** Cosines of texts with a question, as `usualCosines` scale them. */
  nearness(question: string, texts: readonly NearText[]): Promise<readonly number[]>;
  /** Lets a small model write below its quotes; absent where it shall not. */
  draft?(passages: Context, clock: StepClock): Promise<WrittenDraft | null>;
}

type Quoting = AsyncGenerator<Extract<AnswerEvent, { type: "context-ready" | "text-delta" }>, Draft>;

/** Estimate of 4 characters per token: no model is there to count. */
const roughCount = (text: string): number => Math.ceil(text.length / 4);

/** Tokens of the passages that lines are quoted from: a limit of memory, not of a model. */
const mostTokens = 24_000;

/** Chosen lines in the order of their documents, the document of the best line first, each with its header. */
function inOrder(chosen: readonly QuotableLine[], passages: readonly Passage[]): readonly QuotedLine[] {
  const documents = [...new Set(chosen.map(({ chunk }) => chunk.documentId))];
  const placeOf = ({ chunk, place }: QuotableLine): readonly number[] => [
    documents.indexOf(chunk.documentId),
    chunk.ordinal,
    place,
  ];
  const lines = chosen.toSorted((one, other) => {
    const [own, its] = [placeOf(one), placeOf(other)];
    const first = own.findIndex((value, at) => value !== its[at]);
    return (own[first] ?? 0) - (its[first] ?? 0);
  });
  let header: string | undefined;
  return lines.flatMap((line) => {
    const passage = passages[line.hit];
    if (passage === undefined) return [];
    const isNew = line.header !== undefined && line.header !== header;
    header = line.header;
    return [{ quote: line.quote, text: isNew ? `${line.header}\n${line.text}` : line.text, passage }];
  });
}

/** Lines as an answer that cites each at its place. */
function quotedAnswer(lines: readonly QuotedLine[], passages: readonly Passage[]): Grounded {
  const shown = lines.map(({ text, ...line }) => ({
    ...line,
    text: neutralizeMarkup(text.replace(citationPattern, ""), passages),
  }));
  return {
    text: shown.map(({ text, passage }) => `${text} [${passage.marker}]`).join("\n"),
    citations: mergedCitations(shown.map(({ quote, passage }) => citationQuoting(passage, [quote]))),
    sentences: shown.map(
      ({ text, passage }): SentenceVerdict => quotedSentence({ text, markers: [passage.marker] }),
    ),
  };
}

/** Tools whose result is a value, which is shown as it is; others find text that lines are quoted from. */
const exact: ReadonlySet<string> = new Set(["tool:calculator", "tool:database_query"]);

/** What is quoted, and how likely it answers. */
interface Chosen {
  /** The best first, with the rest of their lists. */
  readonly lines: readonly QuotableLine[];
  /** The nearest lines, quoted or not. */
  readonly nearest: readonly RatedLine[];
  readonly score: number;
  /** Parts of the question that no line answers, as asked. */
  readonly missing: readonly string[];
}

/** Nothing is chosen of a document that is summarised. */
const whole: Chosen = { lines: [], nearest: [], score: 1, missing: [] };

/** Where a refusal says that the nearest lines stand. */
const nearestPlaces = ({ nearest }: Chosen): readonly NearPassage[] =>
  nearest.map(({ line: { chunk, text } }) => ({ chunk, quote: text }));

/** Most lines for a part of a question that has several. */
const linesOfPart = 2;

/** A line as it is compared: with the header of its table, or what introduces its list. */
const textOf = ({ text, header, chunk: { collection } }: QuotableLine): NearText => ({
  text: header === undefined ? text : `${header}\n${text}`,
  collection,
});

/** Chooses lines for a question, for each of its parts if it has several. */
async function choose(
  question: Question,
  hits: readonly Hit[],
  passages: readonly Passage[],
  options: QuotingOptions,
  { nearness }: QuotingDrivers,
): Promise<Chosen> {
  const { parts = [] } = options;
  const asked = parts.length < 2 ? [question] : parts.map((part) => analyzeQuestion(part, hits));
  const most = asked.length < 2 ? undefined : linesOfPart;
  const all = linesIn(passages, question.asksAboutOrders);
  const each = [];
  for (const part of asked) {
    const ranked = rankLines(part, all, await nearness(part.text, all.map(textOf)));
    const score = answerability(assessEvidence(part.text, hits, { ...options, parts: [] }), ranked);
    each.push({
      part,
      score,
      nearest: selectBestLines(ranked),
      lines: score >= options.evidence.threshold ? selectBestLines(ranked, most) : [],
    });
  }
  const chosen = each.flatMap(({ lines }) => lines).toSorted((one, other) => other.score - one.score);
  return {
    lines: [...new Set(chosen.flatMap(({ line }) => withList(line, all)))],
    nearest: each.flatMap(({ nearest }) => nearest),
    score: Math.max(...each.map(({ score }) => score)),
    missing: each.filter(({ lines }) => lines.length === 0).map(({ part }) => part.text),
  };
}

/** The passages of an answer, findings first; nothing of them is cut, as no model reads them. */
const passagesOf = (question: Question, hits: readonly Hit[], options: QuotingOptions): Context =>
  context(question, [...options.findings.map((chunk): Hit => ({ chunk, score: 1, via: "fused" })), ...hits], {
    maxTokens: mostTokens,
    maxPassages: options.maxPassages,
    withholdInstructions: options.guard !== "off",
    count: roughCount,
  });

/** What stands below the lines: parts that none answers, and that a total was not computed. */
function notesBelow({ kind, notes }: Question, { missing }: Chosen, hasFindings: boolean): readonly string[] {
  const isUnsummed = kind === "total" && !hasFindings;
  return [...missing.map((part) => notes.partMissing(part)), ...(isUnsummed ? [notes.noTotal] : [])];
}

/**
 * Answers with lines of the documents, word for word: those of the first hits that the encoder finds nearest
 * to the question. Refuses where a fitted probability says that they do not answer it. Results of tools come
 * with them; a whole document is summarised by the first sentences of its sections. No model writes, but
 * where `drivers` have one, a draft of it comes with the quotes.
 */
export async function* quoteAnswer(
  text: string,
  hits: readonly Hit[],
  options: QuotingOptions,
  drivers: QuotingDrivers,
  run: Run,
): Quoting {
  const clock = stepClock();
  run.signal.throwIfAborted();
  const question = analyzeQuestion(text, hits);
  const passages = passagesOf(question, hits, options);
  const { tokenCount, dropped } = passages;
  clock.close("context", { passages: passages.passages.length, tokens: tokenCount, ...dropped });
  // What was computed from a document is the answer: its lines would only repeat the operands.
  const isComputed = options.findings.some(({ readFrom }) => readFrom !== undefined);
  const quotable = isComputed ? [] : passages.passages.filter(({ chunk }) => !exact.has(chunk.method));
  const isWhole = options.isWhole === true;
  const chosen = isWhole ? whole : await choose(question, hits, quotable, options, drivers);
  const lines = isWhole ? extractSummary(passages) : inOrder(chosen.lines, quotable);
  const quoted = quotedAnswer(lines, passages.passages);
  const found = appendToolValues(quoted, question, passages, "off");
  clock.close("quote", { statements: quoted.sentences.length, score: chosen.score });
  const base = {
    evidence: chosen.score,
    threshold: options.evidence.threshold,
    grounded: options.grounded,
    removed: 0,
  };
  const rest = { model: null, context: passages, phases: clock.phases };
  const { reasons } = question.notes;
  if (found.text === "") {
    const refused = refusal(question, nearestPlaces(chosen));
    const reason = describeInsufficiency(
      text,
      assessEvidence(text, options.forms ?? hits, options),
      options.withheld,
    );
    yield { type: "context-ready", context: { ...passages, passages: [], tokenCount: 0 } };
    yield { type: "text-delta", text: refused };
    const verdict: Verdict = { ...base, status: "refused", reason, sentences: [] };
    return { text: refused, citations: [], verdict, ...rest };
  }
  yield { type: "context-ready", context: passages };
  const below = lines.length === 0 ? [] : notesBelow(question, chosen, options.findings.length > 0);
  const answer = [found.text, ...below].join("\n");
  yield { type: "text-delta", text: answer };
  const draft = lines.length === 0 ? null : ((await drivers.draft?.(passages, clock)) ?? null);
  const reason = [lines.length === 0 ? reasons.asFound : reasons.quoted, ...below].join("; ");
  const { citations, sentences } = found;
  const verdict: Verdict = { ...base, status: "extractive", reason, sentences };
  return { text: answer, citations, verdict, ...(draft === null ? {} : { draft }), ...rest };
}
