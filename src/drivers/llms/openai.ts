import type { LanguageModel, Message, ModelTool } from "../../core/answers/answer.ts";
import { z } from "../../core/schema.ts";
import { argumentsText, type CallPart } from "./calls.ts";
import { createRemoteModel, type RequestOptions, type StreamPart } from "./remote-model.ts";
import { parseStreamChunk, providerFailed, type RemoteSettings } from "./remote-requests.ts";

export interface OpenaiSettings extends RemoteSettings {
  /**
   * How the provider takes a GBNF grammar: `llama.cpp` as `grammar`, `vllm` as `structured_outputs` and, before
   * 0.12, as `guided_grammar`, `none` not at all: then the output is free and the caller checks its form. Default
   * `none`.
   */
  readonly grammar?: "llama.cpp" | "vllm" | "none";
}

const call = z.looseObject({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
  /** What Gemini wants back with the call: its thoughts, signed. */
  extra_content: z.unknown().optional(),
});
const message = z.looseObject({
  content: z.string().nullish(),
  /** A model's thoughts: of llama.cpp, LM Studio and older vLLM; of vLLM and others. */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(call).nullish(),
});
const part = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: message.nullish(),
        /** The whole reply, of a server that does not stream it. */
        message: message.nullish(),
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

/** Calls whose extra content is kept, at most. */
const maxExtras = 1000;

const grammarMembers = (kind: "llama.cpp" | "vllm", grammar: string): object =>
  kind === "vllm" ? { structured_outputs: { grammar }, guided_grammar: grammar } : { grammar };

const callPart = ({ index, id, function: called }: z.infer<typeof call>): CallPart => ({
  ...(typeof index === "number" ? { index } : {}),
  id: id ?? "",
  name: called?.name ?? "",
  arguments: called?.arguments === undefined ? "" : argumentsText(called.arguments),
});

function keepExtras(calls: readonly z.infer<typeof call>[], extras: Map<string, unknown>): void {
  if (extras.size > maxExtras) extras.clear();
  for (const { id, extra_content: extra } of calls) if (id && extra) extras.set(id, extra);
}

const counts = (usage: NonNullable<z.infer<typeof part>["usage"]>) => ({
  promptTokens: usage.prompt_tokens,
  outputTokens: usage.completion_tokens,
  reusedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
});

function readPart(data: string, url: URL, extras: Map<string, unknown>): StreamPart {
  const { choices, usage, error } = parseStreamChunk(url, data, part);
  if (error !== undefined && error !== null)
    throw providerFailed(url, `reports an error: ${JSON.stringify(error).slice(0, 200)}`);
  const [choice] = choices;
  const {
    content,
    reasoning,
    reasoning_content: thought = reasoning,
    tool_calls: calls,
  } = choice?.delta ?? choice?.message ?? {};
  keepExtras(calls ?? [], extras);
  const text = content ?? "";
  const reason = choice?.finish_reason;
  return {
    ...(text === "" ? {} : { text }),
    ...(calls ? { calls: calls.map(callPart) } : {}),
    ...(thought ? { isThought: true } : {}),
    ...(typeof reason === "string" ? { reason: reason === "length" ? "length" : "stop" } : {}),
    ...(usage ? counts(usage) : {}),
  };
}

function messageBody({ role, text, toolCalls, toolCallId }: Message, extras: ReadonlyMap<string, unknown>) {
  if (role === "tool") return { role, tool_call_id: toolCallId, content: text };
  if (toolCalls === undefined || toolCalls.length === 0) return { role, content: text };
  return {
    role,
    content: text === "" ? null : text,
    tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: "function",
      function: { name, arguments: given },
      ...(extras.has(id) ? { extra_content: extras.get(id) } : {}),
    })),
  };
}

const toolMembers = (tools: readonly ModelTool[], { toolChoice = "auto" }: RequestOptions) => ({
  tools: tools.map((tool) => ({ type: "function", function: tool })),
  tool_choice: toolChoice,
});

/**
 * A model behind `/chat/completions` as OpenAI describes it: llama.cpp's server, vLLM, LM Studio and hosted
 * ones. Tokens are estimated before and counted by the provider after. @throws CONFIG_INVALID
 */
export default async function open(settings: OpenaiSettings): Promise<LanguageModel> {
  const { grammar: grammarKind = "none" } = settings;
  const extras = new Map<string, unknown>();
  return createRemoteModel(
    {
      path: "/chat/completions",
      body: (messages, options) => ({
        model: settings.model,
        messages: messages.map((message) => messageBody(message, extras)),
        ...(options.tools === undefined ? {} : toolMembers(options.tools, options)),
        ...(options.replySchema === undefined
          ? {}
          : {
              response_format: {
                type: "json_schema",
                json_schema: { name: "reply", schema: options.replySchema },
              },
            }),
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
        return data === "[DONE]" ? { isLast: true } : readPart(data, url, extras);
      },
    },
    settings,
  );
}
