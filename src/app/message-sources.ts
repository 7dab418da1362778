import type { Answer } from "../core/answer.ts";
import type { Principal } from "../core/permission.ts";
import type { Run } from "../core/run.ts";
import type { Agents } from "../registry/agents.ts";
import type { ChatMessage, ChatRoom, Chats } from "../registry/chats.ts";
import type { Tools } from "../registry/tools.ts";
import { type Access, agentResource } from "./access.ts";
import { toolsWithoutAgent } from "./agent-profiles.ts";

/** How a source of a message begins; what follows is a name, of a room and a principal the id. */
const of = { collection: "collection:", room: "room:", tool: "tool:", agent: "agent:", asker: "asker:" } as const;

export interface AnswerOrigins {
  readonly asker: Pick<Principal, "id">;
  /** Turns its writer was given. */
  readonly earlier: readonly ChatMessage[];
  readonly standing: Chats["standing"];
  /** Collections and rooms that the asker may read: all that an answer of unknown origin can rest on. */
  readonly readable: { readonly collections: readonly string[]; readonly rooms: readonly ChatRoom[] };
}

/**
 * What an answer rests on, cited or not: the collections and rooms of everything it was made from, every tool that was called, agents it
 * names, and whatever the messages among them rest on themselves. Earlier turns count where a model read them or the question was
 * rewritten with them. An answer that does not say what it was made from is its asker's alone, and only while all that the asker
 * could read when it was given stays readable.
 */
export function sourcesOf(answer: Answer, { asker, earlier, standing, readable }: AnswerOrigins): readonly string[] {
  const { origins, context } = answer;
  const tools = answer.tools.filter(({ status }) => status !== "denied").map(({ call }) => `${of.tool}${call.tool}`);
  const said = (origins?.chunks ?? []).filter(({ method }) => method === "chat");
  const read = (origins?.chunks ?? []).filter(({ method, collection }) => method !== "chat" && collection !== "");
  const collections = origins === undefined ? readable.collections : [...read.map(({ collection }) => collection), ...origins.collections];
  const rooms = origins === undefined ? readable.rooms.map(({ id }) => id) : said.map(({ documentId }) => documentId);
  const leansOnTurns = origins === undefined || answer.model !== null || context.question !== answer.query.trim();
  return [
    ...new Set([
      ...(origins === undefined ? [`${of.asker}${asker.id}`] : []),
      ...collections.map((name) => `${of.collection}${name}`),
      ...rooms.map((id) => `${of.room}${id}`),
      ...tools,
      ...(origins?.agents ?? []).map((name) => `${of.agent}${name}`),
      ...[...standing(said.map(({ id }) => id)).values(), ...(leansOnTurns ? earlier : [])].flatMap(({ sources }) => sources),
    ]),
  ].sort();
}

export interface ReaderParts {
  readonly access: Pick<Access, "allowed" | "principal" | "tool" | "decide">;
  readonly agents: Pick<Agents, "list">;
  readonly tools: Pick<Tools, "list">;
}

/** Whether a message may be read: everything it rests on may be. The owner reads all. */
export function messageReader(
  { access, agents, tools }: ReaderParts,
  rooms: readonly ChatRoom[],
  run: Run,
): (message: ChatMessage) => boolean {
  const principal = access.principal(run);
  if (principal.kind === "owner") return () => true;
  const known = new Set([
    `${of.asker}${principal.id}`,
    ...access.allowed(run, null, "read").collections.map((name) => `${of.collection}${name}`),
    ...rooms.map(({ id }) => `${of.room}${id}`),
  ]);
  /** By the rules of now; what is not there any more may be used by nobody. */
  const usable = (source: string): boolean => {
    if (source.startsWith(of.tool)) {
      const name = source.slice(of.tool.length);
      const row = tools.list().find((each) => each.name === name) ?? toolsWithoutAgent.find((each) => each.name === name);
      return row !== undefined && access.tool(run, null, row).effect === "allow";
    }
    if (!source.startsWith(of.agent)) return false;
    const named = agents.list().find((each) => each.name === source.slice(of.agent.length));
    return named !== undefined && access.decide(run, null, "read", agentResource(named)).effect === "allow";
  };
  const seen = new Map<string, boolean>();
  const may = (source: string): boolean => {
    const before = seen.get(source);
    if (before !== undefined) return before;
    const now = known.has(source) || usable(source);
    seen.set(source, now);
    return now;
  };
  return ({ sources }) => sources.every(may);
}
