import type { Settings } from "../../config/settings.ts";
import { type SynthesizeOptions, synthesizeDefaults } from "../../pipeline/answer/synthesize.ts";

/** What `ask` takes from the settings. */
export function answerSettings({ answer }: Settings): SynthesizeOptions {
  return {
    ...synthesizeDefaults,
    contextTokens: answer.contextTokens,
    maxTokens: answer.maxTokens,
    temperature: answer.temperature,
    evidence: { ...synthesizeDefaults.evidence, threshold: answer.threshold },
  };
}
