import type { Token } from "node-llama-cpp";
import type { GenerateOptions, Message, ModelTool, ModelToolCall } from "../../core/answers/answer.ts";
import type { LlamaSession } from "../runtime/llama.ts";
import type { Conversed } from "../runtime/llama-chat.ts";
import { openCalls } from "./calls.ts";
import { openReplyReader } from "./reply.ts";
import { createThinkingFilter } from "./thoughts.ts";

/** The tools that a reply may call; one that must follow a grammar or a schema calls none. */
export const callable = ({
  tools = [],
  grammar,
  schema,
  toolChoice,
}: GenerateOptions): readonly ModelTool[] =>
  grammar === undefined && schema === undefined && toolChoice !== "none" ? tools : [];

const sameLength = (one: readonly Token[], other: readonly Token[]): number => {
  const at = one.findIndex((token, index) => token !== other[index]);
  return at < 0 ? one.length : at;
};

/**
 * Where the steps of a conversation end within its prompt: each beginning that was a prompt itself, as far as
 * it stays the same when the conversation goes on.
 */
export function stepEnds(
  session: LlamaSession,
  messages: readonly Message[],
  tools: readonly ModelTool[],
): readonly number[] {
  const [tool] = tools;
  if (tool === undefined) return [];
  const call = { id: "next", name: tool.name, arguments: "{}" };
  const next: readonly Message[] = [
    ...messages,
    { role: "assistant", text: "", toolCalls: [call] },
    { role: "tool", text: "", toolCallId: call.id },
  ];
  const longer = session.render(next, tools);
  return next.flatMap(({ toolCalls = [] }, at) => {
    if (toolCalls.length === 0) return [];
    const prompt = session.render(next.slice(0, at), tools);
    return [Math.min(sameLength(prompt, longer), prompt.length - 1)];
  });
}

/** The end of a reply; `isLate`: its deadline cut it off. */
export interface ConversedEnd extends Omit<Conversed, "calls"> {
  readonly toolCalls: readonly ModelToolCall[];
  readonly isLate: boolean;
}

/** Writes a reply that may call tools, after a prompt that was read; "" says that anything was written. */
export async function* writeReply(
  session: LlamaSession,
  messages: readonly Message[],
  options: GenerateOptions & { readonly tools: readonly ModelTool[] },
  signal: AbortSignal,
  late: AbortSignal,
): AsyncGenerator<string, ConversedEnd> {
  const { tools, temperature, maxTokens, seed } = options;
  const left = new AbortController();
  const writing = { temperature, maxTokens, ...(seed === undefined ? {} : { seed }) };
  const { readable, writable } = new TransformStream<string, string>();
  const pieces = writable.getWriter();
  const ended = session
    .converse(messages, tools, {
      ...writing,
      onText: (text) => void pieces.write(text).catch(() => undefined),
      signal: AbortSignal.any([signal, late, left.signal]),
    })
    .finally(() => void pieces.close().catch(() => undefined));
  // Awaited below, when all of its text was taken.
  ended.catch(() => undefined);
  const thoughts = createThinkingFilter();
  const names = tools.map(({ name }) => name);
  const reply = openReplyReader(names, "text");
  const calls = openCalls(messages);
  try {
    for await (const piece of readable) yield reply.take(thoughts.take(piece));
    const end = await ended.catch((error: unknown) => {
      if (!late.aborted || signal.aborted) throw error;
      return undefined;
    });
    const rest = reply.take(thoughts.rest());
    const { text, calls: inText } = reply.end();
    if (rest + text !== "") yield rest + text;
    calls.add([...inText, ...(end?.calls ?? [])]);
    const { isCut = false, outputTokens = 0 } = end ?? {};
    return {
      toolCalls: end === undefined ? [] : calls.calls(),
      isCut,
      outputTokens,
      isLate: end === undefined,
    };
  } finally {
    left.abort(new Error("its reader left"));
    await ended.catch(() => undefined);
  }
}
