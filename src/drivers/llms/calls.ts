import type { Message, ModelToolCall } from "../../core/answers/answer.ts";
import { isJson } from "../json.ts";

/** A part of a call as a server streams it; members are absent where it says nothing of them. */
export interface CallPart {
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** A piece of the JSON of its arguments. */
  readonly arguments?: string | undefined;
}

/** Puts the calls of one reply together. */
export interface CallTally {
  add(parts: readonly CallPart[]): void;
  /** Calls with a name, each with an id that the conversation does not have yet. */
  calls(): readonly ModelToolCall[];
}

/** The JSON of arguments that a server sends as text, or as the value itself. */
export const argumentsText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? {});

interface Growing {
  readonly index: number | undefined;
  readonly id: string;
  name: string;
  text: string;
}

/**
 * The call that a part continues; undefined where it begins another. Servers that send calls whole may give
 * all of them the same index, or none.
 */
function continued(part: CallPart, growing: readonly Growing[]): Growing | undefined {
  const of =
    part.index === undefined ? growing.at(-1) : growing.findLast(({ index }) => index === part.index);
  if (of === undefined) return undefined;
  if (part.id && of.id !== "" && part.id !== of.id) return growing.find(({ id }) => id === part.id);
  const isNamedAgain = Boolean(part.name) && of.name !== "";
  return isNamedAgain && !part.id && (part.index === undefined || isJson(of.text)) ? undefined : of;
}

/** Opens a tally of the calls of one reply to a conversation. */
export function openCalls(messages: readonly Message[]): CallTally {
  const growing: Growing[] = [];
  return {
    add(parts) {
      for (const part of parts) {
        const call = continued(part, growing);
        if (call === undefined) {
          const { index, id = "", name = "", arguments: text = "" } = part;
          growing.push({ index, id, name, text });
          continue;
        }
        call.name ||= part.name ?? "";
        call.text += part.arguments ?? "";
      }
    },
    calls() {
      const ids = new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
      return growing
        .filter(({ name }) => name !== "")
        .map(({ id: given, name, text }) => {
          const id = given === "" || ids.has(given) ? madeId(ids) : given;
          ids.add(id);
          return { id, name, arguments: text.trim() === "" ? "{}" : text };
        });
    },
  };
}

/** Nine letters and digits, which is what the strictest server takes. */
function madeId(taken: ReadonlySet<string>): string {
  for (let number = taken.size + 1; ; number += 1) {
    const id = `call${String(number).padStart(5, "0")}`;
    if (!taken.has(id)) return id;
  }
}
