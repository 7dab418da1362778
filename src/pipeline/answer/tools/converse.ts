import type { Generated, LanguageModel, Message, ModelToolCall } from "../../../core/answers/answer.ts";
import type { TraceEvent } from "../../../core/answers/trace.ts";
import { asRagctlError } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { didYouMean } from "../../../core/nearest.ts";
import type { Run } from "../../../core/run.ts";
import { formatZodIssues, z } from "../../../core/schema.ts";
import { lastReply, outcomeText } from "./messages.ts";
import type { Shelf, Shown } from "./passages.ts";
import type { ReaderTool, ToolOutcome } from "./tool.ts";

/** Limits of a conversation with a reader. */
export interface ConverseLimits {
  /** Replies of the reader at most, the answer included. */
  readonly calls: number;
  /** Passages that one tool call shows, at most. */
  readonly passages: number;
  /** Tokens of one reply. */
  readonly maxTokens: number;
  /** Tokens that one tool call may show. */
  readonly toolTokens: number;
  readonly temperature: number;
  /** `performance.now()` at which the reader stops. Default: never. */
  readonly until?: number;
}

/** A conversation with a reader: its messages so far, and what it was shown. */
export interface Conversation {
  readonly messages: Message[];
  readonly shelf: Shelf;
  readonly tools: readonly ReaderTool[];
  /** Name of the fence around quoted material. */
  readonly fence: string;
  readonly model: LanguageModel;
  readonly limits: ConverseLimits;
  /** Calls made so far, as written, to refuse the same one twice. */
  readonly made: Set<string>;
  /** Replies of the reader so far. */
  replies: number;
}

/** A reply without calls. */
export interface Reply {
  readonly text: string;
  readonly reason: Extract<Generated, { type: "generation-end" }>["reason"];
}

/** Calls of one reply that are made; a reader that asks for more is told so. */
const callsAtOnce = 4;

/** Tokens that are kept free for the reply and the template around messages. */
const margin = 256;

/** Tokens of a conversation so far, in those of its reader. */
const sizeOf = ({ messages, model }: Conversation): number =>
  messages.reduce(
    (sum, { text, toolCalls = [] }) =>
      sum + model.count(text) + toolCalls.reduce((size, call) => size + model.count(call.arguments) + 16, 0),
    0,
  );

/** Tokens that a tool may still show. */
function roomOf(conversation: Conversation): number {
  const { model, limits } = conversation;
  const free = model.contextTokens - sizeOf(conversation) - limits.maxTokens - margin;
  return Math.max(0, Math.min(limits.toolTokens, free));
}

const least = 200;

/** Whether another reply may call tools: there is one left after it, room for what it finds, and time. */
function mayCall(conversation: Conversation, longestMs: number): boolean {
  const { replies, limits, tools } = conversation;
  const isInTime = limits.until === undefined || performance.now() + 2 * longestMs < limits.until;
  return tools.length > 0 && replies + 1 < limits.calls && roomOf(conversation) >= least && isInTime;
}

/** The arguments as an object; a text says what is wrong with them. */
function argumentsOf({ arguments: written }: ModelToolCall): JsonObject | string {
  try {
    const read: unknown = written.trim() === "" ? {} : JSON.parse(written);
    const checked = z.record(z.string(), z.unknown()).safeParse(read);
    return checked.success ? checked.data : "the arguments must be a JSON object";
  } catch (error) {
    return `the arguments are no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const refused = (why: string): ToolOutcome => ({ decided: `refused a call: ${why}`, hits: [], note: why });

/** Makes one call; whatever is wrong with it is told to the reader, who may mend it. */
async function outcomeOf(call: ModelToolCall, { tools, made }: Conversation, run: Run): Promise<ToolOutcome> {
  const tool = tools.find(({ definition }) => definition.name === call.name);
  if (tool === undefined) {
    const names = tools.map(({ definition }) => definition.name);
    return refused(
      `there is no tool “${call.name.slice(0, 60)}”${didYouMean(call.name, names)}; the tools are ${names.join(", ")}`,
    );
  }
  const written = argumentsOf(call);
  if (typeof written === "string") return refused(written);
  const key = JSON.stringify([call.name, written]);
  if (made.has(key)) return refused("this call was made before: answer from what it gave, or try another");
  made.add(key);
  try {
    return await tool.call(written, run);
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof z.ZodError) return refused(`${call.name}: ${formatZodIssues(error)}`);
    const { message, hint } = asRagctlError(error);
    return refused([`${call.name}: ${message}`, hint ?? ""].filter((part) => part !== "").join("; "));
  }
}

const nothingShown: Shown = { passages: [], repeated: [], leftOut: [] };

/** Makes the calls of a reply in their order; each becomes a message and an event of the trace. */
async function* callTools(
  calls: readonly ModelToolCall[],
  conversation: Conversation,
  run: Run,
): AsyncGenerator<TraceEvent> {
  const { messages, shelf, limits, fence } = conversation;
  for (const [at, call] of calls.entries()) {
    run.signal.throwIfAborted();
    const since = performance.now();
    const outcome =
      at < callsAtOnce
        ? await outcomeOf(call, conversation, run)
        : refused(`only ${callsAtOnce} calls are made at once: repeat this one`);
    const room = roomOf(conversation);
    const shown = outcome.hits.length === 0 ? nothingShown : shelf.add(outcome.hits, room, limits.passages);
    messages.push({ role: "tool", toolCallId: call.id, text: outcomeText(outcome, shown, fence) });
    yield {
      node: conversation.tools.some(({ definition }) => definition.name === call.name) ? call.name : "tool",
      decided: outcome.decided,
      durationMs: performance.now() - since,
      details: {
        arguments: call.arguments,
        passages: shown.passages.map(({ marker, chunk }) => ({ marker, chunk: chunk.id })),
        again: shown.repeated,
        note: outcome.note ?? "",
      },
    };
  }
}

/** How a generation ended. */
export type End = Extract<Generated, { type: "generation-end" }>;

/** One generation: the text and how it ended; it becomes the last message. */
async function nextReply({ messages, model, tools, limits }: Conversation, isLast: boolean, run: Run) {
  let text = "";
  let end: End | undefined;
  const toolChoice = isLast ? ("none" as const) : ("auto" as const);
  const options = {
    ...{ temperature: limits.temperature, maxTokens: limits.maxTokens, keepSystem: true },
    ...(tools.length === 0 ? {} : { tools: tools.map(({ definition }) => definition), toolChoice }),
    ...(limits.until === undefined ? {} : { until: limits.until }),
  };
  for await (const event of model.generate(messages, options, run.signal)) {
    if (event.type === "text-delta") text += event.text;
    else end = event;
  }
  const calls = isLast ? [] : (end?.toolCalls ?? []);
  messages.push({ role: "assistant", text, ...(calls.length === 0 ? {} : { toolCalls: calls }) });
  return { text, end, calls };
}

/** Whether there is time for another question to the reader. */
export const isInTime = ({ limits: { until } }: Conversation): boolean =>
  until === undefined || performance.now() < until;

/** Asks a reader for JSON, after all that it was told so far; the request is no part of the conversation. */
export async function requestJson(
  added: readonly Message[],
  schema: JsonObject,
  { messages, model, limits }: Conversation,
  run: Run,
  measured: (end: End) => void,
): Promise<string> {
  let text = "";
  const { until, maxTokens } = limits;
  const options = { temperature: 0, maxTokens, schema, ...(until === undefined ? {} : { until }) };
  for await (const event of model.generate([...messages, ...added], options, run.signal)) {
    if (event.type === "text-delta") text += event.text;
    else measured(event);
  }
  return text;
}

/**
 * Lets a reader reply, and makes the calls it asks for, until it answers without one. Its last reply may call
 * none. Every message is appended, so that a model of this machine reads nothing twice.
 */
export async function* runToolLoop(
  conversation: Conversation,
  run: Run,
  measured: (end: End) => void,
): AsyncGenerator<TraceEvent, Reply> {
  let longestMs = 0;
  for (;;) {
    run.signal.throwIfAborted();
    const since = performance.now();
    const isLast = !mayCall(conversation, longestMs);
    if (isLast && conversation.messages.at(-1)?.role === "tool")
      conversation.messages.push({ role: "user", text: lastReply });
    const { text, end, calls } = await nextReply(conversation, isLast, run);
    conversation.replies += 1;
    longestMs = Math.max(longestMs, performance.now() - since);
    if (end !== undefined) measured(end);
    if (calls.length === 0) return { text, reason: end?.reason ?? "length" };
    yield* callTools(calls, conversation, run);
  }
}
