import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import type { LocalApp } from "../../app/app.ts";
import type { Chat, ChatEvent, ChatMessage } from "../../app/ask/chat.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { askFields, askOptions } from "../../operations/answers/ask.ts";
import { text, toggle } from "../../operations/fields.ts";
import type { InputOf } from "../../operations/operation.ts";
import { chatShape } from "../../shapes/chat.ts";
import { errorShape } from "../../shapes/error.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import type { Output } from "../shell/output.ts";
import type { Session } from "../shell/session.ts";
import { terminal } from "../shell/terminal.ts";
import { type AnswerView, closeAnswer, createAnswerView } from "./answer-view.ts";
import { abortableIterable, inputLines } from "./chat-input.ts";

const { top_k, agent, grounded, budget: _, ...narrowing } = askFields;
const input = {
  room: text("--chat, --room <name>", "chat to continue; created if missing (default: your private one)"),
  public: toggle("--public", "make a new chat readable by everyone (default: only principals with a grant)"),
  decide: toggle(
    "--decide",
    "reply only to questions and requests; the model decides unclear cases; every message is stored",
  ),
  ...{ agent, grounded },
  trace: toggle("--trace", "print each step's decision"),
  top_k,
  ...narrowing,
};
type Typed = InputOf<typeof input>;
const examples = ['echo "What torque do the casing bolts need?" | ragctl chat --chat workshop'];
const advice = "In a terminal, type /help to list the chat commands.";

/** The state of a chat that slash commands change. */
interface ChatState {
  room: string;
  agent: string | undefined;
  trace: boolean;
  ended: boolean;
}

/** `ragctl chat`: chats with memory. */
export function registerChat(program: Command): void {
  defineCommand(declare(program, "chat"), { input, examples, advice }, converse);
}

async function converse(session: Session, flags: Typed): Promise<void> {
  const app = await session.app();
  const chat = await app.chat();
  const { agents } = app.registry;
  const agent = flags.agent === undefined ? undefined : (await agents.get(flags.agent, session.run)).name;
  const room = await enter(chat, session, flags.room, flags.public);
  await noteEmpty(session);
  const state: ChatState = { room, agent, trace: flags.trace, ended: false };
  const interactive = terminal().input.isTTY === true && session.output.format === "text";
  if (interactive)
    session.output.note(
      "/help lists the commands, /exit ends the chat; Ctrl-C stops an answer, or ends the chat at the prompt",
    );
  for await (const line of inputLines(() => `${state.room}> `, interactive, session)) {
    const text = line.trim();
    try {
      if (text.startsWith("/")) await slash(text, { state, app, chat, session });
      else if (text !== "") await say(text, state, flags, chat, interactive, session);
    } catch (error) {
      // One message that fails does not end the conversation; an interruption does.
      if (session.run.signal.aborted) throw error;
      tellFailure(text, error, session);
    }
    if (state.ended) break;
  }
  session.run.signal.throwIfAborted();
}

/** Reports why a line failed; with JSON a failed message prints a document like any other. */
function tellFailure(text: string, thrown: unknown, { output, exit }: Session): void {
  const error = output.error(asRagctlError(thrown));
  if (output.format !== "text" && !text.startsWith("/")) output.line(errorShape(error));
  exit(error.exitStatus);
}

/** Says so where no document may be read, before a question is refused for it. */
async function noteEmpty({ app, output, run }: Session): Promise<void> {
  const collections = await (await app()).collections(run);
  if (collections.every(({ documents }) => documents === 0))
    output.note("no documents yet; add some with `ragctl ingest PATH`");
}

/** Says one thing and prints the answer. At a terminal Ctrl-C ends that answer alone, at once. */
async function say(
  text: string,
  state: ChatState,
  { decide, ...rest }: Typed,
  chat: Chat,
  interactive: boolean,
  session: Session,
): Promise<void> {
  const request = {
    room: state.room,
    text,
    decide,
    ...askOptions({ ...rest, agent: state.agent }, session.settings.retrieve.topK),
  };
  const answering = new AbortController();
  const signal = AbortSignal.any([session.run.signal, answering.signal]);
  if (interactive) {
    session.onInterrupt(() => {
      answering.abort();
      return true;
    });
  }
  try {
    using view = createAnswerView(session.output, { stream: true, trace: state.trace });
    const run = { ...session.run, id: randomUUID(), signal };
    let stored: ChatMessage | undefined;
    for await (const event of abortableIterable(chat.say(request, run), signal)) {
      if (event.type === "message-stored") stored = event.message;
      else print(event, { room: state.room, message: stored, trace: state.trace }, view, session.output);
    }
  } catch (error) {
    if (!answering.signal.aborted) throw error;
    session.output.stream("\n");
    session.output.note("(stopped; the question stays in the chat)");
  } finally {
    session.onInterrupt(() => false);
  }
}

/** Shows the events of a message; with JSON one document per message, once the reply is known. */
function print(
  event: Exclude<ChatEvent, { type: "message-stored" }>,
  said: { readonly room: string; readonly message: ChatMessage | undefined; readonly trace: boolean },
  view: AnswerView,
  output: Output,
): void {
  if (event.type !== "silent") view.take(event);
  if (event.type !== "silent" && event.type !== "answer-end") return;
  const answer = event.type === "silent" ? null : event.answer;
  const reason = event.type === "silent" ? event.reason : "";
  if (output.format === "text") {
    if (answer === null) output.note(`(no reply: ${reason})`);
    else closeAnswer(answer, output, { trace: said.trace });
    return;
  }
  if (said.message === undefined) throw new TypeError("a reply without the message it belongs to");
  output.line(chatShape({ room: said.room, message: said.message, answer, reason }));
}

/** Goes to a chat, without a name to one's own, and says when it was made for that; its full name. */
async function enter(chat: Chat, session: Session, name: string | undefined, open: boolean): Promise<string> {
  const { room, made } = await chat.enter(name, open ? "public" : "private", session.run);
  const readers = room.visibility === "public" ? "everyone" : "only principals with a grant";
  if (made) session.output.note(`created the ${room.visibility} chat ${room.name}: ${readers} can read it`);
  return room.name;
}

const help = `/chats            list the chats you can read
/chat NAME        switch to a chat; a new one is private unless you add --public
/history          show the latest messages in this chat
/agents           list the agents you can use
/agent [NAME]     choose the agent that answers; without a name, let the router choose
/trace            turn printing of each step's decision on or off
/exit             end the chat`;

/** The context of a slash command. */
interface SlashContext {
  readonly state: ChatState;
  readonly app: LocalApp;
  readonly chat: Chat;
  readonly session: Session;
}

/** Each slash command takes its words and returns the text to print; undefined prints nothing. */
const slashCommands: Readonly<
  Record<
    string,
    (words: readonly string[], context: SlashContext) => string | undefined | Promise<string | undefined>
  >
> = {
  "/help": () => help,
  "/exit": (_, { state }) => {
    state.ended = true;
    return undefined;
  },
  "/chats": async (_, { chat, session }) =>
    (await chat.rooms(session.run)).map(({ name, messages }) => `${name} (${messages})`).join("\n"),
  "/chat": async (words, { state, chat, session }) => {
    if (words.join(" ") === "") return help;
    const name = words.filter((word) => word !== "--public").join(" ");
    state.room = await enter(chat, session, name, words.includes("--public"));
    return undefined;
  },
  "/history": async (_, { state, chat, session }) =>
    (await chat.history(state.room, 20, session.run))
      .map(({ author, content }) => `${author}: ${content}`)
      .join("\n"),
  "/agents": async (_, { app, session }) => {
    const agents = await app.registry.agents.list(session.run);
    return agents.map(({ name }) => name).join("\n");
  },
  "/agent": async (words, { state, app, session }) => {
    const name = words.join(" ");
    state.agent = name === "" ? undefined : (await app.registry.agents.get(name, session.run)).name;
    return state.agent === undefined ? "the router chooses" : `${state.agent} answers`;
  },
  "/trace": (_, { state }) => {
    state.trace = !state.trace;
    return `trace ${state.trace ? "on" : "off"}`;
  },
};

/** The output of slash commands is for people: a chat with JSON prints only replies on stdout. */
async function slash(line: string, context: SlashContext): Promise<void> {
  const [typed = "", ...words] = line.split(/\s+/);
  const others: Record<string, string> = { "/quit": "/exit", "/rooms": "/chats", "/room": "/chat" };
  const name = others[typed] ?? typed;
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined;
  if (command === undefined)
    throw new RagctlError(
      "USAGE_INVALID",
      `unknown command ${typed}${didYouMean(typed, Object.keys(slashCommands), "")}`,
      { hint: "/help lists the commands" },
    );
  const text = await command(words, context);
  const { output } = context.session;
  if (text === undefined) return;
  if (output.format === "text") output.stream(`${text}\n`);
  else output.note(text);
}
