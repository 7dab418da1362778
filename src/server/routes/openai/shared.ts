import type { Turn } from "../../../core/answers/agent.ts";
import type { Answer, Citation } from "../../../core/answers/answer.ts";
import { isPageLabel } from "../../../core/documents/cells.ts";
import { RagctlError } from "../../../core/errors.ts";
import { z } from "../../../core/schema.ts";
import { isBlank } from "../../../core/text.ts";
import { type OpenAiCode, openAiError } from "../../failure.ts";

/** Model name that leaves the agent to the router; `ragctl/hr` selects the agent hr. */
export const anyAgent = "ragctl";

/** Text, or parts of which only the text is used. */
export const content = z.union([
  z.string().max(100_000),
  z.array(z.looseObject({ type: z.string().max(50), text: z.string().max(100_000).optional() })).max(100),
]);

/** A message of a conversation. */
export interface SpokenMessage {
  readonly role: string;
  readonly content?: z.output<typeof content> | null | undefined;
}

/** The text of a message. @throws REQUEST_INVALID for what a user sends besides: it would not be read */
function textOf({ role, content: given }: SpokenMessage): string {
  if (typeof given === "string") return given;
  const other = role === "user" ? given?.find(({ text }) => text === undefined) : undefined;
  if (other === undefined) return (given ?? []).map(({ text = "" }) => text).join("\n");
  const kind = other.type.replace(/^input_|_url$/g, "");
  throw new RagctlError("REQUEST_INVALID", `${kind} input is not supported`, {
    hint: "send text; ragctl reads documents that were ingested",
  });
}

/**
 * The last message is the question, those before it the conversation. System messages are not followed: an
 * answer is based on documents. @throws REQUEST_INVALID
 */
export function questionOf(messages: readonly SpokenMessage[]): {
  readonly query: string;
  readonly history: readonly Turn[];
} {
  const said = messages.map((each) => ({ role: each.role, text: textOf(each) }));
  const last = said.at(-1);
  if (last?.role !== "user" || isBlank(last.text) || last.text.length > 8000)
    throw new RagctlError("REQUEST_INVALID", "the last message is not a question from the user", {
      hint: "it must have the role user and 1 to 8000 characters",
    });
  const history = said.slice(0, -1).flatMap(({ role, text }): Turn[] => {
    const isTurn = role === "user" || role === "assistant";
    return isTurn ? [{ role, author: role, text }] : [];
  });
  return { query: last.text, history: history.slice(-50) };
}

/** The agent that a model name selects. @throws NOT_FOUND */
export function agentOf(model: string): { readonly agent?: string } {
  if (model === anyAgent) return {};
  if (model.startsWith(`${anyAgent}/`)) return { agent: model.slice(anyAgent.length + 1) };
  throw noModelError(model);
}

export const noModelError = (name: string): RagctlError =>
  new RagctlError("NOT_FOUND", `there is no model "${name}"`, {
    hint: "GET /v1/models lists the models",
    cause: { openAiCode: "model_not_found" } satisfies OpenAiCode,
  });

/**
 * Text that repeats documents, for clients that show Markdown: no image or element in it is loaded from
 * anywhere. Signs are only put in, so that the beginning of a text stays that of the whole.
 */
export const neutralizeMarkdown = (text: string): string =>
  text.replace(/!(?=\[)/g, "!\\").replace(/<(?=[a-z/!?])/gi, "< ");

/** A name or heading of a document on one line, inert, in which no number passes for one of our markers. */
export const inlineName = (text: string): string =>
  neutralizeMarkdown(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD")
    .replace(/\[([\d\s,;–-]+)\]/g, "($1)");

/** The place of a cited passage, `manual.pdf, page 4`. */
export function placeText({ sourceFile, pages: [page], section, cells = [] }: Citation): string {
  const within = cells.length === 0 ? [section] : cells;
  const places = page === undefined ? within : [`page ${page}`, ...cells.filter(isPageLabel)];
  return inlineName([sourceFile, ...places].filter((part) => part !== "").join(", "));
}

/** Where the text refers to each citation, as offsets from `from` on; at its end where it does not. */
export function citationOffsets(text: string, citations: readonly Citation[], from = 0) {
  const marks = [...text.slice(from).matchAll(/\[(\d{1,6})\]/g)].map((match) => ({
    marker: Number(match[1]),
    start: from + match.index,
    end: from + match.index + match[0].length,
  }));
  return citations.flatMap((citation) => {
    const own = marks.filter(({ marker }) => marker === citation.marker);
    const places = own.length > 0 ? own : [{ start: text.length, end: text.length }];
    return places.map(({ start, end }) => ({ citation, start, end }));
  });
}

/** Tokens as the model counted them; an answer made of sentences of passages takes none. */
export function tokensOf({ phases }: Answer) {
  const sum = (name: string): number => phases.reduce((total, { counts }) => total + (counts[name] ?? 0), 0);
  return { prompt: sum("promptTokens"), output: sum("outputTokens") };
}

/** An error in the middle of a stream. */
export function streamError(data: unknown) {
  const { error } = z.object({ error: z.object({ message: z.string(), hint: z.string() }) }).parse(data);
  return openAiError(new RagctlError("INTERNAL", error.message, { hint: error.hint }));
}
