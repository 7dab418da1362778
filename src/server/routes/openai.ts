import { randomUUID } from "node:crypto";
import type { Turn } from "../../core/answers/agent.ts";
import type { Answer, AnswerEvent } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { isBlank } from "../../core/text.ts";
import { askShape } from "../../shapes/answer.ts";
import { printed } from "../../shapes/printed.ts";
import { type Call, type Endpoint, endpoint, tagged } from "../endpoint.ts";
import { openAiError } from "../failure.ts";
import { json } from "../reply.ts";
import { documentNamed } from "../shapes.ts";
import { answerOf, counted, streamed } from "../stream/answers.ts";
import type { ServerEvent } from "../stream/events.ts";
import { answerDescription, patientJson } from "../stream/patient.ts";

/** Name of the model that stands for the router's choice; `ragctl/hr` asks the agent hr. */
const anyAgent = "ragctl";

const content = z.union([
  z.string().max(100_000),
  z.array(z.looseObject({ type: z.string(), text: z.string().max(100_000).optional() })).max(100),
]);

/**
 * What clients of OpenAI's API send; members that ragctl decides by itself, as the temperature, are accepted
 * and not used.
 */
const completionBody = z.looseObject({
  model: z.string().max(200).describe("ragctl, or ragctl/AGENT."),
  messages: z
    .array(z.looseObject({ role: z.string().max(50), content: content.nullish() }))
    .min(1)
    .max(200),
  n: z.literal(1, "one answer is given").nullish().describe("One answer is given."),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

const completion = z.object({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({ role: z.literal("assistant"), content: z.string(), refusal: z.null() }),
      logprobs: z.null(),
      finish_reason: z.literal("stop"),
    }),
  ),
  usage: z.object({
    prompt_tokens: z.int().min(0),
    completion_tokens: z.int().min(0),
    total_tokens: z.int().min(0),
  }),
  ragctl: documentNamed("ask"),
});
const model = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});
const modelList = z.object({ object: z.literal("list"), data: z.array(model) });

type Body = z.output<typeof completionBody>;

const textOf = (given: Body["messages"][number]["content"]): string =>
  typeof given === "string" ? given : (given ?? []).map(({ text = "" }) => text).join("\n");

/**
 * The last message is the question, those before it the conversation. What a system message says is not
 * followed: an answer rests on documents. @throws REQUEST_INVALID
 */
function questionOf({ messages }: Body): { readonly query: string; readonly history: readonly Turn[] } {
  const query = textOf(messages.at(-1)?.content);
  if (messages.at(-1)?.role !== "user" || isBlank(query) || query.length > 8000)
    throw new RagctlError("REQUEST_INVALID", "the last message is not a question of the user", {
      hint: "it must have the role user and 1 to 8000 characters",
    });
  const history = messages.slice(0, -1).flatMap(({ role, content: said }): Turn[] => {
    const isTurn = role === "user" || role === "assistant";
    return isTurn ? [{ role, author: role, text: textOf(said) }] : [];
  });
  return { query, history: history.slice(-50) };
}

function agentOf(model: string): { readonly agent?: string } {
  if (model === anyAgent) return {};
  if (model.startsWith(`${anyAgent}/`)) return { agent: model.slice(anyAgent.length + 1) };
  throw noModel(model);
}

const noModel = (name: string): RagctlError =>
  new RagctlError("NOT_FOUND", `there is no model "${name}"`, { hint: "GET /v1/models lists them" });

/** ragctl itself, then each agent that may be used. */
function modelsFor({ server, run }: Call): readonly z.output<typeof model>[] {
  const names = server.app.agents(run).map(({ name }) => `${anyAgent}/${name}`);
  return [anyAgent, ...names].map((id) => ({ id, object: "model", created: 0, owned_by: "ragctl" }));
}

/**
 * Text that repeats documents, for clients that show Markdown: no image or element in it is loaded from
 * anywhere. Signs are only put in, so that the beginning of a text stays that of the whole.
 */
const inert = (text: string): string => text.replace(/!(?=\[)/g, "!\\").replace(/<(?=[a-z/!?])/gi, "< ");

/** A name or heading of a document on one line, in which no number passes for one of our markers. */
const named = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD").replace(/\[([\d\s,;–-]+)\]/g, "($1)");

/** The answer with a list of its sources, `[1] manual.pdf, page 4`, for clients that show the text alone. */
function withSources({ response, citations }: Answer): string {
  if (citations.length === 0) return inert(response);
  const lines = citations.map(({ marker, sourceFile, pages: [page], section, cells = [] }) => {
    const within = cells.length === 0 ? section : cells.join(", ");
    const place = page === undefined ? within : `page ${page}`;
    return `[${marker}] ${named(`${sourceFile}${place === "" ? "" : `, ${place}`}`)}`;
  });
  return inert(`${response}\n\nSources:\n${lines.join("\n")}`);
}

/** Tokens as the model counted them; an answer made of sentences of passages takes none. */
function usageOf({ phases }: Answer) {
  const sum = (name: string): number => phases.reduce((total, { counts }) => total + (counts[name] ?? 0), 0);
  const [prompt, output] = [sum("promptTokens"), sum("outputTokens")];
  return { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
}

interface Frame {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

function completionOf(answer: Answer, { id, created, model }: Frame) {
  const message = { role: "assistant", content: withSources(answer), refusal: null };
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
    usage: usageOf(answer),
    ragctl: askShape(answer),
  };
}

/**
 * Chunks of a streamed completion: the text as it is judged, then its sources, then the end with the whole
 * answer.
 */
async function* chunks(
  events: AsyncIterable<AnswerEvent>,
  frame: Frame,
  wantsUsage: boolean,
): AsyncGenerator<ServerEvent> {
  const chunk = (choices: readonly unknown[], rest: object = {}): ServerEvent => ({
    name: "chunk",
    data: { ...frame, object: "chat.completion.chunk", choices, ...rest },
  });
  const part = (delta: object, finish_reason: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason },
  ];
  let written = "";
  let shown = "";
  yield chunk(part({ role: "assistant", content: "" }));
  for await (const event of events) {
    if (event.type === "text-delta") {
      written += event.text;
      const text = inert(written);
      yield chunk(part({ content: text.slice(shown.length) }));
      shown = text;
    }
    if (event.type !== "answer-end") continue;
    const whole = withSources(event.answer);
    // What was taken back after it had been shown cannot be unsaid: the answer that holds follows it.
    const rest = whole.startsWith(shown) ? whole.slice(shown.length) : `\n\n${whole}`;
    yield chunk(part({ content: rest }));
    yield chunk(part({}, "stop"), { ragctl: askShape(event.answer) });
    if (wantsUsage) yield chunk([], { usage: usageOf(event.answer) });
  }
  yield { name: "done", data: null };
}

/** Events as clients of OpenAI's API read them: data alone. */
function completionText({ name, data }: ServerEvent): string {
  if (name === "done") return "data: [DONE]\n\n";
  return `data: ${JSON.stringify(printed(name === "error" ? streamError(data) : data))}\n\n`;
}

function streamError(data: unknown) {
  const { error } = z.object({ error: z.object({ message: z.string(), hint: z.string() }) }).parse(data);
  return openAiError(new RagctlError("INTERNAL", error.message, { hint: error.hint }));
}

async function complete(body: Body, call: Call): Promise<Response> {
  const { server, run } = call;
  const { query, history } = questionOf(body);
  const request = { query, topK: server.settings.retrieve.topK, collections: [], ...agentOf(body.model) };
  const created = Math.floor(Date.now() / 1000);
  const frame = { id: `chatcmpl-${randomUUID()}`, created, model: body.model };
  const events = counted(server.app.ask(request, run, history), call);
  if (body.stream !== true) {
    const completion = answerOf(events, call).then((answer) => completionOf(answer, frame));
    return patientJson(completion, call, undefined, openAiError);
  }
  const wantsUsage = body.stream_options?.include_usage === true;
  return streamed(chunks(events, frame, wantsUsage), call, (event) => event, completionText);
}

/** What clients of OpenAI's chat completions can use. */
export const openAi: readonly Endpoint[] = tagged("OpenAI-compatible", [
  endpoint(
    "GET /v1/models",
    "ragctl itself, and one model for each agent that may be used",
    {
      openAi: true,
      answers: { 200: { description: "Models", schema: modelList } },
    },
    (_, call) => json({ object: "list", data: modelsFor(call) }),
  ),
  endpoint(
    "GET /v1/models/{model}",
    "One of them",
    {
      openAi: true,
      answers: { 200: { description: "The model", schema: model } },
    },
    ({ params: { model: wanted = "" } }, call) => {
      const found = modelsFor(call).find(({ id }) => id === wanted);
      if (found === undefined) throw noModel(wanted);
      return json(found);
    },
  ),
  endpoint(
    "POST /v1/chat/completions",
    "Answer the last message from the documents; stream: true sends it as it is written",
    {
      openAi: true,
      body: completionBody,
      answers: { 200: { description: answerDescription, schema: completion, events: {} } },
    },
    ({ body }, call) => complete(body, call),
  ),
]);
