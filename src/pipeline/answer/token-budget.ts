import type { Turn } from "../../core/answers/agent.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import { type Persona, personaText } from "./prompt.ts";

/** Tokens for the rules, the question and the fences. */
const promptTokens = 256;
/** Largest share of a small window reserved for the answer. */
const answerShare = 1 / 3;
/** Fewest tokens in which a passage says something. */
const leastRoom = 48;

/**
 * Tokens left for passages after the answer and the earlier turns. @throws USAGE_INVALID if there are none
 */
export function tokenBudgetFor(
  model: Pick<LanguageModel, "id" | "contextTokens" | "count"> | null,
  history: readonly Turn[],
  options: { readonly contextTokens: number; readonly maxTokens: number; readonly persona?: Persona },
): number {
  if (model === null) return options.contextTokens;
  const { id, contextTokens: window, count } = model;
  const { persona } = options;
  const frontSize = persona === undefined ? 0 : count(personaText(persona));
  const historySize = history.reduce((sum, turn) => sum + count(turn.text) + 8, 0);
  const answerSize = Math.min(options.maxTokens, Math.floor(window * answerShare));
  const room = window - answerSize - promptTokens - frontSize - historySize;
  if (room >= leastRoom) return Math.min(options.contextTokens, room);
  throw new RagctlError(
    "USAGE_INVALID",
    `${id} has a context of ${window} tokens, too small to read a passage`,
    {
      hint: "use a model with a larger context, or set its size: ragctl providers set … --option context_tokens=N",
    },
  );
}
