import type { Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/*
 * A client may close its own direction once its request is sent and still read (RFC 9112, 9.6). One that has
 * left closes it too; only what is sent tells them apart, since the system of the one that left refuses it.
 * 1. Node is told to keep the other direction open;
 * 2. while the answer takes its time, something that means nothing is sent: 102 before its head, a comment
 *    within a stream of events. The first of these is refused, and the second one fails for it, which ends the
 *    request as any connection that breaks does;
 * 3. an answer whose body is being sent needs none of that.
 */

/** Until something is sent to a client that closed its direction, ms; doubled each time, up to `longestWaitMs`. */
const firstWaitMs = 20;
const longestWaitMs = 15_000;

/** Clients that closed their direction. */
export interface HalfClosed {
  /** Notes that an answer is a stream of events, into which comments may be written. */
  streaming(answer: ServerResponse): void;
}

/** Lets clients that closed their direction of a connection have their answers. */
export function answerHalfClosed(http: HttpServer): HalfClosed {
  // An old property of node's servers that its types leave out.
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

/** Sends something now and then until the answers are given, or the client turns out to have left. */
function probe(
  socket: Socket,
  answers: ReadonlySet<ServerResponse>,
  streams: WeakSet<ServerResponse>,
  waitMs: number,
): void {
  const next = (): void => {
    if (socket.destroyed || answers.size === 0) return;
    // Of several the socket has one at a time.
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
  // Clients of HTTP/1.0 know no 102: those that closed their direction count as gone.
  if (answer.req.httpVersion === "1.0") answer.socket?.destroy();
  else answer.writeProcessing();
}
