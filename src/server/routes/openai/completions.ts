import { randomUUID } from "node:crypto";
import type { Answer, AnswerEvent } from "../../../core/answers/answer.ts";
import { z } from "../../../core/schema.ts";
import { documentNamed } from "../../../operations/json-schemas.ts";
import { askShape } from "../../../shapes/answer.ts";
import { roundForOutput } from "../../../shapes/printed.ts";
import { type Call, endpoint } from "../../define-route.ts";
import { openAiError } from "../../failure.ts";
import { getFinalAnswer, streamResponse } from "../../stream/answers.ts";
import type { ServerEvent } from "../../stream/events.ts";
import { answerDescription, keepAliveJson } from "../../stream/keep-alive.ts";
import {
  agentOf,
  citationOffsets,
  content,
  neutralizeMarkdown,
  placeText,
  questionOf,
  streamError,
  tokensOf,
} from "./shared.ts";

/**
 * The body that clients of OpenAI's API send; members that ragctl decides itself, such as the temperature,
 * are accepted and ignored.
 */
const completionBody = z.looseObject({
  model: z.string().max(200).describe("ragctl, or ragctl/AGENT."),
  messages: z
    .array(z.looseObject({ role: z.string().max(50), content: content.nullish() }))
    .min(1)
    .max(200),
  n: z.literal(1, "must be 1: only one answer is given").nullish().describe("Only one answer is given."),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

const urlCitation = z.object({
  type: z.literal("url_citation"),
  url_citation: z.object({
    start_index: z.int().min(0),
    end_index: z.int().min(0),
    title: z.string(),
    url: z.string().describe("URL of the passage on this server."),
  }),
});
const completion = z.object({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string(),
        refusal: z.null(),
        annotations: z.array(urlCitation),
      }),
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
type Body = z.output<typeof completionBody>;

/** The answer with a list of its sources, `[1] manual.pdf, page 4`, for clients that show the text alone. */
function withSources({ response, citations }: Answer): string {
  if (citations.length === 0) return neutralizeMarkdown(response);
  const lines = citations.map((citation) => `[${citation.marker}] ${placeText(citation)}`);
  return neutralizeMarkdown(`${response}\n\nSources:\n${lines.join("\n")}`);
}

function usageOf(answer: Answer) {
  const { prompt, output } = tokensOf(answer);
  return { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
}

interface Frame {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** Where the text cites what, with the address of each passage. */
const annotationsOf = ({ response, citations }: Answer, address: string) =>
  citationOffsets(neutralizeMarkdown(response), citations).map(({ citation, start, end }) => ({
    type: "url_citation",
    url_citation: {
      start_index: start,
      end_index: end,
      title: placeText(citation),
      url: new URL(`/v1/passages/${encodeURIComponent(citation.chunkId)}`, address).href,
    },
  }));

function completionOf(answer: Answer, { id, created, model }: Frame, address: string) {
  const annotations = annotationsOf(answer, address);
  const message = { role: "assistant", content: withSources(answer), refusal: null, annotations };
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
 * Chunks of a streamed completion: sentences as they are judged, then their sources, then the end with the
 * whole answer.
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
      const text = neutralizeMarkdown(written);
      yield chunk(part({ content: text.slice(shown.length) }));
      shown = text;
    }
    if (event.type !== "answer-end") continue;
    const whole = withSources(event.answer);
    // Text that was shown and then withdrawn cannot be unsent: the final answer follows it.
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
  return `data: ${JSON.stringify(roundForOutput(name === "error" ? streamError(data) : data))}\n\n`;
}

async function complete(body: Body, call: Call): Promise<Response> {
  const { server, run } = call;
  const { query, history } = questionOf(body.messages);
  const request = { query, topK: server.settings.retrieve.topK, collections: [], ...agentOf(body.model) };
  const created = Math.floor(Date.now() / 1000);
  const frame = { id: `chatcmpl-${randomUUID()}`, created, model: body.model };
  const events = server.app.ask(request, run, { history });
  if (body.stream !== true) {
    const completion = getFinalAnswer(events, call).then((answer) =>
      completionOf(answer, frame, call.request.url),
    );
    return keepAliveJson(completion, call, undefined, openAiError);
  }
  const wantsUsage = body.stream_options?.include_usage === true;
  return streamResponse(chunks(events, frame, wantsUsage), call, (event) => event, completionText);
}

export const completions = endpoint(
  "POST /v1/chat/completions",
  "Answer the last message from the documents; with stream: true, as it is written",
  {
    openAi: true,
    body: completionBody,
    answers: { 200: { description: answerDescription, schema: completion, events: {} } },
  },
  ({ body }, call) => complete(body, call),
);
