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

export interface OpenaiSettings extends RemoteSettings {
  /**
   * How the provider takes a GBNF grammar: `llama.cpp` as `grammar`, `vllm` as `guided_grammar`, `none` not at all: then the output is free and
   * whoever asked for a form checks it. Default `none`.
   */
  readonly grammar?: "llama.cpp" | "vllm" | "none";
}

const part = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z.looseObject({ content: z.string().nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z
    .looseObject({
      prompt_tokens: z.number().default(0),
      completion_tokens: z.number().default(0),
      prompt_tokens_details: z.looseObject({ cached_tokens: z.number().default(0) }).nullish(),
    })
    .nullish(),
  error: z.unknown().optional(),
});

/**
 * A model behind `/chat/completions` as OpenAI describes it: llama.cpp's server, vLLM, LM Studio and hosted ones. Tokens are estimated before
 * and counted by the provider after. @throws CONFIG_INVALID
 */
export default async function open(settings: OpenaiSettings): Promise<LanguageModel> {
  const url = endpointOf(settings.baseUrl, "/chat/completions");
  const contextTokens = settings.contextTokens ?? 8192;
  const closing = new AbortController();
  return {
    id: settings.model,
    contextTokens,
    provider: url.host,
    count: estimateTokens,
    async *generate(messages, options, signal) {
      checkLength(messages, contextTokens, settings.model);
      const grammar =
        options.grammar === undefined || (settings.grammar ?? "none") === "none"
          ? {}
          : { [settings.grammar === "vllm" ? "guided_grammar" : "grammar"]: options.grammar };
      const body = {
        model: settings.model,
        messages: messages.map(({ role, text }) => ({ role, content: text })),
        temperature: options.temperature,
        max_tokens: options.maxTokens,
        stream: true,
        stream_options: { include_usage: true },
        ...grammar,
      };
      const started = performance.now();
      let firstAt = 0;
      let deltas = 0;
      let reason: "stop" | "length" | undefined;
      let usage: z.infer<typeof part>["usage"];
      for await (const line of postLines(url, body, settings, AbortSignal.any([signal, closing.signal]))) {
        if (line.startsWith(":") || /^(event|id|retry):/.test(line)) continue;
        const data = line.replace(/^data:\s*/, "");
        if (data === "[DONE]") break;
        const { choices, usage: counted, error } = parsedPart(url, data, part);
        if (error !== undefined && error !== null)
          throw providerFailed(url, `reports an error: ${JSON.stringify(error).slice(0, 200)}`);
        usage = counted ?? usage;
        const [choice] = choices;
        const text = choice?.delta?.content ?? "";
        if (text !== "") {
          if (deltas === 0) firstAt = performance.now();
          deltas += 1;
          yield { type: "text-delta", text };
        }
        if (typeof choice?.finish_reason === "string")
          reason = choice.finish_reason === "length" ? "length" : "stop";
      }
      if (reason === undefined) throw providerFailed(url, "ended its answer before it was whole");
      const ended = performance.now();
      if (deltas === 0) firstAt = ended;
      yield {
        type: "generation-end",
        reason,
        promptTokens:
          usage?.prompt_tokens ?? messages.reduce((sum, message) => sum + estimateTokens(message.text), 0),
        reusedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
        outputTokens: usage?.completion_tokens ?? deltas,
        prefillMs: firstAt - started,
        decodeMs: ended - firstAt,
      };
    },
    async [Symbol.asyncDispose]() {
      closing.abort(providerFailed(url, "was closed while it was answering"));
    },
  };
}
