import type { Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/*
 * A client may close its sending direction after a request and still read (RFC 9112, 9.6). A client that has left closes
 * it too. Only sending distinguishes them: the system of the one that left rejects the data.
 * 1. Node keeps the other direction open.
 * 2. While the response is pending, harmless data is sent: status 102 before the headers, a comment in an event stream.
 *    The first is rejected, so the second fails, and the request ends as with any broken connection.
 * 3. A response whose body is being sent needs no probes.
 */

/** First pause before a probe, ms; doubled each time, up to `longestWaitMs`. */
const firstWaitMs = 20;
const longestWaitMs = 15_000;

/** Handles clients that closed their sending direction. */
export interface HalfClosed {
  /** Marks a response as an event stream, in which comments are allowed. */
  streaming(answer: ServerResponse): void;
}

/** Answers clients that closed their sending direction. */
export function answerHalfClosed(http: HttpServer): HalfClosed {
  // An old property of node's servers, missing in its types.
  Object.assign(http, { httpAllowHalfOpen: true });
  const underWay = new WeakMap<Socket, Set<ServerResponse>>();
  const streams = new WeakSet<ServerResponse>();
  http.on("request", ({ socket }, answer) => {
    const answers = underWay.get(socket) ?? new Set();
    answers.add(answer);
    answer.once("close", () => answers.delete(answer));
    if (underWay.has(socket)) return;
    underWay.set(socket, answers);
    socket.once("end", () => {
      for (const each of answers) each.shouldKeepAlive = false;
      probe(socket, answers, streams, firstWaitMs);
    });
  });
  return { streaming: (answer) => streams.add(answer) };
}

/** Probes until the responses are written or the client turns out to have left. */
function probe(
  socket: Socket,
  answers: ReadonlySet<ServerResponse>,
  streams: WeakSet<ServerResponse>,
  waitMs: number,
): void {
  const next = (): void => {
    if (socket.destroyed || answers.size === 0) return;
    // Pipelined responses take turns on the socket.
    const answer = [...answers].find((each) => each.socket === socket);
    if (answer !== undefined) sendNothing(answer, streams.has(answer));
    probe(socket, answers, streams, Math.min(waitMs * 2, longestWaitMs));
  };
  setTimeout(next, waitMs).unref();
}

function sendNothing(answer: ServerResponse, isStream: boolean): void {
  if (answer.writableEnded || answer.writableLength > 0) return;
  if (answer.headersSent) {
    if (isStream) answer.write(": ping\n\n");
    return;
  }
  // HTTP/1.0 has no status 102, so these clients count as gone.
  if (answer.req.httpVersion === "1.0") answer.socket?.destroy();
  else answer.writeProcessing();
}
