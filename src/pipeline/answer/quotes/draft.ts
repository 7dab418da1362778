import type { LanguageModel, WrittenDraft } from "../../../core/answers/answer.ts";
import type { Context, Passage } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { checkAnswer } from "../check/check.ts";
import { headTokens, truncateToTokens } from "../context.ts";
import { generateAnswer, neutralizeMarkup } from "../ground.ts";
import { type Persona, prompt } from "../prompt.ts";
import { analyzeQuestion } from "../question.ts";
import { stripThinking, truncateIfCutOff } from "../statements.ts";
import type { StepClock } from "../step-clock.ts";
import { tokenBudgetFor } from "../token-budget.ts";

export interface DraftOptions {
  /** Budget for all passages, in the model's tokens. */
  readonly contextTokens: number;
  /** Longest draft, in tokens. */
  readonly maxTokens: number;
  /** 0 is greedy. */
  readonly temperature: number;
  /** The answering agent, as its operator describes it. */
  readonly persona?: Persona;
  /** `performance.now()` at which the model stops. Default: never. */
  readonly until?: number;
  /** Name of the fence around retrieved text, in lower-case letters and digits; new for each answer. */
  readonly fence: string;
}

/** The passages that fit into so many tokens, with their numbers; of the first its beginning, if none does. */
function fitting(passages: readonly Passage[], room: number, { count }: LanguageModel): readonly Passage[] {
  let left = room;
  const fits = passages.filter(({ text }) => {
    const cost = count(text) + headTokens;
    if (cost > left) return false;
    left -= cost;
    return true;
  });
  const [first] = passages;
  if (fits.length > 0 || first === undefined) return fits;
  return [{ ...first, text: truncateToTokens(first.text, room - headTokens, count) }];
}

/** What a small model writes about the passages that were quoted, with a verdict on each sentence. */
export async function writeDraft(
  passages: Context,
  model: LanguageModel,
  options: DraftOptions,
  run: Run,
  clock: StepClock,
): Promise<WrittenDraft> {
  clock.close("load", {});
  const read = {
    ...passages,
    passages: fitting(passages.passages, tokenBudgetFor(model, [], options), model),
  };
  const messages = prompt(read, options);
  const markers = read.passages.map(({ marker }) => marker);
  let text = "";
  let isDone = false;
  let counts: Record<string, number> = {};
  for await (const event of generateAnswer(messages, markers, model, options, run.signal)) {
    if (event.type === "text-delta") text = stripThinking(text + event.text);
    else {
      const { type: _, reason, toolCalls: __, ...measured } = event;
      isDone = reason === "stop";
      counts = { ...measured, late: Number(reason === "deadline") };
    }
  }
  clock.close("generate", counts);
  const shown = neutralizeMarkup(isDone ? text : truncateIfCutOff(text), read.passages).trim();
  const { sentences } = checkAnswer(shown, read.passages, analyzeQuestion(passages.question));
  clock.close("ground", { statements: sentences.length });
  return { model: model.id, text: shown, sentences };
}
