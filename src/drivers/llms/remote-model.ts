import type { Generated, GenerateOptions, LanguageModel, Message } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { type CallPart, openCalls } from "./calls.ts";
import { deadlineSignal } from "./deadline.ts";
import { fallbackToolForm, replySchema, toldMessages } from "./offer.ts";
import {
  endpointOf,
  estimatePrompt,
  estimateTokens,
  postLines,
  providerFailed,
  type RemoteSettings,
  remainingTokens,
  type ToolForm,
} from "./remote-requests.ts";
import { openReplyReader } from "./reply.ts";
import { createThinkingFilter } from "./thoughts.ts";
import { usualWindow } from "./window.ts";

/** What one line of a provider's stream says; members are absent where the line says nothing of them. */
export interface StreamPart {
  readonly text?: string;
  /** Parts of the calls it makes. */
  readonly calls?: readonly CallPart[];
  /** The model thinks, which is not part of its answer. */
  readonly isThought?: boolean;
  readonly reason?: "stop" | "length" | "deadline";
  readonly promptTokens?: number;
  readonly reusedTokens?: number;
  readonly outputTokens?: number;
  /** Nothing of the answer follows. */
  readonly isLast?: boolean;
}

/** Options of a request; its tools are those that the server is offered by its own tool calls. */
export interface RequestOptions extends GenerateOptions {
  /** JSON Schema of a reply that calls a tool or answers, for a server without tool calls. */
  readonly replySchema?: JsonObject;
}

/** The requests and responses of a provider. */
export interface Protocol {
  /** Path of the method below the base address. */
  readonly path: string;
  /** The request's body as JSON. */
  body(messages: readonly Message[], options: RequestOptions, contextTokens: number): object;
  /** One line of the answer; undefined for one that carries nothing. @throws PROVIDER_FAILED */
  read(line: string, url: URL): StreamPart | undefined;
}

/**
 * Factor over the requested tokens after which a server that continues is cut off: it may count tokens
 * differently.
 */
const overrun = 2;

const onlyThought = (url: URL, maxTokens: number): RagctlError =>
  new RagctlError(
    "PROVIDER_FAILED",
    `the model at ${url.href} used all ${maxTokens} tokens for thinking and wrote no answer`,
    { hint: "turn off thinking on the server, or raise answer.maxTokens" },
  );

/** Sums up the parts of a stream; the numbers that a provider leaves out are estimated. */
function openTally({ messages, options, form, names }: Asked, url: URL) {
  const startedAt = performance.now();
  const { maxTokens } = options;
  const thoughts = createThinkingFilter();
  const calls = openCalls(messages);
  const reply = openReplyReader(names, form === "native" ? "text" : "object");
  let firstAt: number | undefined;
  let pieces = 0;
  let isThinking = false;
  let isWritten = false;
  let last: StreamPart = {};
  const counted = (text: string): string => {
    isWritten ||= text.trim() !== "";
    return text;
  };
  /** Whether the stream exceeded the request by far. Every piece has at least one token. */
  const isOverrun = (): boolean => pieces > maxTokens * overrun;
  /** Some servers end without a reason, but not without the mark of the end. */
  const unsaid = (): "length" | "stop" => {
    if (isOverrun()) return "length";
    if (last.isLast === true) return "stop";
    throw providerFailed(url, "ended its answer early");
  };
  return {
    /** What of a part is answer. */
    add(part: StreamPart): string {
      const text = counted(thoughts.take(part.text ?? ""));
      if (part.text !== undefined || part.isThought === true || part.calls !== undefined) {
        firstAt ??= performance.now();
        pieces += 1;
        isThinking ||= part.isThought === true || (part.text !== undefined && text === "");
      }
      if (names.length > 0) calls.add(part.calls ?? []);
      last = { ...last, ...part };
      return reply.take(text);
    },
    isOverrun,
    rest(): string {
      const text = reply.take(counted(thoughts.rest()));
      const end = reply.end();
      calls.add(end.calls);
      return text + end.text;
    },
    /** @throws PROVIDER_FAILED where the stream ended early, or contained only thoughts up to the limit */
    end(): End {
      const reason = last.reason ?? unsaid();
      // A call that a deadline cut off is none.
      const toolCalls = reason === "deadline" ? [] : calls.calls();
      if (reason === "length" && isThinking && !isWritten && toolCalls.length === 0)
        throw onlyThought(url, maxTokens);
      const endedAt = performance.now();
      return {
        type: "generation-end",
        reason,
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
        promptTokens: last.promptTokens ?? estimatePrompt(messages, options.tools),
        reusedTokens: last.reusedTokens ?? 0,
        outputTokens: last.outputTokens ?? pieces,
        prefillMs: (firstAt ?? endedAt) - startedAt,
        decodeMs: endedAt - (firstAt ?? endedAt),
      };
    },
  };
}

type End = Extract<Generated, { type: "generation-end" }>;

/** The events of a stream. */
async function* told(
  parts: AsyncIterable<StreamPart | undefined>,
  tally: ReturnType<typeof openTally>,
): AsyncGenerator<Generated> {
  for await (const part of parts) {
    if (part === undefined) continue;
    const text = tally.add(part);
    if (text !== "") yield { type: "text-delta", text };
    if (part.isLast === true || tally.isOverrun()) break;
  }
  const rest = tally.rest();
  if (rest !== "") yield { type: "text-delta", text: rest };
  yield tally.end();
}

/** What a server is asked, and how it is offered tools. */
interface Asked {
  readonly messages: readonly Message[];
  readonly options: RequestOptions;
  readonly form: ToolForm;
  /** Of the tools that it may call. */
  readonly names: readonly string[];
}

/** A request in the form that a server takes; one that must follow a grammar or a schema offers no tools. */
function askedAs(form: ToolForm, messages: readonly Message[], options: GenerateOptions): Asked {
  const { tools: given = [], ...others } = options;
  const tools = options.grammar === undefined && options.schema === undefined ? given : [];
  const callable = options.toolChoice === "none" ? [] : tools;
  const names = callable.map(({ name }) => name);
  const isTold = tools.length > 0 || messages.some(({ role }) => role === "tool");
  if (form === "native" || !isTold)
    return { messages, options: tools.length === 0 ? others : { ...others, tools }, form: "native", names };
  const isBound = form === "schema" && tools.length > 0;
  const told = isBound ? { ...others, replySchema: replySchema(callable) } : others;
  return { messages: toldMessages(messages, tools), options: told, form, names };
}

/** The parts until the deadline, followed by the reason if that cut the stream off. */
async function* untilDeadline(
  open: (stopped: AbortSignal) => AsyncIterable<StreamPart | undefined>,
  until: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamPart | undefined> {
  const late = deadlineSignal(until);
  try {
    yield* open(AbortSignal.any([signal, late]));
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    yield { reason: "deadline" };
  }
}

/**
 * A model at the other end of a protocol. Tokens are estimated before and counted by the provider after. A
 * server that takes no tools is offered them as a schema of its reply from then on.
 * @throws CONFIG_INVALID
 */
export function createRemoteModel(protocol: Protocol, settings: RemoteSettings): LanguageModel {
  const url = endpointOf(settings.baseUrl, protocol.path);
  const contextTokens = settings.contextTokens ?? usualWindow;
  const closing = new AbortController();
  let known: ToolForm = settings.tools ?? "native";

  async function* attempt(asked: Asked, signal: AbortSignal): AsyncGenerator<Generated> {
    const { messages, options: wanted } = asked;
    // Servers refuse a question that asks for more than their window holds.
    const room = remainingTokens(messages, wanted.tools, contextTokens, settings.model);
    const options = { ...wanted, maxTokens: Math.min(wanted.maxTokens, room) };
    const body = protocol.body(messages, options, contextTokens);
    const tally = openTally({ ...asked, options }, url);
    const parts = async function* (ended: AbortSignal) {
      for await (const line of postLines(url, body, settings, ended)) yield protocol.read(line, url);
    };
    for await (const event of told(untilDeadline(parts, options.until, signal), tally)) {
      // Refused tools are not offered in that form again.
      if (asked.form !== "native") known = asked.form;
      yield event;
    }
  }

  return {
    id: settings.model,
    contextTokens,
    provider: url.host,
    count: estimateTokens,
    async *generate(messages, options, signal) {
      const stopped = AbortSignal.any([signal, closing.signal]);
      for (let form: ToolForm | undefined = known; ; ) {
        const asked = askedAs(form, messages, options);
        try {
          yield* attempt(asked, stopped);
          return;
        } catch (error) {
          const isTold = asked.options.tools !== undefined || asked.form !== "native";
          form = isTold ? fallbackToolForm(asked.form, error) : undefined;
          if (form === undefined) throw error;
        }
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(providerFailed(url, "was closed while it was answering"));
    },
  };
}
