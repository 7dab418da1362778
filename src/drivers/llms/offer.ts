import type { Message, ModelTool, ModelToolCall } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { ProviderStatus, type ToolForm } from "./remote-requests.ts";

/** Statuses of servers for a request they understand and cannot fulfil. */
const refusals: readonly number[] = [400, 404, 422, 500, 501];

/** The form to try after a server refused one; undefined where its refusal is of something else. */
export function fallbackToolForm(form: ToolForm, error: unknown): ToolForm | undefined {
  const status = error instanceof RagctlError && error.cause instanceof ProviderStatus ? error.cause : null;
  if (status === null || !refusals.includes(status.status)) return undefined;
  if (form === "native") return /tool|function/i.test(status.message) ? "schema" : undefined;
  return form === "schema" ? "text" : undefined;
}

/** JSON Schema of a reply: an object with a call of a tool, or with the answer. */
export function replySchema(tools: readonly ModelTool[]): JsonObject {
  const object = (properties: JsonObject): JsonObject => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  const calls = tools.map(({ name, parameters }) =>
    object({ call: object({ name: { type: "string", enum: [name] }, arguments: parameters }) }),
  );
  return { anyOf: [...calls, object({ answer: { type: "string" } })] };
}

const howTo = (tools: readonly ModelTool[]): string =>
  [
    "You may call these tools, one call at a time:",
    ...tools.map((tool) => JSON.stringify(tool)),
    'Reply with one JSON object and nothing else. To call a tool: {"call": {"name": NAME, "arguments": {…}}}.' +
      ' Its result comes in the next message. To answer: {"answer": TEXT}.',
  ].join("\n");

const callText = ({ name, arguments: text }: ModelToolCall): string => {
  try {
    return JSON.stringify({ call: { name, arguments: JSON.parse(text) } });
  } catch {
    return JSON.stringify({ call: { name, arguments: text } });
  }
};

/** The name of the tool whose result a message is; "" where no call before it has its id. */
export const toolOf = ({ toolCallId }: Message, messages: readonly Message[]): string =>
  messages.flatMap(({ toolCalls = [] }) => toolCalls).findLast(({ id }) => id === toolCallId)?.name ?? "";

/** A message as a server without tools takes it. */
function toldMessage(message: Message, messages: readonly Message[]): Message {
  const { role, text, toolCalls = [] } = message;
  if (role === "tool") return { role: "user", text: `Result of ${toolOf(message, messages)}:\n${text}` };
  return { role, text: [text, ...toolCalls.map(callText)].filter(Boolean).join("\n") };
}

/** A conversation for a server without tools: described in the system message, results told by the user. */
export function toldMessages(messages: readonly Message[], tools: readonly ModelTool[]): readonly Message[] {
  const told: Message[] = [];
  for (const [at, message] of messages.entries()) {
    const next = toldMessage(message, messages);
    // Templates want the roles to alternate.
    const before = message.role === "tool" && messages[at - 1]?.role === "tool" ? told.pop() : undefined;
    told.push(before === undefined ? next : { ...next, text: `${before.text}\n\n${next.text}` });
  }
  if (tools.length === 0) return told;
  const [first, ...rest] = told;
  if (first?.role !== "system") return [{ role: "system", text: howTo(tools) }, ...told];
  return [{ ...first, text: `${first.text}\n\n${howTo(tools)}` }, ...rest];
}
