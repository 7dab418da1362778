import type { LanguageModel, Message } from "../../core/answers/answer.ts";
import type { JsonObject } from "../../core/json.ts";
import { z } from "../../core/schema.ts";
import { argumentsText } from "./calls.ts";
import { toolOf } from "./offer.ts";
import { createRemoteModel, type StreamPart } from "./remote-model.ts";
import { parseStreamChunk, providerFailed, type RemoteSettings } from "./remote-requests.ts";

export interface OllamaSettings extends RemoteSettings {
  /** How long the server keeps the model loaded, e.g. `10m`. Default: as the server is set. */
  readonly keepAlive?: string;
}

const call = z.looseObject({
  id: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
});
const part = z.looseObject({
  message: z
    .looseObject({
      content: z.string().default(""),
      thinking: z.string().nullish(),
      tool_calls: z.array(call).nullish(),
    })
    .optional(),
  done: z.boolean().default(false),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().optional(),
  prompt_eval_duration: z.number().optional(),
  eval_count: z.number().optional(),
  error: z.string().optional(),
});

/** Always whole, mostly without an id. */
const callPart = ({ id = "", function: { name, arguments: given } }: z.infer<typeof call>) => ({
  id,
  name,
  arguments: argumentsText(given),
});

/** Arguments as Ollama takes them back; what is broken was told in the result. */
function argumentsObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

function messageBody(message: Message, messages: readonly Message[]): object {
  const { role, text: content, toolCalls = [] } = message;
  if (role === "tool") return { role, tool_name: toolOf(message, messages), content };
  if (toolCalls.length === 0) return { role, content };
  const calls = toolCalls.map(({ name, arguments: given }) => ({
    function: { name, arguments: argumentsObject(given) },
  }));
  return { role, content, tool_calls: calls };
}

function readPart(line: string, url: URL): StreamPart {
  const event = parseStreamChunk(url, line, part);
  if (event.error !== undefined) throw providerFailed(url, `reports an error: ${event.error.slice(0, 200)}`);
  const { content: text = "", tool_calls: calls } = event.message ?? {};
  return {
    ...(text === "" ? {} : { text }),
    ...(calls ? { calls: calls.map(callPart) } : {}),
    ...(event.message?.thinking ? { isThought: true } : {}),
    ...(event.done ? { reason: event.done_reason === "length" ? "length" : "stop", isLast: true } : {}),
    ...(event.prompt_eval_count === undefined ? {} : { promptTokens: event.prompt_eval_count }),
    ...(event.eval_count === undefined ? {} : { outputTokens: event.eval_count }),
  };
}

const formatMember = (schema: JsonObject | undefined): object =>
  schema === undefined ? {} : { format: schema };

/**
 * A model behind Ollama's `/api/chat`. Ollama takes a JSON Schema and no GBNF grammar: a grammar is not sent,
 * and the caller checks the form of the output.
 * @throws CONFIG_INVALID
 */
export default async function open(settings: OllamaSettings): Promise<LanguageModel> {
  return createRemoteModel(
    {
      path: "/api/chat",
      body: (messages, options, contextTokens) => ({
        model: settings.model,
        ...(settings.keepAlive === undefined ? {} : { keep_alive: settings.keepAlive }),
        messages: messages.map((message) => messageBody(message, messages)),
        stream: true,
        // It cannot be told that none may be called.
        ...(options.tools === undefined || options.toolChoice === "none"
          ? {}
          : { tools: options.tools.map((tool) => ({ type: "function", function: tool })) }),
        ...formatMember(options.replySchema ?? options.schema),
        // One that cannot think refuses the wish.
        ...(settings.mayThink === true ? { think: false } : {}),
        options: {
          temperature: options.temperature,
          num_predict: options.maxTokens,
          num_ctx: contextTokens,
        },
      }),
      read: readPart,
    },
    settings,
  );
}
