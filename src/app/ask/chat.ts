import type { Turn } from "../../core/answers/agent.ts";
import type { Answer, AnswerEvent, LanguageModel } from "../../core/answers/answer.ts";
import type { AskRequest } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import type { AccessLevel, ActingAgent, Resource } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { Permissions } from "../../registry/company/permissions.ts";
import type { ChatMessage, ChatRoom, Chats } from "../../registry/history/chats.ts";
import { printable } from "../../registry/rows.ts";
import { type Access, notFound } from "../access.ts";
import type { AskContext } from "./graph-drivers.ts";
import { anyone, messageReader, type ReaderParts, sourcesOf } from "./message-sources.ts";
import type { MessageIndex } from "./messages.ts";

export type { ChatMessage, ChatRoom } from "../../registry/history/chats.ts";

/** Turns that a follow-up may refer to. */
const remembered = 8;

/** Longest message, in characters: that of a question. */
const longestMessage = 8000;

/** Name of the room that everyone has for themselves, after that of its maker. */
const ownRoom = "desk";

/** What stands for an answer from documents that whoever reads the room may not read. */
export const withheldText = "(withheld: this answer rests on something you may not read)";

/** A message that may not be read says neither what it was nor which agent wrote it. */
const withheld = (message: ChatMessage): ChatMessage => ({
  ...message,
  author: anyone,
  content: withheldText,
  citations: [],
  sources: [],
});

export interface ChatRequest extends Omit<AskRequest, "query"> {
  readonly room: string;
  readonly text: string;
  /** Let the model decide whether a reply is wanted at all; the message is kept either way. */
  readonly decide: boolean;
}

export type ChatEvent =
  | AnswerEvent
  | { readonly type: "message-stored"; readonly message: ChatMessage }
  | { readonly type: "silent"; readonly reason: string };

/** Rooms with memory. Everything holds to the permissions of the run's principal. */
export interface Chat {
  rooms(run: Run): readonly ChatRoom[];
  /**
   * Makes a room; its maker administers it. Its name is `MAKER/NAME`, of the owner's rooms `NAME`, so that a name taken by a room that may
   * not be seen is as free as any. @throws USAGE_INVALID
   */
  open(name: string, visibility: Instance, run: Run): ChatRoom;
  /** The room of that name, one's own before others', or one's own private room without a name; made where it is not there. @throws USAGE_INVALID */
  enter(
    name: string | undefined,
    visibility: Instance,
    run: Run,
  ): { readonly room: ChatRoom; readonly made: boolean };
  /** The newest messages, oldest first; an answer from what the principal may not read says only that it is withheld. @throws NOT_FOUND */
  history(room: string, limit: number, run: Run): readonly ChatMessage[];
  /** @throws NOT_FOUND, PERMISSION_DENIED */
  remove(room: string, run: Run): Promise<number>;
  /** Stores what is said and answers it. @throws NOT_FOUND, PERMISSION_DENIED, USAGE_INVALID for an empty or overlong message */
  say(request: ChatRequest, run: Run): AsyncGenerator<ChatEvent>;
}

export interface ChatParts {
  readonly access: Access;
  readonly agents: ReaderParts["agents"];
  readonly tools: ReaderParts["tools"];
  readonly chats: Chats;
  readonly permissions: Pick<Permissions, "put">;
  readonly messages: MessageIndex;
  /** The request with its collections and documents resolved. @throws NOT_FOUND */
  readonly resolve: (request: AskRequest, run: Run) => AskRequest;
  readonly ask: (request: AskRequest, context: AskContext, run: Run) => AsyncGenerator<AnswerEvent>;
  readonly model: (run: Run) => Promise<LanguageModel | null>;
}

/** Opens the chat of one app. */
export function openChat({
  access,
  agents,
  tools,
  chats,
  permissions,
  messages,
  resolve,
  ask,
  model,
}: ChatParts): Chat {
  const resource = (room: ChatRoom): Resource => ({
    kind: "room",
    name: room.name,
    instance: room.visibility,
    department: "",
  });
  const readable = (run: Run, agent: ActingAgent | null, here?: ChatRoom): readonly ChatRoom[] =>
    chats.rooms().filter((room) => {
      const { effect, rule } = access.decide(run, agent, "read", resource(room));
      // Whoever asks an agent in a room lets it hear that room, unless a rule denies it.
      return effect === "allow" || (room.id === here?.id && rule === "agent-not-granted");
    });
  const rooms = (run: Run): readonly ChatRoom[] => readable(run, null);
  const reader = (run: Run) => messageReader({ access, agents, tools }, rooms(run), run);
  const visibleRoom = (name: string, run: Run): ChatRoom | undefined => {
    const { name: maker, kind } = access.principal(run);
    const visible = new Set(rooms(run).map(({ id }) => id));
    const own = `${maker}/${name}`;
    return (kind === "owner" ? [name, own] : [own, name])
      .map((each) => chats.find(each))
      .find((room) => room !== undefined && visible.has(room.id));
  };
  const make = (name: string, visibility: Instance, run: Run): ChatRoom => {
    const principal = access.principal(run);
    const room = chats.add(name, visibility);
    if (principal.kind !== "owner") {
      permissions.put({
        subjectKind: "principal",
        subject: principal.name,
        effect: "allow",
        resourceKind: "room",
        resource: room.name,
        level: "admin",
      });
    }
    return room;
  };
  const open = (name: string, visibility: Instance, run: Run): ChatRoom => {
    // The same words whether somebody has such a room or not.
    if (name.includes("/"))
      throw new RagctlError("USAGE_INVALID", `no room can be made with the name "${printable(name)}"`, {
        hint: "leave the / out: what stands before it is the maker of a room",
      });
    const { name: maker, kind } = access.principal(run);
    return make(kind === "owner" ? name : `${maker}/${name}`, visibility, run);
  };
  const find = (name: string, action: AccessLevel, run: Run): ChatRoom => {
    const room = visibleRoom(name, run);
    // By the name as it was typed: another spelling of a hidden room is no more there than the room.
    if (room === undefined) {
      throw notFound(
        "room",
        name,
        rooms(run).map((each) => each.name),
      );
    }
    access.require(run, null, action, resource(room));
    return room;
  };
  return {
    rooms,
    open,
    enter(name, visibility, run) {
      const own = `${access.principal(run).name}/${ownRoom}`;
      const known = visibleRoom(name ?? own, run);
      if (known !== undefined) return { room: known, made: false };
      return {
        room: name === undefined ? make(own, "private", run) : open(name, visibility, run),
        made: true,
      };
    },
    history(name, limit, run) {
      const said = chats.history(find(name, "read", run).id, limit);
      const { reads, author } = reader(run);
      return said.map((message) =>
        reads(message) ? { ...message, author: author(message) } : withheld(message),
      );
    },
    async remove(name, run) {
      const room = find(name, "admin", run);
      // Vectors first: a removal that was cut off can be asked for again.
      await messages.remove(room.id);
      return chats.remove(room.id);
    },
    async *say({ room: name, text, decide, ...request }, run) {
      const room = find(name, "write", run);
      checkLength(text);
      const asked = resolve({ ...request, query: text }, run);
      const asker = access.principal(run);
      const { reads } = reader(run);
      const earlier = chats.history(room.id, remembered).filter(reads);
      const before = earlier.map(turnOf);
      const message = chats.say(room.id, { author: asker.name, type: "user", content: text });
      yield { type: "message-stored", message };
      await messages.add(room, message, run);
      const silence = await whySilent(text, decide, before, run);
      if (silence !== null) {
        yield { type: "silent", reason: silence };
        return;
      }
      const context: AskContext = {
        history: before,
        memory(question, agent) {
          return messages.search(question, readable(run, agent, room), (each) => each.id !== message.id, run);
        },
      };
      let answer: Answer | undefined;
      for await (const event of ask(asked, context, run)) {
        if (event.type === "answer-end") answer = event.answer;
        yield event;
      }
      if (answer === undefined) return;
      const readableNow = { collections: access.allowed(run, null, "read").collections, rooms: rooms(run) };
      chats.say(room.id, {
        author: answer.agent ?? anyone,
        type: "assistant",
        content: answer.response,
        citations: answer.citations,
        sources: sourcesOf(answer, { asker, earlier, standing: chats.standing, readable: readableNow }),
      });
    },
  };

  /** Why a message gets no reply; null where it gets one. */
  async function whySilent(
    text: string,
    decide: boolean,
    before: readonly Turn[],
    run: Run,
  ): Promise<string | null> {
    if (!/[\p{L}\p{N}]/u.test(text)) return "it has no words";
    if (!decide) return null;
    const { replyWanted } = await import("../../agents/decide/reply-wanted.ts");
    const decision = await replyWanted(text, before, await model(run), run.signal);
    return decision.wanted ? null : decision.reason;
  }
}

const turnOf = ({ type, author, content }: ChatMessage): Turn => ({ role: type, author, text: content });

function checkLength(text: string): void {
  if (text.trim() === "")
    throw new RagctlError("USAGE_INVALID", "the message is empty", { hint: "say something" });
  if (text.length <= longestMessage) return;
  throw new RagctlError(
    "USAGE_INVALID",
    `the message has ${text.length} characters; ${longestMessage} are the most`,
    {
      hint: "put long text into a file, ingest it, and ask about it",
    },
  );
}
