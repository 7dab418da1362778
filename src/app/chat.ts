import type { Turn } from "../core/agent.ts";
import type { Answer, AnswerEvent, LanguageModel } from "../core/answer.ts";
import type { AskRequest } from "../core/app.ts";
import { RagctlError } from "../core/errors.ts";
import type { AccessLevel, ActingAgent, Resource } from "../core/permission.ts";
import type { Instance } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import type { ChatMessage, ChatRoom, Chats } from "../registry/chats.ts";
import type { Permissions } from "../registry/permissions.ts";
import { type Access, notFound } from "./access.ts";
import type { AskContext } from "./graph-drivers.ts";
import { messageReader, sourcesOf } from "./message-sources.ts";
import type { MessageIndex } from "./messages.ts";

export type { ChatMessage, ChatRoom } from "../registry/chats.ts";

/** Turns that a follow-up may refer to. */
const remembered = 8;

/** Longest message, in characters: that of a question. */
const longestMessage = 8000;

/** What stands for an answer from documents that whoever reads the room may not read. */
export const withheldText = "(withheld: this answer rests on something you may not read)";

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
  /** The newest messages, oldest first; an answer from what the principal may not read says only that it is withheld. @throws NOT_FOUND */
  history(room: string, limit: number, run: Run): readonly ChatMessage[];
  /** @throws NOT_FOUND, PERMISSION_DENIED */
  remove(room: string, run: Run): Promise<number>;
  /** Stores what is said and answers it. @throws NOT_FOUND, PERMISSION_DENIED, USAGE_INVALID for an empty or overlong message */
  say(request: ChatRequest, run: Run): AsyncGenerator<ChatEvent>;
}

export interface ChatParts {
  readonly access: Access;
  readonly chats: Chats;
  readonly permissions: Pick<Permissions, "put">;
  readonly messages: MessageIndex;
  readonly ask: (request: AskRequest, context: AskContext, run: Run) => AsyncGenerator<AnswerEvent>;
  readonly model: (run: Run) => Promise<LanguageModel | null>;
}

/** Opens the chat of one app. */
export function openChat({ access, chats, permissions, messages, ask, model }: ChatParts): Chat {
  const resource = (room: ChatRoom): Resource => ({ kind: "room", name: room.name, instance: room.visibility, department: "" });
  const readable = (run: Run, agent: ActingAgent | null, here?: ChatRoom): readonly ChatRoom[] =>
    chats.rooms().filter((room) => {
      const { effect, rule } = access.decide(run, agent, "read", resource(room));
      // Whoever asks an agent in a room lets it hear that room, unless a rule denies it.
      return effect === "allow" || (room.id === here?.id && rule === "agent-not-granted");
    });
  const rooms = (run: Run): readonly ChatRoom[] => readable(run, null);
  const find = (name: string, action: AccessLevel, run: Run): ChatRoom => {
    const room = chats.find(name);
    const visible = rooms(run);
    // By the name as it was typed: another spelling of a hidden room is no more there than the room.
    if (room === undefined || !visible.some(({ id }) => id === room.id)) {
      throw notFound(
        "room",
        name,
        visible.map((each) => each.name),
      );
    }
    access.require(run, null, action, resource(room));
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
    history(name, limit, run) {
      const said = chats.history(find(name, "read", run).id, limit);
      const reads = messageReader(access, rooms(run), run, null);
      return said.map((message) => (reads(message) ? message : { ...message, content: withheldText, citations: [], sources: [] }));
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
      const reads = messageReader(access, rooms(run), run, null);
      const earlier = chats.history(room.id, remembered).filter(reads);
      const before = earlier.map(turnOf);
      const message = chats.say(room.id, { author: access.principal(run).name, type: "user", content: text });
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
          const heard = readable(run, agent, room);
          const serves = messageReader(access, heard, run, agent);
          return messages.search(question, heard, (each) => each.id !== message.id && serves(each), run);
        },
      };
      let answer: Answer | undefined;
      for await (const event of ask({ ...request, query: text }, context, run)) {
        if (event.type === "answer-end") answer = event.answer;
        yield event;
      }
      if (answer === undefined) return;
      const said = chats.say(room.id, {
        author: answer.agent ?? "assistant",
        type: "assistant",
        content: answer.response,
        citations: answer.citations,
        sources: sourcesOf(answer, { earlier, standing: chats.standing, readable: access.allowed(run, null, "read").collections }),
      });
      // A refusal, a greeting and a question back say nothing that an answer could rest on.
      if (["answered", "extractive", "unverified"].includes(answer.verdict.status)) await messages.add(room, said, run);
    },
  };

  /** Why a message gets no reply; null where it gets one. */
  async function whySilent(text: string, decide: boolean, before: readonly Turn[], run: Run): Promise<string | null> {
    if (!/[\p{L}\p{N}]/u.test(text)) return "it has no words";
    if (!decide) return null;
    const { replyWanted } = await import("../agents/reply-wanted.ts");
    const decision = await replyWanted(text, before, await model(run), run.signal);
    return decision.wanted ? null : decision.reason;
  }
}

const turnOf = ({ type, author, content }: ChatMessage): Turn => ({ role: type, author, text: content });

function checkLength(text: string): void {
  if (text.trim() === "") throw new RagctlError("USAGE_INVALID", "the message is empty", { hint: "say something" });
  if (text.length <= longestMessage) return;
  throw new RagctlError("USAGE_INVALID", `the message has ${text.length} characters; ${longestMessage} are the most`, {
    hint: "put long text into a file, ingest it, and ask about it",
  });
}
