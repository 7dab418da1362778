import type { LanguageModel } from "../../core/answers/answer.ts";
import { z } from "../../core/schema.ts";
import { openRemoteModel, type StreamPart } from "./protocol.ts";
import { parsedPart, providerFailed, type RemoteSettings } from "./remote.ts";

export interface OpenaiSettings extends RemoteSettings {
  /**
   * How the provider takes a GBNF grammar: `llama.cpp` as `grammar`, `vllm` as `structured_outputs` and, before
   * 0.12, as `guided_grammar`, `none` not at all: then the output is free and the caller checks its form. Default
   * `none`.
   */
  readonly grammar?: "llama.cpp" | "vllm" | "none";
}

const part = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            /** A model's thoughts: of llama.cpp, LM Studio and older vLLM; of vLLM and others. */
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
          })
          .nullish(),
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

const grammarMembers = (kind: "llama.cpp" | "vllm", grammar: string): object =>
  kind === "vllm" ? { structured_outputs: { grammar }, guided_grammar: grammar } : { grammar };

function readPart(data: string, url: URL): StreamPart {
  const { choices, usage, error } = parsedPart(url, data, part);
  if (error !== undefined && error !== null)
    throw providerFailed(url, `reports an error: ${JSON.stringify(error).slice(0, 200)}`);
  const { content, reasoning, reasoning_content: thought = reasoning } = choices[0]?.delta ?? {};
  const text = content ?? "";
  const reason = choices[0]?.finish_reason;
  return {
    ...(text === "" ? {} : { text }),
    ...(thought ? { isThought: true } : {}),
    ...(typeof reason === "string" ? { reason: reason === "length" ? "length" : "stop" } : {}),
    ...(usage === undefined || usage === null
      ? {}
      : {
          promptTokens: usage.prompt_tokens,
          outputTokens: usage.completion_tokens,
          reusedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
        }),
  };
}

/**
 * A model behind `/chat/completions` as OpenAI describes it: llama.cpp's server, vLLM, LM Studio and hosted
 * ones. Tokens are estimated before and counted by the provider after. @throws CONFIG_INVALID
 */
export default async function open(settings: OpenaiSettings): Promise<LanguageModel> {
  const { grammar: grammarKind = "none" } = settings;
  return openRemoteModel(
    {
      path: "/chat/completions",
      body: (messages, options) => ({
        model: settings.model,
        messages: messages.map(({ role, text }) => ({ role, content: text })),
        temperature: options.temperature,
        max_tokens: options.maxTokens,
        stream: true,
        stream_options: { include_usage: true },
        ...(options.grammar === undefined || grammarKind === "none"
          ? {}
          : grammarMembers(grammarKind, options.grammar)),
        ...(settings.mayThink === true ? { chat_template_kwargs: { enable_thinking: false } } : {}),
      }),
      read(line, url) {
        if (line.startsWith(":") || /^(event|id|retry):/.test(line)) return undefined;
        const data = line.replace(/^data:\s*/, "");
        return data === "[DONE]" ? { isLast: true } : readPart(data, url);
      },
    },
    settings,
  );
}
