import type { LanguageModel } from "../../core/answers/answer.ts";
import { z } from "../../core/schema.ts";
import { openRemoteModel, type StreamPart } from "./protocol.ts";
import { parsedPart, providerFailed, type RemoteSettings } from "./remote.ts";

export interface OllamaSettings extends RemoteSettings {
  /** How long the server keeps the model loaded, e.g. `10m`. Default: as the server is set. */
  readonly keepAlive?: string;
}

const part = z.looseObject({
  message: z.looseObject({ content: z.string().default(""), thinking: z.string().nullish() }).optional(),
  done: z.boolean().default(false),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().optional(),
  prompt_eval_duration: z.number().optional(),
  eval_count: z.number().optional(),
  error: z.string().optional(),
});

function readPart(line: string, url: URL): StreamPart {
  const event = parsedPart(url, line, part);
  if (event.error !== undefined) throw providerFailed(url, `reports an error: ${event.error.slice(0, 200)}`);
  const text = event.message?.content ?? "";
  return {
    ...(text === "" ? {} : { text }),
    ...(event.message?.thinking ? { isThought: true } : {}),
    ...(event.done ? { reason: event.done_reason === "length" ? "length" : "stop", isLast: true } : {}),
    ...(event.prompt_eval_count === undefined ? {} : { promptTokens: event.prompt_eval_count }),
    ...(event.eval_count === undefined ? {} : { outputTokens: event.eval_count }),
  };
}

/**
 * A model behind Ollama's `/api/chat`. Ollama takes a JSON Schema and no GBNF grammar: a grammar is not sent,
 * and the caller checks the form of the output.
 * @throws CONFIG_INVALID
 */
export default async function open(settings: OllamaSettings): Promise<LanguageModel> {
  return openRemoteModel(
    {
      path: "/api/chat",
      body: (messages, options, contextTokens) => ({
        model: settings.model,
        ...(settings.keepAlive === undefined ? {} : { keep_alive: settings.keepAlive }),
        messages: messages.map(({ role, text }) => ({ role, content: text })),
        stream: true,
        ...(options.schema === undefined ? {} : { format: options.schema }),
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
