import type { Turn } from "../core/agent.ts";
import type { Answer, AnswerEvent, LanguageModel } from "../core/answer.ts";
import type { AskRequest } from "../core/app.ts";
import type { AccessLevel, Resource } from "../core/permission.ts";
import type { Instance } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import type { ChatMessage, ChatRoom, Chats } from "../registry/chats.ts";
import type { Permissions } from "../registry/permissions.ts";
import { type Access, notFound } from "./access.ts";
import type { AskContext } from "./graph-drivers.ts";
import type { MessageIndex } from "./messages.ts";

export type { ChatMessage, ChatRoom } from "../registry/chats.ts";

/** Turns that a follow-up may refer to. */
const remembered = 8;

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
  /** Makes a room; its maker administers it. @throws USAGE_INVALID */
  open(name: string, visibility: Instance, run: Run): ChatRoom;
  /** The newest messages, oldest first. @throws NOT_FOUND */
  history(room: string, limit: number, run: Run): readonly ChatMessage[];
  /** @throws NOT_FOUND, PERMISSION_DENIED */
  remove(room: string, run: Run): Promise<number>;
  /** Stores what is said and answers it. @throws NOT_FOUND, PERMISSION_DENIED */
  say(request: ChatRequest, run: Run): AsyncGenerator<ChatEvent>;
}

export interface ChatParts {
  readonly access: Access;
  readonly chats: Chats;
  readonly permissions: Pick<Permissions, "put">;
  readonly messages: MessageIndex;
  readonly ask: (request: AskRequest, context: AskContext, run: Run) => AsyncGenerator<AnswerEvent>;
  readonly model: () => Promise<LanguageModel | null>;
}

/** Opens the chat of one app. */
export function openChat({ access, chats, permissions, messages, ask, model }: ChatParts): Chat {
  const resource = (room: ChatRoom): Resource => ({ kind: "room", name: room.name, instance: room.visibility, department: "" });
  const rooms = (run: Run): readonly ChatRoom[] =>
    chats.rooms().filter((room) => access.decide(run, null, "read", resource(room)).effect === "allow");
  const find = (name: string, action: AccessLevel, run: Run): ChatRoom => {
    const room = chats.find(name);
    const visible = rooms(run).map((each) => each.name);
    if (room === undefined) throw notFound("room", name, visible);
    access.require(run, null, action, resource(room), visible);
    return room;
  };
  return {
    rooms,
    open(name, visibility, run) {
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
    },
    history: (name, limit, run) => chats.history(find(name, "read", run).id, limit),
    async remove(name, run) {
      const ids = chats.remove(find(name, "admin", run).id);
      await messages.remove(ids);
      return ids.length;
    },
    async *say({ room: name, text, decide, ...request }, run) {
      const room = find(name, "write", run);
      const before = chats.history(room.id, remembered);
      const message = chats.say(room.id, { author: access.principal(run).name, type: "user", content: text });
      yield { type: "message-stored", message };
      const recent = new Set([message.id, ...before.map(({ id }) => id)]);
      const memory = await messages.search(text, rooms(run), recent, run);
      await messages.add(room, message, run);
      if (decide) {
        const { replyWanted } = await import("../agents/reply-wanted.ts");
        const decision = await replyWanted(text, before.map(turnOf), await model(), run.signal);
        if (!decision.wanted) {
          yield { type: "silent", reason: decision.reason };
          return;
        }
      }
      let answer: Answer | undefined;
      for await (const event of ask({ ...request, query: text }, { history: before.map(turnOf), memory }, run)) {
        if (event.type === "answer-end") answer = event.answer;
        yield event;
      }
      if (answer === undefined) return;
      const said = {
        author: answer.agent ?? "assistant",
        type: "assistant" as const,
        content: answer.response,
        citations: answer.citations,
      };
      await messages.add(room, chats.say(room.id, said), run);
    },
  };
}

const turnOf = ({ type, author, content }: ChatMessage): Turn => ({ role: type, author, text: content });
