import type { Answer } from "../core/answer.ts";
import type { ActingAgent } from "../core/permission.ts";
import type { Run } from "../core/run.ts";
import type { ChatMessage, ChatRoom, Chats } from "../registry/chats.ts";
import type { Access } from "./access.ts";

const [ofCollection, ofRoom] = ["collection:", "room:"];

export interface AnswerOrigins {
  /** Turns its writer was given. */
  readonly earlier: readonly ChatMessage[];
  readonly standing: Chats["standing"];
  /** Collections that the principal may read. */
  readonly readable: readonly string[];
}

/**
 * What an answer rests on, cited or not: the collections and rooms of every passage its writer was shown, and whatever the messages
 * among them rest on themselves. Earlier turns count where a model read them or the question was rewritten with them. A query of
 * spreadsheets may have seen every collection that could be read.
 */
export function sourcesOf(answer: Answer, { earlier, standing, readable }: AnswerOrigins): readonly string[] {
  const { passages, question } = answer.context;
  const said = passages.filter(({ chunk }) => chunk.method === "chat").map(({ chunk }) => chunk);
  const read = passages.map(({ chunk }) => chunk).filter(({ method, collection }) => method !== "chat" && collection !== "");
  const queried = answer.tools.some(({ call, status }) => call.type === "database_query" && status === "ok");
  const remembered = answer.model !== null || question !== answer.query.trim() ? earlier : [];
  return [
    ...new Set([
      ...[...read.map(({ collection }) => collection), ...(queried ? readable : [])].map((name) => `${ofCollection}${name}`),
      ...said.map(({ documentId }) => `${ofRoom}${documentId}`),
      ...[...standing(said.map(({ id }) => id)).values(), ...remembered].flatMap(({ sources }) => sources),
    ]),
  ].sort();
}

/** Whether a message may be read, through the agent: everything it rests on may be. The owner reads all. */
export function messageReader(
  access: Pick<Access, "allowed" | "principal">,
  rooms: readonly ChatRoom[],
  run: Run,
  agent: ActingAgent | null,
): (message: ChatMessage) => boolean {
  if (agent === null && access.principal(run).kind === "owner") return () => true;
  const known = new Set([
    ...access.allowed(run, agent, "read").collections.map((name) => `${ofCollection}${name}`),
    ...rooms.map(({ id }) => `${ofRoom}${id}`),
  ]);
  return ({ sources }) => sources.every((source) => known.has(source));
}
