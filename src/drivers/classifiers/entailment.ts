import type { Entailment } from "../../core/answers/entailment.ts";
import { RagctlError } from "../../core/errors.ts";
import { openPairs, type PairSettings } from "./pairs.ts";

/** Probabilities of the labels. */
function softmax(logits: Float32Array): number[] {
  const highest = Math.max(...logits);
  const powers = Array.from(logits, (logit) => Math.exp(logit - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/**
 * Opens a model of natural language inference: the passage is the premise, the sentence the hypothesis.
 * @throws MODEL_MISSING, MODEL_UNREADABLE where no label is called `entailment`
 */
export default async function open(settings: PairSettings): Promise<Entailment> {
  const pairs = await openPairs(settings);
  const { labels } = pairs;
  const entailment = labels.findIndex((label) => label.toLowerCase() === "entailment");
  if (entailment < 0 || labels.length < 2) {
    await pairs[Symbol.asyncDispose]();
    throw new RagctlError(
      "MODEL_UNREADABLE",
      `${settings.id} has the labels ${labels.join(", ")}, but needs two or more with one called entailment`,
      { hint: "use a natural language inference model whose config.json has a label `entailment`" },
    );
  }
  return {
    id: settings.id,
    async judge(passage, sentence, signal) {
      const [logits = new Float32Array()] = await pairs.logits([[passage, sentence]], signal);
      const probabilities = softmax(logits);
      const likeliest = probabilities.indexOf(Math.max(...probabilities));
      return {
        entailed: likeliest === entailment,
        label: labels[likeliest] ?? "",
        probability: probabilities[likeliest] ?? 0,
      };
    },
    [Symbol.asyncDispose]: () => pairs[Symbol.asyncDispose](),
  };
}
