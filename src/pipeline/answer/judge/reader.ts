import type { Generated, LanguageModel, Message } from "../../../core/answers/answer.ts";
import { isFinding } from "../../../core/answers/tool.ts";
import type { Passage } from "../../../core/retrieval.ts";
import { supportPrompt } from "../prompt.ts";
import { ofEveryReader } from "./rules.ts";
import type { SecondJudge } from "./second.ts";

/** Whether a prompt is answered with yes; null where it is answered with neither yes nor no. */
export type Asks = (messages: readonly Message[]) => Promise<boolean | null>;

/** What writing an answer took. */
export type Took = Pick<
  Extract<Generated, { readonly type: "generation-end" }>,
  "prefillMs" | "decodeMs" | "promptTokens" | "reusedTokens"
>;

/** The `performance.now()` until which a prompt of so many tokens may be answered; null where it would not be read by then. */
export type Allowance = (tokens: number) => number | null;

/** Opens a share of the time that an answer took, from now on. */
export function openAllowance(took: Took, share: number): Allowance {
  const { prefillMs, decodeMs, promptTokens, reusedTokens } = took;
  const until = performance.now() + (prefillMs + decodeMs) * share;
  const tokenMs = prefillMs / Math.max(1, promptTokens - reusedTokens);
  return (tokens) => (performance.now() + tokens * tokenMs < until ? until : null);
}

/** Tokens of a yes or a no, in quotes where a server writes JSON. */
const maxTokens = 6;
const grammar = 'root ::= "yes" | "no"';
const schema = { enum: ["yes", "no"] };

/** Asks a model for a yes or a no within an allowance; null for neither, or where the time does not do. */
export async function saysYes(
  model: Pick<LanguageModel, "generate" | "count">,
  messages: readonly Message[],
  allowance: Allowance,
  signal: AbortSignal,
): Promise<boolean | null> {
  const until = allowance(messages.reduce((sum, { text }) => sum + model.count(text), 0));
  if (until === null) return null;
  let text = "";
  const options = { temperature: 0, maxTokens, grammar, schema, until };
  for await (const event of model.generate(messages, options, signal))
    if (event.type === "text-delta") text += event.text;
  const [, said] = /^\W{0,4}(yes|no)\b/i.exec(text) ?? [];
  return said === undefined ? null : said.toLowerCase() === "yes";
}

/**
 * Asks who wrote an answer whether the cited passages support a sentence that a rule or the tie of words only marks. It
 * can only make it supported; dates, numbers and names are not up to it, nor is what tools found.
 */
export function openReaderJudge(
  passages: readonly Passage[],
  asked: string,
  fence: string,
  asks: Asks,
): SecondJudge {
  return async (verdict) => {
    const cited = passages.filter(({ marker }) => verdict.markers.includes(marker));
    if (verdict.support !== "partial" || ofEveryReader.has(verdict.rule)) return verdict;
    if (cited.some(({ chunk }) => isFinding(chunk))) return verdict;
    const isSo = await asks(supportPrompt(verdict.text, cited, asked, fence));
    return isSo === true ? { ...verdict, support: "supported", reason: "", rule: "reader" } : verdict;
  };
}
