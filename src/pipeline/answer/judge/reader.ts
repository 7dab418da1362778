import type { Generated, LanguageModel, Message } from "../../../core/answers/answer.ts";
import { isFinding } from "../../../core/answers/tool.ts";
import type { Passage } from "../../../core/retrieval.ts";
import { supportPrompt } from "../prompt.ts";
import { ofEveryReader } from "./rules.ts";
import type { SecondJudge } from "./second.ts";

/** The answer to a yes-or-no prompt; null if it is neither. */
export type Asks = (messages: readonly Message[]) => Promise<boolean | null>;

/** Cost of writing an answer. */
export type Took = Pick<
  Extract<Generated, { readonly type: "generation-end" }>,
  "prefillMs" | "decodeMs" | "promptTokens" | "reusedTokens"
>;

/** Deadline for a prompt of so many tokens, as `performance.now()`; null if it could not be read in time. */
export type Allowance = (tokens: number) => number | null;

/** Starts an allowance: a share of the time the answer took, counted from now. */
export function openAllowance(took: Took, share: number): Allowance {
  const { prefillMs, decodeMs, promptTokens, reusedTokens } = took;
  const until = performance.now() + (prefillMs + decodeMs) * share;
  const tokenMs = prefillMs / Math.max(1, promptTokens - reusedTokens);
  return (tokens) => (performance.now() + tokens * tokenMs < until ? until : null);
}

/** Enough for yes or no, in quotes where a server writes JSON. */
const maxTokens = 6;
const grammar = 'root ::= "yes" | "no"';
const schema = { enum: ["yes", "no"] };

/** Asks a model for yes or no within an allowance; null for neither, or if there is not enough time. */
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
 * Asks the model that wrote an answer whether the cited passages support a sentence that a rule or the word
 * tie only marks. It can only raise the verdict to supported; dates, numbers, names and results of tools are
 * out of its hands.
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
