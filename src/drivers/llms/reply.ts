import { z } from "../../core/schema.ts";
import { argumentsText, type CallPart } from "./calls.ts";

/** Marks around a call in the text of many open models. */
const [opening, closing] = ["<tool_call>", "</tool_call>"] as const;

/** The end of a reply: text that was held back, and the calls that it makes in its text. */
export interface ReplyEnd {
  readonly text: string;
  readonly calls: readonly CallPart[];
}

/** Takes the text of a reply in pieces and returns what of it is text of the answer. */
export interface ReplyReader {
  take(text: string): string;
  end(): ReplyEnd;
}

/** How a reply is written: as text that may contain calls, or as an object with a call or an answer. */
export type ReplyForm = "text" | "object";

const written = z.looseObject({
  name: z.string(),
  arguments: z.unknown().optional(),
  parameters: z.unknown().optional(),
});
const enveloped = z.looseObject({ call: z.unknown().optional(), answer: z.string().optional() });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The call that a value describes, if it is one of a tool that was offered. */
function callOf(value: unknown, names: readonly string[]): CallPart | undefined {
  const { data } = written.safeParse(enveloped.safeParse(value).data?.call ?? value);
  if (data === undefined || !names.includes(data.name)) return undefined;
  return { name: data.name, arguments: argumentsText(data.arguments ?? data.parameters) };
}

/** A call between marks whose JSON is broken: what can be read of it, for the caller to judge. */
function brokenCall(text: string, names: readonly string[]): CallPart | undefined {
  const name = /"name"\s*:\s*"([^"]{1,100})"/.exec(text)?.[1] ?? "";
  if (!names.includes(name)) return undefined;
  const [, given = ""] = text.split(/"(?:arguments|parameters)"\s*:/, 2);
  return { name, arguments: given.trim() };
}

/** The calls between marks. */
const markedCalls = (text: string, names: readonly string[]): readonly CallPart[] =>
  text
    .split(opening)
    .slice(1)
    .map((block) => (block.split(closing)[0] ?? "").trim())
    .flatMap((block) => callOf(parsed(block), names) ?? brokenCall(block, names) ?? []);

/** What is inside the fence that encloses a whole text. */
const unfenced = (text: string): string =>
  text
    .trim()
    .replace(/^```\w*/, "")
    .replace(/```$/, "")
    .trim();

/** Length of the end of a text that the opening mark may continue. */
function openEnd(text: string): number {
  for (let length = Math.min(opening.length - 1, text.length); length > 0; length -= 1)
    if (opening.startsWith(text.slice(-length))) return length;
  return 0;
}

const answerStart = /^\s*(?:```\w*\s*)?\{\s*"answer"\s*:\s*"/;
/** As much of a JSON string as holds no half of an escape. */
const wholePart = /^(?:[^"\\]|\\[^u]|\\u[0-9a-fA-F]{4})*/;
const halfPair = /\\u[dD][89abAB][0-9a-fA-F]{2}$/;
const controls = /\p{Cc}/gu;

/** The text that a piece of a JSON string stands for; the piece where it is not valid. */
function unescaped(piece: string): string {
  // Small models write line ends as they are.
  const valid = piece.replace(controls, (control) => JSON.stringify(control).slice(1, -1));
  const text = parsed(`"${valid}"`);
  return typeof text === "string" ? text : piece;
}

/** Reads `text` while it comes; what a call could be is held back until it is known. */
export function openReplyReader(names: readonly string[], form: ReplyForm): ReplyReader {
  let held = "";
  let state: "start" | "text" | "marked" | "object" | "answer" | "over" =
    names.length === 0 && form === "text" ? "over" : "start";
  const steps = {
    start(): string {
      const start = held.trimStart();
      if (/^(?:`{0,3}|```\w*\s*)$/.test(start)) return "";
      state = /^(?:```\w*\s*)?\{/.test(start) ? "object" : "text";
      return steps[state]();
    },
    text(): string {
      const at = held.indexOf(opening);
      const end = at < 0 ? held.length - openEnd(held) : at;
      const text = held.slice(0, end);
      held = held.slice(end);
      if (at >= 0) state = "marked";
      return text;
    },
    marked: () => "",
    object(): string {
      const [start] = (form === "object" ? answerStart.exec(held) : null) ?? [];
      if (start === undefined) return "";
      held = held.slice(start.length);
      state = "answer";
      return steps.answer();
    },
    answer(): string {
      const [whole = ""] = wholePart.exec(held) ?? [];
      const isClosed = held[whole.length] === '"';
      const piece = isClosed ? whole : whole.replace(halfPair, "");
      held = isClosed ? "" : held.slice(piece.length);
      if (isClosed) state = "over";
      return unescaped(piece);
    },
  };
  return {
    take(text) {
      if (state === "over") return form === "text" ? text : "";
      held += text;
      return steps[state]();
    },
    end() {
      if (state === "answer" || state === "over") return { text: "", calls: [] };
      if (state === "marked") return ended(held, markedCalls(held, names));
      const value = parsed(unfenced(held));
      const call = callOf(value, names);
      const answer = form === "object" ? enveloped.safeParse(value).data?.answer : undefined;
      return ended(answer ?? held, call === undefined ? [] : [call]);
    },
  };
}

const ended = (text: string, calls: readonly CallPart[]): ReplyEnd =>
  calls.length === 0 ? { text, calls } : { text: "", calls };
