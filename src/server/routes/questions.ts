import { z } from "../../core/schema.ts";
import { type Asked, askEvents } from "../../operations/answers/ask.ts";
import { documentNamed } from "../../operations/json-schemas.ts";
import type { Context } from "../../operations/operation.ts";
import { askDocument, sentence, traceSchema } from "../../shapes/answer.ts";
import type { Call } from "../define-route.ts";
import { contextReady } from "../shapes.ts";
import { answerEvent, streamResponse } from "../stream/answers.ts";

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
  "answer-end": askDocument,
  error: documentNamed("error"),
};

/** An answer as it is made; one within a conversation is written on when its reader leaves. */
export function streamAnswer(asked: Asked, context: Context, call: Call): Promise<Response> {
  const { server, visitor, run } = call;
  const { conversation } = asked;
  if (conversation === undefined)
    return streamResponse(askEvents(server.app, asked, context), call, answerEvent);
  const stopping = new AbortController();
  const signal = AbortSignal.any([server.stopped, stopping.signal]);
  const key = { principal: visitor.principal, conversation };
  server.underWay.begin(
    key,
    askEvents(server.app, asked, { ...context, run: { ...run, signal } }),
    server.auth.limits.stream(visitor.principal),
    () => stopping.abort(),
  );
  return streamResponse(server.underWay.follow(key, run.signal), call, answerEvent);
}
