import type { LanguageModel } from "../../core/answers/answer.ts";
import type { Purpose } from "../../core/documents/embedding.ts";
import type { Run } from "../../core/run.ts";

/** What the deciding nodes ask of the outside. */
export interface DecisionDrivers {
  /** Unit vectors, shape [texts][dimensions], same order. Fixed texts come again on every call: the caller keeps their vectors. */
  embed(texts: readonly string[], purpose: Purpose): Promise<readonly Float32Array[]>;
  /** Null where no model is installed. */
  model(): Promise<LanguageModel | null>;
}

/** Mean of the `count` largest numbers; 0 for none. */
export function meanOfLargest(numbers: readonly number[], count: number): number {
  const largest = numbers.toSorted((a, b) => b - a).slice(0, count);
  return largest.reduce((sum, number) => sum + number, 0) / Math.max(1, largest.length);
}

/** Mean and standard deviation; the latter at least 1e-6, so that it can divide. */
export function spread(numbers: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const count = Math.max(1, numbers.length);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / count;
  const variance = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / count;
  return { mean, deviation: Math.max(1e-6, Math.sqrt(variance)) };
}

/**
 * One short line of the model under a grammar, greedy. Null where no model is there, where it failed (the run is warned: what asks
 * has a rule to fall back on) or did not come to an end within `maxTokens`.
 */
export async function askModel(
  drivers: Pick<DecisionDrivers, "model">,
  [system, user]: readonly [string, string],
  options: { readonly grammar: string; readonly maxTokens: number },
  run: Run,
): Promise<{ readonly model: string; readonly text: string } | null> {
  try {
    const model = await drivers.model();
    if (model === null) return null;
    let text = "";
    let ended = false;
    const messages = [
      { role: "system", text: system },
      { role: "user", text: user },
    ] as const;
    for await (const event of model.generate(messages, { temperature: 0, ...options }, run.signal)) {
      if (event.type === "text-delta") text += event.text;
      else ended = event.reason === "stop";
    }
    return ended ? { model: model.id, text: text.trim() } : null;
  } catch (error) {
    run.signal.throwIfAborted();
    run.log.warn("the model could not be asked for a decision; a rule takes it", {
      reason: error instanceof Error ? error.message : String(error),
    });
    return null;
  }
}
