import type { LanguageModel } from "../../core/answers/answer.ts";
import { z } from "../../core/schema.ts";
import {
  checkLength,
  endpointOf,
  estimateTokens,
  parsedPart,
  postLines,
  providerFailed,
  type RemoteSettings,
} from "./remote.ts";

export interface OllamaSettings extends RemoteSettings {
  /** How long the server keeps the model loaded, e.g. `10m`. Default: as the server is set. */
  readonly keepAlive?: string;
}

const part = z.looseObject({
  message: z.looseObject({ content: z.string().default("") }).optional(),
  done: z.boolean().default(false),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().optional(),
  prompt_eval_duration: z.number().optional(),
  eval_count: z.number().optional(),
  error: z.string().optional(),
});

/**
 * A model behind Ollama's `/api/chat`. Ollama takes no GBNF grammar: a grammar is not sent, and whoever asked for a form checks the output.
 * @throws CONFIG_INVALID
 */
export default async function open(settings: OllamaSettings): Promise<LanguageModel> {
  const url = endpointOf(settings.baseUrl, "/api/chat");
  const contextTokens = settings.contextTokens ?? 8192;
  const closing = new AbortController();
  return {
    id: settings.model,
    contextTokens,
    provider: url.host,
    count: estimateTokens,
    async *generate(messages, options, signal) {
      checkLength(messages, contextTokens, settings.model);
      const body = {
        model: settings.model,
        ...(settings.keepAlive === undefined ? {} : { keep_alive: settings.keepAlive }),
        messages: messages.map(({ role, text }) => ({ role, content: text })),
        stream: true,
        options: { temperature: options.temperature, num_predict: options.maxTokens, num_ctx: contextTokens },
      };
      const started = performance.now();
      let firstAt = 0;
      let deltas = 0;
      let last: z.infer<typeof part> | undefined;
      for await (const line of postLines(url, body, settings, AbortSignal.any([signal, closing.signal]))) {
        const event = parsedPart(url, line, part);
        if (event.error !== undefined)
          throw providerFailed(url, `reports an error: ${event.error.slice(0, 200)}`);
        const text = event.message?.content ?? "";
        if (text !== "") {
          if (deltas === 0) firstAt = performance.now();
          deltas += 1;
          yield { type: "text-delta", text };
        }
        if (event.done) {
          last = event;
          break;
        }
      }
      if (last === undefined) throw providerFailed(url, "ended its answer before it was whole");
      const ended = performance.now();
      if (deltas === 0) firstAt = ended;
      const estimated = messages.reduce((sum, message) => sum + estimateTokens(message.text), 0);
      const promptTokens = last.prompt_eval_count ?? estimated;
      yield {
        type: "generation-end",
        reason: last.done_reason === "length" ? "length" : "stop",
        promptTokens,
        reusedTokens: 0,
        outputTokens: last.eval_count ?? deltas,
        prefillMs: firstAt - started,
        decodeMs: ended - firstAt,
      };
    },
    async [Symbol.asyncDispose]() {
      closing.abort(providerFailed(url, "was closed while it was answering"));
    },
  };
}
