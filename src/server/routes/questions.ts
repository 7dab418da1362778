import type { Run } from "../../core/run.ts";
import { z } from "../../core/schema.ts";
import { documentNamed } from "../../operations/json-schemas.ts";
import { askShape, sentence, traceSchema } from "../../shapes/answer.ts";
import { searchShape } from "../../shapes/search.ts";
import { type Endpoint, endpoint, withTag } from "../define-route.ts";
import { askBody, askOptions, searchBody, searchRequest } from "../inputs.ts";
import { json } from "../reply.ts";
import { contextReady } from "../shapes.ts";
import { answerEvent, getFinalAnswer, streamResponse, wantsEvents } from "../stream/answers.ts";
import { answerDescription, keepAliveJson } from "../stream/keep-alive.ts";

/** Events of an answer, by name. */
export const answerEvents = {
  "node-end": traceSchema.describe("The decision of a step."),
  "context-ready": contextReady,
  "text-delta": z.object({
    text: z.string().describe("The next piece of the answer."),
    sentences: z
      .array(sentence)
      .describe("Sentences that end with this piece, with their verdicts, including removed ones.")
      .optional(),
  }),
  "answer-end": documentNamed("ask"),
  error: documentNamed("error"),
};

/** Searching and asking. */
export const questions: readonly Endpoint[] = withTag("Questions", [
  endpoint(
    "POST /v1/search",
    "Find the passages that best match a question, without a language model",
    {
      body: searchBody,
      answers: { 200: { description: "Passages, best first", schema: documentNamed("search") } },
    },
    async ({ body }, { server, run }) =>
      json(searchShape(await server.app.search(searchRequest(body, server.settings.retrieve.topK), run))),
  ),
  endpoint(
    "POST /v1/ask",
    "Answer a question from the documents, with citations; streams with Accept: text/event-stream",
    {
      body: askBody,
      answers: {
        200: { description: answerDescription, schema: documentNamed("ask"), events: answerEvents },
      },
    },
    async ({ body: { query, history = [], conversation, ...rest } }, call) => {
      const { server, visitor } = call;
      const named = conversation === undefined ? {} : { conversation };
      const turns = history.map((turn) => ({
        ...turn,
        author: turn.role === "user" ? visitor.principal : "assistant",
      }));
      const request = { query, ...askOptions(rest, server.settings.retrieve.topK) };
      const asked = (run: Run) => server.app.ask(request, run, { history: turns, ...named });
      if (!wantsEvents(call.request))
        return keepAliveJson(getFinalAnswer(asked(call.run), call).then(askShape), call);
      if (conversation === undefined) return streamResponse(asked(call.run), call, answerEvent);
      const stopping = new AbortController();
      const signal = AbortSignal.any([server.stopped, stopping.signal]);
      const key = { principal: visitor.principal, conversation };
      server.underWay.begin(
        key,
        asked({ ...call.run, signal }),
        server.auth.limits.stream(visitor.principal),
        () => stopping.abort(),
      );
      return streamResponse(server.underWay.follow(key, call.run.signal), call, answerEvent);
    },
  ),
]);
