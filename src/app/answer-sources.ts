import type { Answer } from "../core/answers/answer.ts";
import type { ReplayRecord } from "../core/answers/replay.ts";
import { someAsync } from "../core/flow.ts";
import { lazyMap } from "../core/lazy.ts";
import type { Principal } from "../core/permission.ts";
import type { Run } from "../core/run.ts";
import type { ChatMessage, ChatRoom, Chats } from "../registry/history/chats.ts";
import type { Beside } from "../registry/history/runs.ts";
import { agentResource, collectionResource } from "./access.ts";
import { toolsWithoutAgent } from "./ask/agent-profiles.ts";
import type { Home } from "./home.ts";

/** Prefix of a source of a message; a name follows, for a room or a principal the id. */
const prefixes = {
  collection: "collection:",
  room: "room:",
  tool: "tool:",
  agent: "agent:",
  asker: "asker:",
} as const;

/** The source of a past answer that names a collection. */
export const collectionSource = (name: string): string => `${prefixes.collection}${name}`;

const toolSources = (tools: Answer["tools"]): readonly string[] =>
  tools.filter(({ status }) => status !== "denied").map(({ call }) => `${prefixes.tool}${call.tool}`);

/** The sources of what is shown beside a past answer: it names what was searched, called and asked. */
export const supplementarySources = (
  { agent, tools = [] }: Beside,
  { stores }: ReplayRecord,
): readonly string[] => [
  ...stores.map(({ collection }) => collectionSource(collection)),
  ...toolSources(tools),
  ...(agent ? [`${prefixes.agent}${agent}`] : []),
];

/** Author of a reply by no agent, or by one that may not be named. */
export const anonymous = "assistant";

export interface AnswerOrigins {
  readonly asker: Pick<Principal, "id">;
  /** Turns its writer was given. */
  readonly earlier: readonly ChatMessage[];
  readonly standing: Chats["standing"];
  /** Collections and rooms that the asker may read: all that an answer of unknown origin can rest on. */
  readonly readable: { readonly collections: readonly string[]; readonly rooms: readonly ChatRoom[] };
}

/**
 * The sources of an answer, cited or not: the collections and rooms of everything it was made from, every
 * tool that was called, agents it names, and the sources of the messages among them. Earlier turns count
 * where a model read them or the question was rewritten with them. An answer without recorded origins is
 * readable only by its asker, and only while everything that the asker could read at the time remains
 * readable.
 */
export async function sourcesOf(
  answer: Answer,
  { asker, earlier, standing, readable }: AnswerOrigins,
): Promise<readonly string[]> {
  const { origins, context } = answer;
  const chunks = origins?.chunks ?? [];
  const messages = chunks.filter(({ method }) => method === "chat");
  const passages = chunks.filter(({ method, collection }) => method !== "chat" && collection !== "");
  const collections =
    origins === undefined
      ? readable.collections
      : [...passages.map(({ collection }) => collection), ...origins.collections];
  const rooms =
    origins === undefined ? readable.rooms.map(({ id }) => id) : messages.map(({ documentId }) => documentId);
  const leansOnTurns =
    origins === undefined || answer.model !== null || context.question !== answer.query.trim();
  return [
    ...new Set([
      ...(origins === undefined ? [`${prefixes.asker}${asker.id}`] : []),
      ...collections.map(collectionSource),
      ...rooms.map((id) => `${prefixes.room}${id}`),
      ...toolSources(answer.tools),
      ...(origins?.agents ?? []).map((name) => `${prefixes.agent}${name}`),
      ...[
        ...(await standing(messages.map(({ id }) => id))).values(),
        ...(leansOnTurns ? earlier : []),
      ].flatMap(({ sources }) => sources),
    ]),
  ].sort();
}

/** Decides whether a principal may read a message, or another past answer. */
export interface MessageReader {
  /**
   * True if all its sources may be read or used; a collection created after it is not its source, whatever
   * its name. The owner reads everything not denied to the owner, including unknown and deleted sources.
   */
  reads(message: Pick<ChatMessage, "sources" | "createdAt">): Promise<boolean>;
  /** Its author; of an agent that may not be used only that an assistant wrote it. */
  author(message: ChatMessage): Promise<string>;
}

/** Opens the reader of a run's principal, by the rules of now; `rooms` are those it may read. */
export async function messageReader(
  { access, agents, tools, ...home }: Pick<Home, "access" | "agents" | "tools" | "collections">,
  rooms: readonly ChatRoom[],
  run: Run,
): Promise<MessageReader> {
  const principal = await access.principal(run);
  const all = principal.kind === "owner";
  const collections = new Set((await access.allowed(run, null, "read")).collections);
  const made = await home.collections.made();
  const roomIds = new Set(rooms.map(({ id }) => id));
  const toolRows = new Map([...toolsWithoutAgent, ...(await tools.list())].map((tool) => [tool.name, tool]));
  const agentRows = new Map((await agents.list()).map((agent) => [agent.name, agent]));
  const denied = (name: string): Promise<boolean> =>
    someAsync(
      ["public", "private"] as const,
      async (instance) =>
        (await access.decide(run, null, "read", collectionResource({ name, instance }))).effect === "deny",
    );
  const usesTool = async (name: string): Promise<boolean> => {
    const row = toolRows.get(name);
    return row === undefined ? all : (await access.tool(run, null, row)).effect === "allow";
  };
  const usesAgent = async (name: string): Promise<boolean> => {
    const row = agentRows.get(name);
    return row === undefined
      ? all
      : (await access.decide(run, null, "read", agentResource(row))).effect === "allow";
  };
  const may = lazyMap(async (source: string): Promise<boolean> => {
    const colon = source.indexOf(":");
    const kind = source.slice(0, colon + 1);
    const name = source.slice(colon + 1);
    if (kind === prefixes.collection) return collections.has(name) || (all && !(await denied(name)));
    if (kind === prefixes.room) return all || roomIds.has(name);
    if (kind === prefixes.tool) return usesTool(name);
    if (kind === prefixes.agent) return usesAgent(name);
    return all || (kind === prefixes.asker && name === principal.id);
  });
  const isYounger = (source: string, at: string): boolean =>
    source.startsWith(prefixes.collection) && (made.get(source.slice(prefixes.collection.length)) ?? "") > at;
  return {
    reads: async ({ sources, createdAt }) =>
      !(await someAsync(
        sources,
        async (source) => !(await may(source)) || (!all && isYounger(source, createdAt)),
      )),
    author: async ({ type, author }) =>
      type === "user" || author === anonymous || (await may(`${prefixes.agent}${author}`))
        ? author
        : anonymous,
  };
}
