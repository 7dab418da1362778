import type { Draft } from "../../../core/answers/agent.ts";
import type { SentenceVerdict, Verdict } from "../../../core/answers/answer.ts";
import type { Context } from "../../../core/retrieval.ts";
import type { Checked } from "../check/checked.ts";
import { citationOf, describeGrounding, neutralizeMarkup, unverifiedMark } from "../ground.ts";
import type { Question } from "../question.ts";
import { nearestPassages, refusal, ungroundedRefusal } from "../refuse.ts";
import { statementsOf, truncateToSentence } from "../statements.ts";
import type { Reply } from "./converse.ts";
import { notFoundMarker } from "./messages.ts";

/** A draft whose phases are not known yet. */
export type Concluded = Omit<Draft, "phases">;

/** What every verdict on an answer has in common, and what a refusal adds. */
export interface Basis extends Pick<Verdict, "evidence" | "threshold" | "grounded"> {
  readonly model: string;
  /** What was excluded from the search; undefined for nothing. */
  readonly withheld: string | undefined;
}

/** Citations in one pair of brackets, or of passages that do not exist, in the form that we show. */
function withOwnMarkers(text: string, context: Context): string {
  const known = new Set(context.passages.map(({ marker }) => marker));
  return text.replace(/\[(\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,20})\]/g, (_, listed: string) =>
    listed
      .split(/[,;]/)
      .map(Number)
      .filter((marker) => known.has(marker))
      .map((marker) => `[${marker}]`)
      .join(""),
  );
}

/** Whether a reply says that the documents hold no answer. */
export const isNotFound = (text: string): boolean =>
  text
    .trimStart()
    .replace(/^[*_#\s]{0,8}/, "")
    .startsWith(notFoundMarker);

/** A reply without the words that only we read. */
const ownWords = (text: string): string =>
  text
    .replace(notFoundMarker, "")
    .replace(/^[\s*_#:.,–—-]{0,12}/, "")
    .trim();

/** The citations of what was kept, each quoting its passage. */
function citationsOf(sentences: readonly SentenceVerdict[], context: Context, question: Question) {
  return context.passages.flatMap((passage) => {
    const own = sentences
      .filter(({ markers }) => markers.includes(passage.marker))
      .map(({ text, derivation = "" }) => `${text} ${derivation}`.trim());
    return own.length === 0 ? [] : [citationOf(passage, own, question)];
  });
}

/** Refuses with the reader's own words, or with ours where it wrote none. */
export function refuseInWords(text: string, question: Question, context: Context, basis: Basis): Concluded {
  const { model, withheld, ...base } = basis;
  const said = ownWords(neutralizeMarkup(withOwnMarkers(text, context), context.passages));
  const { reasons } = question.notes;
  const sentences = statementsOf(said).map(
    ({ bare, markers }): SentenceVerdict => ({
      text: bare,
      markers,
      support: "partial",
      reason: "",
      rule: "reader",
    }),
  );
  const verdict: Verdict = {
    ...base,
    status: "refused",
    reason: [said === "" ? reasons.wroteNothing : reasons.declined, withheld ?? []].flat().join("; "),
    sentences: [],
    removed: 0,
  };
  const citations = citationsOf(sentences, context, question);
  return {
    text: said === "" ? refusal(question, nearestPassages(question, context.passages)) : said,
    citations,
    verdict,
    model,
    context,
  };
}

/** An answer as it is shown: whole, without addresses and tags that the passages do not have. */
export const shownText = ({ text, reason }: Reply, context: Context): string =>
  neutralizeMarkup(
    withOwnMarkers(reason === "stop" ? text : truncateToSentence(text) || text, context),
    context.passages,
  ).trim();

/** A text with a mark behind each sentence that a passage contradicts. */
function marked(text: string, sentences: readonly SentenceVerdict[]): string {
  let from = 0;
  let whole = text;
  for (const { text: bare, support } of sentences) {
    const end = bare.slice(-40);
    const at = whole.indexOf(end, from);
    if (at < 0) continue;
    from = at + end.length;
    if (support !== "unsupported") continue;
    whole = `${whole.slice(0, from)} ${unverifiedMark}${whole.slice(from)}`;
    from += unverifiedMark.length + 1;
  }
  return whole;
}

/** Accepts an answer whole, with marks where the mode wants them and the verdict on each of its sentences. */
export function accept(
  { text, sentences }: Checked,
  question: Question,
  context: Context,
  { model, withheld: _, ...base }: Basis,
): Concluded {
  const isMarked = base.grounded !== "off" && sentences.some(({ support }) => support === "unsupported");
  const verdict: Verdict = {
    ...base,
    status: isMarked ? "unverified" : "answered",
    reason: reasonFor(sentences, context, question),
    sentences,
    removed: 0,
  };
  const shown = isMarked ? marked(text, sentences) : text;
  return { text: shown, citations: citationsOf(sentences, context, question), verdict, model, context };
}

const reasonFor = (sentences: readonly SentenceVerdict[], context: Context, { notes }: Question): string =>
  describeGrounding({ sentences }, context, notes);

/** Refuses an answer whose key statement its passages do not support: shows what they say instead. */
export function refuseUngrounded(
  { sentences }: Checked,
  question: Question,
  context: Context,
  { model, withheld: _, ...base }: Basis,
): Concluded {
  const { text, citations } = ungroundedRefusal(question, context);
  const reason = question.notes.reasons.groundless(reasonFor(sentences, context, question));
  const verdict: Verdict = { ...base, status: "refused", reason, sentences, removed: 0 };
  return { text, citations, verdict, model, context };
}
