import type { LanguageModel } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";

/** A provider's failure for people who do not run it: its address and what it said are the owner's. */
function discreet(error: unknown): unknown {
  if (!(error instanceof RagctlError) || !error.code.startsWith("PROVIDER_")) return error;
  const what = error.code === "PROVIDER_UNAVAILABLE" ? "is currently not reachable" : "failed";
  return new RagctlError(error.code, `the language model's provider ${what}`, {
    hint: "the owner of this home can see why by asking the same question",
  });
}

/** Opens a model whose failures name neither the provider's address nor what it answered. */
export async function withRedactedErrors(
  open: () => Promise<LanguageModel | null>,
): Promise<LanguageModel | null> {
  const hidden = (error: unknown): never => {
    throw discreet(error);
  };
  const model = await open().catch(hidden);
  if (model === null) return null;
  return {
    ...model,
    async *generate(messages, options, signal) {
      try {
        yield* model.generate(messages, options, signal);
      } catch (error) {
        hidden(error);
      }
    },
  };
}
