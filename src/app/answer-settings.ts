import type { Settings } from "../config/settings.ts";
import { type AskSettings, askDefaults } from "../pipeline/ask.ts";

/** What `ask` takes from the settings. */
export function answerSettings({ answer }: Settings): AskSettings {
  return {
    ...askDefaults,
    contextTokens: answer.contextTokens,
    maxTokens: answer.maxTokens,
    temperature: answer.temperature,
    evidence: { ...askDefaults.evidence, threshold: answer.threshold },
  };
}
