import { AsyncResource } from "node:async_hooks";
import type { WebSocket } from "ws";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { askMembers, askOptions } from "../../operations/answers/ask.ts";
import { question } from "../../operations/answers/search.ts";
import { messageShape } from "../../shapes/chat.ts";
import { errorShape } from "../../shapes/error.ts";
import { roundForOutput } from "../../shapes/printed.ts";
import { invalidJsonError, jsonFrom } from "../body.ts";
import { type Call, parseOrReject } from "../define-route.ts";
import { publicError } from "../failure.ts";
import { chatEvent, postMessage } from "./messages.ts";

/** Longest message of a client, bytes. */
export const longestFrame = 65_536;

/** Most messages of a client within `windowMs`; one that sends more is disconnected. */
const mostMessages = 20;
const windowMs = 10_000;

/** Bytes that may wait for a client that reads slowly. */
const mostWaiting = 4 * 2 ** 20;

/** A client that answers no ping for this long is gone, ms. */
const heartbeatMs = 30_000;

/** Newest messages that are compared with the client's. */
const newest = 50;

/** Close codes of RFC 6455. */
const policyViolation = 1008;
const goingAway = 1001;
/** Of the registry of IANA: try again later. */
const tryAgainLater = 1013;

/** How long a client may take to close its end, ms; until then its messages still cost time. */
const closingMs = 1_000;

/** Whether an address is that of a room's socket. */
export const isRoomSocket = (url: string): boolean =>
  /^\/v1\/(?:chats|rooms)\/[^/?]+\/socket(?:\?|$)/.test(url);

/** A message of a client. */
export const frame = z.strictObject({ type: z.literal("say"), text: question, ...askMembers });
type Frame = z.output<typeof frame>;

const frameHint = 'send {"type":"say","text":"…"}; other members as in POST /v1/ask, except history';

/** The part of a socket that a room needs. */
export type ChatSocket = Pick<
  WebSocket,
  "readyState" | "OPEN" | "bufferedAmount" | "ping" | "terminate" | "close"
> & {
  on(event: "ping" | "pong", listener: () => void): unknown;
  send(text: string): void;
};

/** A conversation in a room over one socket. Everything is decided again for each message. */
export interface RoomSocket {
  opened(socket: ChatSocket): void;
  received(data: unknown): void;
  closed(): void;
}

/** Opens a room for one socket. @throws NOT_FOUND for a room that may not be read */
export async function openRoomSocket(room: string, call: Call): Promise<RoomSocket> {
  const { server, visitor, run, leave } = call;
  const link = openLink();
  const report = (thrown: unknown): void => link.send("error", errorShape(publicError(thrown, run)));
  const { check, deliver, say } = await openConversation(room, call, link.send);
  const resources = new DisposableStack();
  /** Whether the work was done; the socket is closed otherwise. */
  const orClose = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (thrown) {
      report(thrown);
      link.close(policyViolation);
      return false;
    }
  };
  const inTurn = openTurns(report);
  return {
    opened(socket) {
      resources.use(link.open(socket));
      try {
        resources.use(server.auth.limits.stream(visitor.principal));
      } catch (thrown) {
        report(thrown);
        return link.close(tryAgainLater);
      }
      resources.use(server.metrics.stream("socket"));
      socket.on("ping", () => {
        if (!inTurn.mayAdd()) link.close(policyViolation);
      });
      // Not in the context of whoever announces: what that question remembers is not this visitor's.
      resources.use(server.news.listen(AsyncResource.bind(() => void orClose(deliver))));
      // Earlier messages are still answered; `run` ends with the time allowed to streams.
      const stop = (): void => void inTurn.ended().then(() => link.close(goingAway));
      server.stopping.addEventListener("abort", stop, { once: true });
      resources.defer(() => server.stopping.removeEventListener("abort", stop));
    },
    received(data) {
      if (!inTurn.mayAdd()) return link.close(policyViolation);
      const checked = orClose(check);
      try {
        requireServing(server.stopping);
        const said = frameOf(data);
        inTurn.add(async () => {
          if ((await checked) && (await orClose(check))) await say(said);
        });
      } catch (thrown) {
        report(thrown);
      }
    },
    closed() {
      leave(new Error("the client left"));
      resources.dispose();
    },
  };
}

/** The messages of a room from now on, as one visitor sees them. @throws NOT_FOUND as `openRoomSocket` */
async function openConversation(room: string, call: Call, send: (type: string, data: unknown) => void) {
  const { server, visitor, run } = call;
  const chat = await server.app.chat();
  // Also checks that the room may be read.
  let position = (await chat.history(room, 1, run)).at(-1)?.position ?? -1;
  /** Messages that this visitor sent and was notified of. */
  const own = new Set<string>();
  /** @throws SIGN_IN_REQUIRED */
  const check = async (): Promise<void> => {
    if (!(await server.auth.stands(visitor)))
      throw new RagctlError("SIGN_IN_REQUIRED", "the key is no longer valid");
  };
  return {
    check,
    /** Sends new messages of others. */
    async deliver(): Promise<void> {
      await check();
      for (const message of await chat.history(room, newest, run)) {
        if (message.position <= position) continue;
        position = message.position;
        if (!own.delete(message.id)) send("message", messageShape(message));
      }
    },
    async say({ type: _, text, ...rest }: Frame): Promise<void> {
      const request = { room, text, decide: true, ...askOptions(rest, server.settings.retrieve.topK) };
      for await (const event of postMessage(request, call)) {
        if (event.type === "message-stored") own.add(event.message.id);
        const { name, data } = chatEvent(event);
        send(name, data);
      }
    },
  };
}

/** @throws SERVER_BUSY once the server takes nothing new */
function requireServing(stopping: AbortSignal): void {
  if (stopping.aborted)
    throw new RagctlError("SERVER_BUSY", "the server is stopping", { hint: "send it again shortly" });
}

/** Reads a message of a client. @throws REQUEST_INVALID */
function frameOf(data: unknown): Frame {
  const what = "the message";
  try {
    if (typeof data !== "string") throw invalidJsonError("it is binary", what);
    return parseOrReject(frame, jsonFrom(data, what), what);
  } catch (cause) {
    if (!(cause instanceof RagctlError)) throw cause;
    // The description of the routes has no messages of sockets.
    throw new RagctlError(cause.code, cause.message, { hint: frameHint, cause });
  }
}

/** The socket, once it is open: sends, and notices a client that is gone or does not read. */
function openLink() {
  let socket: ChatSocket | undefined;
  return {
    open(opened: ChatSocket): Disposable {
      socket = opened;
      let answered = true;
      opened.on("pong", () => {
        answered = true;
      });
      const timer = setInterval(() => {
        if (!answered) opened.terminate();
        answered = false;
        opened.ping();
      }, heartbeatMs).unref();
      return { [Symbol.dispose]: () => clearInterval(timer) };
    },
    send(type: string, data: unknown): void {
      if (socket === undefined || socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > mostWaiting) socket.terminate();
      else socket.send(JSON.stringify({ type, data: roundForOutput(data) }));
    },
    close(code: number): void {
      socket?.close(code);
      setTimeout(() => socket?.terminate(), closingMs).unref();
    },
  };
}

/** Does one thing after the other, and counts how fast they and pings come. */
function openTurns(failed: (thrown: unknown) => void) {
  let last: Promise<void> = Promise.resolve();
  let times: readonly number[] = [];
  return {
    mayAdd(): boolean {
      const now = Date.now();
      times = times.filter((time) => now - time < windowMs);
      if (times.length >= mostMessages) return false;
      times = [...times, now];
      return true;
    },
    add(work: () => Promise<void>): void {
      last = last.then(work).catch(failed);
    },
    /** When all that was added has been done. */
    ended: () => last,
  };
}
