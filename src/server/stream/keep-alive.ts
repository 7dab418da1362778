import type { RagctlError } from "../../core/errors.ts";
import { errorShape } from "../../shapes/error.ts";
import { roundForOutput } from "../../shapes/printed.ts";
import type { Call } from "../define-route.ts";
import { publicError } from "../failure.ts";
import { json } from "../reply.ts";

/** A proxy that hears nothing for a minute often ends a connection, ms. */
const beatMs = 15_000;

/** What the description of a route says of such an answer. */
export const lateDescription = (what: string): string =>
  `${what}. After 15 s, spaces precede it, and a later error is sent as the body with status 200`;
export const answerDescription = lateDescription("The answer");

/**
 * A JSON answer that may take minutes. A result within one beat is answered normally; later the head goes out
 * with status 200 and a space every beat, then the JSON, which for a failure is `shapeOf` of the error.
 */
export async function keepAliveJson(
  work: Promise<unknown>,
  { run, leave }: Pick<Call, "run" | "leave">,
  beat = beatMs,
  shapeOf: (error: RagctlError) => object = errorShape,
): Promise<Response> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), beat);
  const early = await Promise.race([work.then((value) => ({ value })), late]).finally(() =>
    clearTimeout(timer),
  );
  if (early !== null) return json(early.value);
  const encoder = new TextEncoder();
  let beating: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      send(" ");
      beating = setInterval(() => send(" "), beat);
      // Not awaited: a body is read only once its start has ended.
      void work
        .catch((thrown: unknown) => shapeOf(publicError(thrown, run)))
        .then((value) => {
          if (beating === undefined) return;
          clearInterval(beating);
          send(JSON.stringify(roundForOutput(value)));
          controller.close();
        });
    },
    cancel(reason) {
      clearInterval(beating);
      beating = undefined;
      leave(reason);
    },
  });
  const headers = { "content-type": "application/json; charset=utf-8", "x-accel-buffering": "no" };
  return new Response(body, { headers });
}
