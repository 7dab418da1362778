import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import type { HomeCopy, RoomTalk, ServedCopy } from "../../app/audit/attempt.ts";
import { type Company, createCompanyApi } from "../../app/company.ts";
import type { AuditedAssistants, ServedApp } from "../../app/serving.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { operations } from "../../operations/all.ts";
import { createOriginalFiles } from "../files/original.ts";
import { createUploadFolder } from "../files/uploads.ts";
import { createHandler } from "../handler.ts";
import { createAllowedHosts } from "../hosts.ts";
import { createServerMetrics } from "../metrics.ts";
import { createChatBroadcaster } from "../rooms/news.ts";
import type { ChatSocket, RoomSocket } from "../rooms/socket.ts";
import { createAuthenticator } from "../sign-in/authenticator.ts";
import { noLimits } from "../sign-in/limits.ts";
import { createPendingAnswers } from "../stream/under-way.ts";
import { attemptsOf } from "./attempts.ts";

const host = "127.0.0.1";
const port = 1;
const origin = `http://${host}:${port}`;

/**
 * Serves the audited copy of a home in memory: the request handler without a socket, and assistants over
 * streams. Every principal signs in with a key, as with a real server.
 */
export function serveCopy(
  { home, surface, folder, run }: HomeCopy,
  assistantsOf: (app: Company) => AuditedAssistants,
): ServedCopy {
  const company = createCompanyApi(home, surface);
  const assistants = assistantsOf(company);
  const stopping = new AbortController();
  const rooms: RoomSocket[] = [];
  const hosts = createAllowedHosts({ host, port, tls: false }, []);
  const app: ServedApp = { ...company, doctor: async () => [], readiness: async () => [] };
  const handler = createHandler(
    {
      app,
      settings: home.settings,
      programVersion: home.programVersion,
      log: run.log,
      hosts,
      auth: createAuthenticator({
        keys: company.keys,
        hosts,
        secure: false,
        limits: noLimits,
        checkPrincipal: async (principal) =>
          (await company.permissions.principal({ ...run, principal })).name,
      }),
      uploads: createUploadFolder({ home: folder, maxBytes: home.settings.parse.maxBytes }),
      originals: createOriginalFiles(),
      metrics: createServerMetrics(),
      news: createChatBroadcaster(),
      underWay: createPendingAnswers(),
      stopping: stopping.signal,
      stopped: stopping.signal,
      mcp: assistants.http,
    },
    { behindProxy: false, tls: false, takeRoom: (room) => void rooms.push(room) },
  );
  const keys = new Map<string, string>();
  const request: ServedCopy["request"] = async (principal, path, init = {}) => {
    const key = keys.get(principal) ?? (await company.keys.add(principal, { label: "audit" }, run)).key;
    keys.set(principal, key);
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${key}`);
    return handler.request(`${origin}${path}`, { ...init, headers });
  };
  return {
    request,
    async room(principal, name) {
      const path = `/v1/chats/${encodeURIComponent(name)}/socket`;
      const response = await request(principal, path, { headers: { upgrade: "websocket" } });
      const room = rooms.pop();
      return room === undefined ? response : talkIn(room);
    },
    assistant: (principal, method, params) => askAssistant(assistants, principal, method, params),
    attempts: (canary) => attemptsOf(operations, canary, company),
    async [Symbol.asyncDispose]() {
      stopping.abort(new RagctlError("SERVER_BUSY", "the audit has ended"));
    },
  };
}

/** Messages that end the reply to a message. */
const lastOfTurn = ["answer-end", "silent", "error"];
const frame = z.looseObject({ type: z.string() });

/** A room with an in-memory client. */
function talkIn(room: RoomSocket): RoomTalk {
  const received: string[] = [];
  const turns = new PassThrough({ objectMode: true });
  const closed = (): void => void turns.emit("turn");
  const line: ChatSocket = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    on: () => line,
    ping: () => undefined,
    terminate: closed,
    close: closed,
    send(text) {
      received.push(text);
      if (lastOfTurn.includes(frame.parse(JSON.parse(text)).type)) closed();
    },
  };
  room.opened(line);
  return {
    received,
    async say(text) {
      const answered = once(turns, "turn");
      room.received(JSON.stringify({ type: "say", text }));
      await answered;
    },
    [Symbol.dispose]: () => room.closed(),
  };
}

const opening = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "audit", version: "1" },
};

/** Runs an MCP server in memory, sends one message and returns the reply. */
async function askAssistant(
  { stdio }: AuditedAssistants,
  principal: string,
  method: string,
  params: object,
): Promise<unknown> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = stdio(principal, { input, output, note: () => undefined }, new AbortController().signal);
  const answers = createInterface({ input: output })[Symbol.asyncIterator]();
  const send = (message: object): void =>
    void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 0, method: "initialize", params: opening });
  await answers.next();
  send({ method: "notifications/initialized" });
  send({ id: 1, method, params });
  const { value } = await answers.next();
  input.end();
  await ended;
  return JSON.parse(value ?? "null");
}
