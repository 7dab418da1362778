import type { Turn } from "../../core/answers/agent.ts";
import type { Answer, AnswerEvent, LanguageModel } from "../../core/answers/answer.ts";
import type { AskRequest } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import { filterAsync } from "../../core/flow.ts";
import type { AccessLevel, ActingAgent, Resource } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { isBlank, toNfc } from "../../core/text.ts";
import {
  type ChatMessage,
  type ChatRoom,
  type Chats,
  createChatRepository,
} from "../../registry/history/chats.ts";
import { sanitizeForMessage } from "../../registry/rows.ts";
import { notFoundError } from "../access.ts";
import { anonymous, messageReader, sourcesOf } from "../answer-sources.ts";
import { openAuxiliaryModel } from "../budget/reader.ts";
import { withDocumentIds } from "../documents/documents.ts";
import type { Home } from "../home.ts";
import { agentsNamed } from "./agent-profiles.ts";
import type { Ask } from "./ask.ts";
import { createMessageIndex, type MessageIndex, withMessageFallback } from "./messages.ts";
import type { AskContext } from "./question.ts";

export type { ChatMessage, ChatRoom } from "../../registry/history/chats.ts";

/** Turns that a follow-up may refer to. */
const historyTurns = 8;

/** Longest message, in characters: that of a question. */
const longestMessage = 8000;

/** Name of the room that everyone has for themselves, after that of its maker. */
const deskName = "desk";

/** Shown instead of an answer whose documents the reader of the room may not read. */
export const withheldNotice = "(withheld: this answer is based on something you may not read)";

/** A message that may not be read says neither what it was nor which agent wrote it. */
const withheld = (message: ChatMessage): ChatMessage => ({
  ...message,
  author: anonymous,
  content: withheldNotice,
  citations: [],
  sources: [],
});

export interface ChatRequest extends Omit<AskRequest, "query"> {
  readonly room: string;
  readonly text: string;
  /** Reply only to messages that ask something; the message is kept either way. */
  readonly decide: boolean;
}

export type ChatEvent =
  | AnswerEvent
  | { readonly type: "message-stored"; readonly message: ChatMessage }
  | { readonly type: "silent"; readonly reason: string };

/** Rooms with memory. Everything holds to the permissions of the run's principal. */
export interface Chat {
  rooms(run: Run): Promise<readonly ChatRoom[]>;
  /**
   * Makes a room; its maker administers it. Its name is `MAKER/NAME`, of the owner's rooms `NAME`, so that a
   * name taken by a room that may not be seen is as free as any. @throws USAGE_INVALID
   */
  open(name: string, visibility: Instance, run: Run): Promise<ChatRoom>;
  /**
   * The room of that name, one's own before others', or one's own private room without a name; made where it
   * is not there. @throws USAGE_INVALID
   */
  enter(
    name: string | undefined,
    visibility: Instance,
    run: Run,
  ): Promise<{ readonly room: ChatRoom; readonly made: boolean }>;
  /**
   * The newest messages, oldest first; an answer that the principal may not read is shown as withheld.
   * @throws NOT_FOUND
   */
  history(room: string, limit: number, run: Run): Promise<readonly ChatMessage[]>;
  /** @throws NOT_FOUND, PERMISSION_DENIED */
  remove(room: string, run: Run): Promise<number>;
  /**
   * Stores a message and answers it. @throws NOT_FOUND, PERMISSION_DENIED, USAGE_INVALID for an empty or
   * overlong message
   */
  say(request: ChatRequest, run: Run): AsyncGenerator<ChatEvent>;
}

export interface ChatParts
  extends Pick<Home, "access" | "agents" | "tools" | "collections" | "permissions" | "registry"> {
  readonly chats: Chats;
  readonly messages: MessageIndex;
  /** The request with its collections and documents resolved. @throws NOT_FOUND */
  readonly resolve: (request: AskRequest, run: Run) => Promise<AskRequest>;
  readonly ask: (request: AskRequest, context: AskContext, run: Run) => AsyncGenerator<AnswerEvent>;
  readonly model: (run: Run) => Promise<LanguageModel | null>;
}

/** Access to the rooms of a home. */
export function createChatRooms(home: Home, ask: Ask): Chat {
  const chats = createChatRepository(home.registry);
  const messages = createMessageIndex({
    chats,
    embedder: home.vectors.embedder,
    store: () => home.collectionStore("private"),
    mark: home.messageMark ?? "",
  });
  return createChatApi({
    ...home,
    chats,
    messages: withMessageFallback(messages),
    async resolve(request, run) {
      if (request.agent !== undefined) await agentsNamed(request.agent, home, run);
      if (request.collections.length > 0) await home.access.chosen(run, null, request.collections);
      return withDocumentIds(request, home, run);
    },
    ask: (request, context, run) => ask(request, run, context),
    model: async (run) => openAuxiliaryModel(await home.languageModels.of("llm", null, run), home),
  });
}

/** Access to the chat of one app. */
export function createChatApi(parts: ChatParts): Chat {
  const { access, chats } = parts;
  const rooms = (run: Run): Promise<readonly ChatRoom[]> => readableRooms(parts, run, null);
  return {
    rooms,
    open: (name, visibility, run) => openRoom(name, visibility, parts, run),
    async enter(name, visibility, run) {
      const desk = `${(await access.principal(run)).name}/${deskName}`;
      const find = () => visibleRoom(name ?? desk, parts, run);
      const room = await find();
      if (room !== undefined) return { room, made: false };
      try {
        const made =
          name === undefined ? makeRoom(desk, "private", parts, run) : openRoom(name, visibility, parts, run);
        return { room: await made, made: true };
      } catch (error) {
        // Whoever entered at the same time may have made it.
        const existing = await parts.registry.refresh().then(find, () => undefined);
        if (existing === undefined) throw error;
        return { room: existing, made: false };
      }
    },
    async history(name, limit, run) {
      const messages = await chats.history((await findRoom(name, "read", parts, run)).id, limit);
      const { reads, author } = await messageReader(parts, await rooms(run), run);
      return Promise.all(
        messages.map(async (message) =>
          (await reads(message)) ? { ...message, author: await author(message) } : withheld(message),
        ),
      );
    },
    async remove(name, run) {
      const room = await findRoom(name, "admin", parts, run);
      // Vectors first: an interrupted removal can be requested again.
      await parts.messages.remove(room.id);
      return chats.remove(room.id);
    },
    say: (request, run) => say({ ...request, text: toNfc(request.text) }, parts, run),
  };
}

/** Stores a message, answers it, and stores the answer with its sources. */
async function* say(
  { room: name, text, decide, ...request }: ChatRequest,
  parts: ChatParts,
  run: Run,
): AsyncGenerator<ChatEvent> {
  const { access, chats, messages } = parts;
  const room = await findRoom(name, "write", parts, run);
  checkLength(text);
  const resolved = await parts.resolve({ ...request, query: text }, run);
  const asker = await access.principal(run);
  const { reads } = await messageReader(parts, await readableRooms(parts, run, null), run);
  const earlier = await filterAsync(await chats.history(room.id, historyTurns), reads);
  const history = earlier.map(turnOf);
  // A right that was revoked meanwhile counts.
  await access.require(run, null, "write", roomResource(room));
  const message = await chats.say(room.id, { author: asker.name, type: "user", content: text });
  yield { type: "message-stored", message };
  await messages.add(room, message, run);
  const silence = await whySilent(text, decide, history, parts, run);
  if (silence !== null) {
    yield { type: "silent", reason: silence };
    return;
  }
  const context: AskContext = {
    history,
    memory: async (question, agent) =>
      messages.search(
        question,
        await readableRooms(parts, run, agent, room),
        ({ id }) => id !== message.id,
        run,
      ),
  };
  let answer: Answer | undefined;
  for await (const event of parts.ask(resolved, context, run)) {
    if (event.type === "answer-end") answer = event.answer;
    yield event;
  }
  if (answer === undefined) return;
  const readable = {
    collections: (await access.allowed(run, null, "read")).collections,
    rooms: await readableRooms(parts, run, null),
  };
  await chats.say(room.id, {
    author: answer.agent ?? anonymous,
    type: "assistant",
    content: answer.response,
    citations: answer.citations,
    sources: await sourcesOf(answer, { asker, earlier, standing: chats.standing, readable }),
  });
}

const roomResource = ({ name, visibility }: ChatRoom): Resource => ({
  kind: "room",
  name,
  instance: visibility,
  department: "",
});

/**
 * Rooms that the principal may read through the agent. Asking an agent in a room (`here`) lets it read that
 * room, unless a rule denies it.
 */
async function readableRooms(
  { access, chats }: ChatParts,
  run: Run,
  agent: ActingAgent | null,
  here?: ChatRoom,
): Promise<readonly ChatRoom[]> {
  const rooms = await chats.rooms();
  const decisions = await access.decideAll(run, agent, "read", rooms.map(roomResource));
  return rooms.filter(({ id }, at) => {
    const { effect, rule } = decisions[at] ?? {};
    return effect === "allow" || (id === here?.id && rule === "agent-not-granted");
  });
}

/** The room of that name, one's own before others'; the owner's rooms have no maker in their names. */
async function visibleRoom(name: string, parts: ChatParts, run: Run): Promise<ChatRoom | undefined> {
  const { name: maker, kind } = await parts.access.principal(run);
  const visible = new Set((await readableRooms(parts, run, null)).map(({ id }) => id));
  const ofMaker = `${maker}/${name}`;
  for (const each of kind === "owner" ? [name, ofMaker] : [ofMaker, name]) {
    const room = await parts.chats.find(each);
    if (room !== undefined && visible.has(room.id)) return room;
  }
  return undefined;
}

/** @throws NOT_FOUND, PERMISSION_DENIED */
async function findRoom(name: string, action: AccessLevel, parts: ChatParts, run: Run): Promise<ChatRoom> {
  const room = await visibleRoom(name, parts, run);
  // Uses the name as typed: another spelling of a hidden room must not reveal it either.
  if (room === undefined) {
    const names = (await readableRooms(parts, run, null)).map((each) => each.name);
    throw notFoundError("room", name, names);
  }
  await parts.access.require(run, null, action, roomResource(room));
  return room;
}

/** Makes a room by its full name, and its maker the one who administers it. */
async function makeRoom(
  name: string,
  visibility: Instance,
  { access, chats, permissions, registry }: ChatParts,
  run: Run,
): Promise<ChatRoom> {
  // Both or neither: a room that its maker may not enter yet looks like that of somebody else.
  return registry.write(async () => {
    const { kind, name: subject } = await access.principal(run);
    const rule = { subjectKind: "principal", subject, effect: "allow", level: "admin" } as const;
    const room = await chats.add(name, visibility);
    if (kind !== "owner") await permissions.put({ ...rule, resourceKind: "room", resource: room.name });
    return room;
  });
}

/** @throws USAGE_INVALID, in the same words whether another principal has such a room or not */
async function openRoom(name: string, visibility: Instance, parts: ChatParts, run: Run): Promise<ChatRoom> {
  if (name.includes("/"))
    throw new RagctlError("USAGE_INVALID", `cannot create a chat named "${sanitizeForMessage(name)}"`, {
      hint: "remove the slash: the part before it names the chat's creator",
    });
  const { name: maker, kind } = await parts.access.principal(run);
  return makeRoom(kind === "owner" ? name : `${maker}/${name}`, visibility, parts, run);
}

/** Why a message gets no reply; null where it gets one. */
async function whySilent(
  text: string,
  decide: boolean,
  history: readonly Turn[],
  { model }: ChatParts,
  run: Run,
): Promise<string | null> {
  if (!/[\p{L}\p{N}]/u.test(text)) return "it has no words";
  if (!decide) return null;
  const { shouldReply } = await import("../../agents/decide/reply-wanted.ts");
  const decision = await shouldReply(text, history, () => model(run), run.signal);
  return decision.wanted ? null : decision.reason;
}

const turnOf = ({ type, author, content }: ChatMessage): Turn => ({ role: type, author, text: content });

function checkLength(text: string): void {
  if (isBlank(text))
    throw new RagctlError("USAGE_INVALID", "the message is empty", { hint: "enter some text" });
  if (text.length <= longestMessage) return;
  throw new RagctlError(
    "USAGE_INVALID",
    `the message has ${text.length} characters; the limit is ${longestMessage}`,
    { hint: "put long text into a file, ingest it, and ask about it" },
  );
}
