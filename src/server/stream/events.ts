import type { RagctlError } from "../../core/errors.ts";
import { errorShape } from "../../shapes/error.ts";
import { roundForOutput } from "../../shapes/printed.ts";

/** One event of a stream. */
export interface ServerEvent {
  readonly name: string;
  readonly data: unknown;
  /** Default: its number in the stream. */
  readonly id?: string;
}

/** How a stream is written. */
export interface StreamOptions {
  /** Called once, however it ends. */
  readonly onEnd: () => void;
  /** The reader has left. */
  readonly leave: (reason?: unknown) => void;
  /** The error as the client may see it. */
  readonly publicError: (thrown: unknown) => RagctlError;
  /** Ends the stream at once, with its reason as the last event, even while its events wait for something. */
  readonly stopped: AbortSignal;
  /** Text of an event; default: as server-sent events have it. */
  readonly write?: (event: ServerEvent, index: number) => string;
}

/** A comment keeps idle connections open, ms. */
const pingMs = 15_000;

/** What may wait for a client that reads slowly, bytes; a generation never waits for one. */
const mostWaiting = 8 * 2 ** 20;

const eventText = ({ name, data, id }: ServerEvent, index: number): string =>
  `id: ${id ?? index}\nevent: ${name}\ndata: ${JSON.stringify(roundForOutput(data))}\n\n`;

/** A response that streams events; a failure after its beginning is an event `error`. */
export function eventResponse(events: AsyncIterable<ServerEvent>, options: StreamOptions): Response {
  const { leave, write = eventText } = options;
  const encoder = new TextEncoder();
  // Everything that ends with the stream, once: a closed stream must not be written to.
  const resources = new DisposableStack();
  resources.defer(options.onEnd);
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string): void => {
          if (resources.disposed) return;
          if ((controller.desiredSize ?? 0) <= 0) leave(new Error("the client does not read the stream"));
          controller.enqueue(encoder.encode(text));
        };
        const end = (): void => {
          if (resources.disposed) return;
          resources.dispose();
          controller.close();
        };
        const stop = (): void => {
          const data = errorShape(options.publicError(options.stopped.reason));
          send(write({ name: "error", data }, 0));
          end();
        };
        options.stopped.addEventListener("abort", stop, { once: true });
        resources.defer(() => options.stopped.removeEventListener("abort", stop));
        const pinging = setInterval(() => send(": ping\n\n"), pingMs).unref();
        resources.defer(() => clearInterval(pinging));
        void pump(events, send, { ...options, write }).finally(end);
      },
      cancel(reason) {
        resources.dispose();
        leave(reason);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
  );
  return new Response(body, { headers: streamHeaders });
}

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies that gather answers would hold events back.
  "x-accel-buffering": "no",
} as const;

/** What HEAD gets of a stream: its headers, and nothing is begun. */
export const answerHead = (): Response => new Response(null, { headers: streamHeaders });

async function pump(
  events: AsyncIterable<ServerEvent>,
  send: (text: string) => void,
  { write, publicError }: Required<Pick<StreamOptions, "write" | "publicError">>,
): Promise<void> {
  let index = 1;
  try {
    for await (const event of events) send(write(event, index++));
  } catch (thrown) {
    send(write({ name: "error", data: errorShape(publicError(thrown)) }, index));
  }
}
