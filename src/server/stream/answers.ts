import type { Answer, AnswerEvent } from "../../core/answers/answer.ts";
import { cellsOf } from "../../core/documents/cells.ts";
import { askShape, sentenceShape, traceShape } from "../../shapes/answer.ts";
import { placeOf, sectionOf } from "../../shapes/documents.ts";
import type { Call } from "../define-route.ts";
import { publicError } from "../failure.ts";
import type { Server } from "../server.ts";
import { contextShape } from "../shapes.ts";
import { answerHead, eventResponse, type ServerEvent, type StreamOptions } from "./events.ts";

/** Whether a client wants its answer as a stream of events. */
export const wantsEvents = (request: Request): boolean =>
  /\btext\/event-stream\b/i.test(request.headers.get("accept") ?? "");

/** An event of an answer as clients receive it. */
export function answerEvent(event: AnswerEvent) {
  switch (event.type) {
    case "node-end":
      return { name: event.type, data: traceShape(event.event) };
    case "context-ready":
      return { name: event.type, data: contextEvent(event) };
    case "text-delta":
      return { name: event.type, data: textShape(event) };
    case "answer-end":
      return { name: event.type, data: askShape(event.answer) };
  }
}

function textShape({ text, sentences = [] }: Extract<AnswerEvent, { readonly type: "text-delta" }>) {
  return { text, ...(sentences.length === 0 ? {} : { sentences: sentences.map(sentenceShape) }) };
}

const contextEvent = ({
  context: { question, passages },
  usualMs,
}: Extract<AnswerEvent, { readonly type: "context-ready" }>) =>
  contextShape({
    question,
    usualMs,
    passages: passages.map(({ marker, text, chunk, headings = chunk.headings }) => ({
      marker,
      chunkId: chunk.id,
      sourceFile: chunk.sourceName,
      collection: chunk.collection,
      text,
      ...placeOf(chunk.pages, sectionOf({ headings }), cellsOf(chunk)),
    })),
  });

/**
 * A stream as a response. An error before the first event sets the status of the response.
 * @throws the error of the first event
 */
export async function streamResponse<T>(
  events: AsyncIterable<T>,
  call: Call,
  toEvent: (event: T) => ServerEvent,
  write?: StreamOptions["write"],
): Promise<Response> {
  const { request, server, visitor, run, leave } = call;
  if (request.method === "HEAD") return answerHead();
  using slots = new DisposableStack();
  slots.use(server.auth.limits.stream(visitor.principal));
  slots.use(server.metrics.stream("events"));
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  const held = slots.move();
  async function* rest(): AsyncGenerator<ServerEvent> {
    try {
      if (first.done !== true) yield toEvent(first.value);
      for await (const event of { [Symbol.asyncIterator]: () => iterator }) yield toEvent(event);
    } finally {
      await iterator.return?.();
    }
  }
  return eventResponse(rest(), {
    leave,
    stopped: server.stopped,
    onEnd: () => held.dispose(),
    publicError: (thrown) => publicError(thrown, run),
    ...(write === undefined ? {} : { write }),
  });
}

/** The same app, whose finished answers are counted in the metrics. */
export const countAnswers = (app: Server["app"], metrics: Server["metrics"]): Server["app"] => ({
  ...app,
  async *ask(...question) {
    for await (const event of app.ask(...question)) {
      if (event.type === "answer-end") metrics.answer(event.answer);
      yield event;
    }
  },
});

/** The answer of the last event. */
export async function getFinalAnswer(events: AsyncIterable<AnswerEvent>, call: Call): Promise<Answer> {
  using _slot = call.server.auth.limits.stream(call.visitor.principal);
  for await (const event of events) if (event.type === "answer-end") return event.answer;
  throw new TypeError("the answer stream ended without an answer");
}
