import type {
  ChatHistoryItem,
  ChatModelFunctionCall,
  ChatModelFunctions,
  ChatModelResponse,
  GbnfJsonSchema,
  LlamaChat,
} from "node-llama-cpp";
import type { Message, ModelTool, ModelToolCall } from "../../core/answers/answer.ts";
import { z } from "../../core/schema.ts";

/** A call that a model of this machine wrote: its arguments follow the schema of its tool. */
export interface FunctionCall {
  readonly name: string;
  readonly arguments: string;
}

/** How a reply with functions is written. */
export interface ConverseOptions {
  readonly temperature: number;
  readonly seed?: number;
  readonly maxTokens: number;
  /** Receives text of the answer; "" while the model writes anything else. */
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The end of such a reply. */
export interface Conversed {
  readonly calls: readonly FunctionCall[];
  readonly isCut: boolean;
  readonly outputTokens: number;
}

/** The JSON that a text is, else the text. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Messages as chat wrappers take them: the calls of an assistant hold their results, and what it says after
 * them belongs to the same response. The last item is the response to be written.
 */
export function historyOf(messages: readonly Message[]): ChatHistoryItem[] {
  const items: ChatHistoryItem[] = [];
  const calls = new Map<string, ChatModelFunctionCall>();
  /** Whether the last item is a response that goes on. */
  let isOpen = false;
  const respond = (parts: ChatModelResponse["response"]): void => {
    const last = items.at(-1);
    if (isOpen && last?.type === "model") last.response.push(...parts);
    else items.push({ type: "model", response: parts });
  };
  const take = {
    system: ({ text }: Message) => items.push({ type: "system", text }),
    user: ({ text }: Message) => items.push({ type: "user", text }),
    assistant({ text, toolCalls = [] }: Message) {
      const made = toolCalls.map(functionCall);
      for (const [at, item] of made.entries()) calls.set(toolCalls[at]?.id ?? "", item);
      respond(text === "" ? made : [text, ...made]);
    },
    tool({ text, toolCallId = "" }: Message) {
      const call = calls.get(toolCallId);
      if (call === undefined) items.push({ type: "user", text });
      else call.result = text;
    },
  };
  for (const message of messages) {
    take[message.role](message);
    isOpen = message.role === "tool" || (message.toolCalls ?? []).length > 0;
  }
  respond([]);
  return items;
}

const functionCall = ({ name, arguments: given }: ModelToolCall, at: number): ChatModelFunctionCall => ({
  type: "functionCall",
  name,
  params: jsonOr(given),
  result: undefined,
  startsNewChunk: at === 0,
});

const schema = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});

/**
 * A JSON Schema in the dialect of the grammar maker, which requires all properties: one that may be left out
 * may be null.
 */
function grammarSchema(value: unknown): GbnfJsonSchema {
  const { properties, required, items, anyOf, ...others } = schema.parse(value);
  const entries = Object.entries(properties ?? {}).map(([name, property]) => {
    const own = grammarSchema(property);
    return [name, required.includes(name) ? own : { oneOf: [own, { type: "null" }] }];
  });
  return {
    ...others,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(entries) }),
    ...(items === undefined ? {} : { items: grammarSchema(items) }),
    ...(anyOf === undefined ? {} : { oneOf: anyOf.map(grammarSchema) }),
  } as GbnfJsonSchema;
}

/** Tools as the functions of a chat wrapper; none are no functions. */
export function functionsOf(tools: readonly ModelTool[]): ChatModelFunctions {
  const entries = tools.map(({ name, description, parameters }) => [
    name,
    { description, params: grammarSchema(parameters) },
  ]);
  return Object.fromEntries(entries);
}

/** Arguments without the members that stand for what was left out. */
const argumentsOf = (params: unknown): string =>
  JSON.stringify(params ?? {}, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
      : value,
  );

/** The history does not fit, and nothing of it may be dropped unseen. */
class Full extends Error {}

/** Writes a reply that may call functions, after what the sequence of `chat` holds. @throws the signal's reason */
export async function converse(
  chat: LlamaChat,
  messages: readonly Message[],
  tools: readonly ModelTool[],
  { onText, ...options }: ConverseOptions,
): Promise<Conversed> {
  const before = chat.sequence.tokenMeter.getState();
  const written = (): number => chat.sequence.tokenMeter.diff(before).usedOutputTokens;
  const strategy = (): never => {
    throw new Full();
  };
  try {
    const { functionCalls = [], metadata } = await chat.generateResponse(historyOf(messages), {
      ...options,
      functions: functionsOf(tools),
      repeatPenalty: false,
      contextShift: { size: 1, strategy },
      onTextChunk: onText,
      onFunctionCallParamsChunk: () => onText(""),
    });
    const calls = functionCalls.map(({ functionName: name, params }) => ({
      name,
      arguments: argumentsOf(params),
    }));
    return { calls, isCut: metadata.stopReason === "maxTokens", outputTokens: written() };
  } catch (error) {
    if (error instanceof Full) return { calls: [], isCut: true, outputTokens: written() };
    throw error;
  }
}
