import type {
  Citation,
  Generated,
  LanguageModel,
  Message,
  SentenceVerdict,
} from "../../core/answers/answer.ts";
import { type Context, chunkContaining, type Passage } from "../../core/retrieval.ts";
import { trimEndOf } from "../../core/text.ts";
import type { Notes } from "../../language/schema/notes.ts";
import { words } from "../../language/terms.ts";
import { cellsForQuote } from "../../tables/quoted-cells.ts";
import { bestQuote } from "./extract.ts";
import { stripInjections } from "./injection/injection.ts";
import { citationGrammar } from "./prompt.ts";
import type { Question } from "./question.ts";
import { citationPattern } from "./statements.ts";

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
  readonly text: string;
  readonly citations: readonly Citation[];
  /** Every sentence of the answer, written or quoted. */
  readonly sentences: readonly SentenceVerdict[];
}

/** Follows an unsupported sentence in modes that keep and mark such sentences. */
export const unverifiedMark = "(unverified)";

/**
 * Text that is safe to display: no images, links, tags or prompt fences, and no addresses except those in the
 * passages.
 */
export function neutralizeMarkup(text: string, passages: readonly Passage[]): string {
  const known = passages.map((passage) => passage.text).join("\n");
  return text
    .replace(/!?\[([^[\]]*)\]\((?:(?!\]\()[^)])*\)/g, "$1")
    .replaceAll("](", "] (")
    .replace(/!\s*\(\s*(?:https?:|data:|\/\/)[^!)]*\)/gi, "")
    .replace(/<<\/?[a-z\d]{1,64}>>/gi, "")
    .replace(/<\/?[a-z!][^>]*(?:>|$)/gi, (tag) => (tag.endsWith(">") ? "" : tag))
    .replace(/\b(?:https?|ftp|file|data|javascript):[^\s)\]]+/gi, (address) =>
      known.includes(trimEndOf(address, /[.,;]/)) ? address : "(link removed)",
    );
}

/**
 * A citation built from the passage itself, never from what was written about it; each statement that cites
 * it gets a quote. If the passage has several chunks, cites the one with the first quote.
 */
export function citationOf(
  passage: Passage,
  statements: readonly (string | Question)[],
  asked: Question,
): Citation {
  const allowed = stripInjections(passage.chunk.text, asked.asksAboutOrders).text;
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
  const quoted = quotes.map((quote) => ({ quote, from: chunkContaining(passage, quote) }));
  const chunk = quoted[0]?.from ?? chunkContaining(passage, "");
  const cells = [...new Set(quoted.flatMap(({ quote, from }) => cellsForQuote(quote, from)))];
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

/** How much of an answer its passages support, and what was withheld, in one line. */
export function describeGrounding(
  { sentences }: Pick<Grounded, "sentences">,
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
    ...(worst === undefined ? [] : [`“${worst.text.slice(0, 80)}”${sheets.colon} ${worst.reason}`]),
    ...(withheld > 0 ? [reasons.withheld(withheld)] : []),
  ].join("; ");
}

/** Whether the last six words already occurred twice: small models loop. */
function circles(text: string): boolean {
  const said = words(text.replace(citationPattern, ""));
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
