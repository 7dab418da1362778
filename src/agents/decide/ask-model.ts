import type { LanguageModel } from "../../core/answers/answer.ts";
import type { Run } from "../../core/run.ts";
import type { DecisionDrivers } from "./drivers.ts";

/** A short prompt and the limits of its completion. */
export interface Prompt {
  readonly system: string;
  readonly user: string;
  /** GBNF. */
  readonly grammar: string;
  readonly maxTokens: number;
}

/**
 * Asks the model for one short line, decoded greedily. Null if there is no model, if it fails (with a
 * warning; every caller has a rule to fall back on), or if it does not finish within `maxTokens`.
 */
export async function askModel(
  drivers: Pick<DecisionDrivers, "model">,
  prompt: Prompt,
  run: Run,
): Promise<{ readonly model: string; readonly text: string } | null> {
  try {
    const model = await drivers.model();
    if (model === null) return null;
    const text = await complete(model, prompt, run.signal);
    return text === null ? null : { model: model.id, text };
  } catch (error) {
    run.signal.throwIfAborted();
    run.log.warn("cannot ask the model for a decision; a rule decides instead", {
      reason: error instanceof Error ? error.message : String(error),
    });
    return null;
  }
}

/** Null if the model was cut off. */
async function complete(
  model: LanguageModel,
  { system, user, grammar, maxTokens }: Prompt,
  signal: AbortSignal,
): Promise<string | null> {
  const messages = [
    { role: "system", text: system },
    { role: "user", text: user },
  ] as const;
  let text = "";
  let finished = false;
  for await (const event of model.generate(messages, { temperature: 0, grammar, maxTokens }, signal)) {
    if (event.type === "text-delta") text += event.text;
    else finished = event.reason === "stop";
  }
  return finished ? text.trim() : null;
}
