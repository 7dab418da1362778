// What the scripts that measure decisions share: drivers with vectors kept by text, a silent run, a median.
import type { DecisionDrivers } from "../../src/agents/decide/drivers.ts";
import type { LanguageModel } from "../../src/core/answers/answer.ts";
import type { Embedder } from "../../src/core/documents/embedding.ts";
import type { Run } from "../../src/core/run.ts";

export const quiet: Run = {
  id: "eval",
  principal: "owner",
  signal: new AbortController().signal,
  log: { event: () => undefined, warn: () => undefined },
};

/** Drivers that embed each text once per purpose, as the app's cache does. */
export function decisionDrivers(embedder: Embedder, model: LanguageModel | null): DecisionDrivers {
  const kept = new Map<string, Float32Array>();
  return {
    async embed(texts, purpose) {
      const missing = [...new Set(texts)].filter((text) => !kept.has(`${purpose} ${text}`));
      const made = missing.length === 0 ? [] : await embedder.embed(missing, { purpose }, quiet.signal);
      for (const [index, text] of missing.entries()) {
        const vector = made[index]?.dense;
        if (vector !== undefined) kept.set(`${purpose} ${text}`, vector);
      }
      return texts.map((text) => kept.get(`${purpose} ${text}`) ?? new Float32Array());
    },
    model: async () => model,
  };
}

/** The middle number; 0 for none. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
