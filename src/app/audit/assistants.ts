import { jsonRequest, outcomeOfResponse, requestStrings, requireServed, withPrivateRoom } from "./asking.ts";
import {
  type Attempt,
  type AttemptOutcome,
  type AuditedSurface,
  type AuditedSurfaceName,
  type Canary,
  defineAttempt,
  hint,
  inRoom,
  named,
  write,
} from "./attempt.ts";

/** Every way to a canary over the sockets of rooms and over the protocol of assistants. */
export function mcpAttempts(canary: Canary): readonly Attempt[] {
  return [
    ...sockets(canary),
    ...calls(canary, "mcp-http"),
    ...calls(canary, "mcp-stdio"),
    ...changes(canary),
  ];
}

/** Collects the messages on the socket of a room while `work` runs. */
async function heard(
  app: AuditedSurface,
  principal: string,
  room: string,
  work: (say: (text: string) => Promise<void>) => Promise<unknown>,
): Promise<AttemptOutcome> {
  const opened = await requireServed(app).room(principal, room);
  if (opened instanceof Response) return outcomeOfResponse(opened);
  using talk = opened;
  await work(talk.say);
  return { failed: false, text: talk.received.join("\n") };
}

/** An attempt over the socket of a room. */
const socket = (name: string, typed: readonly string[], work: Attempt["work"], rest: Partial<Attempt>) =>
  defineAttempt({ surface: "rooms", name, route: "GET /v1/chats/{chat}/socket", typed, work }, rest);

function sockets(canary: Canary): readonly Attempt[] {
  const { room, replies, collection, question: text } = canary;
  const open = replies.answer;
  const ofTheOwner = jsonRequest({ text, collections: [collection] });
  const inIt: Attempt["work"] = (app, run) => heard(app, run.principal, room, (say) => say(text));
  const whileAnswered: Attempt["work"] = (app, run) =>
    heard(app, run.principal, open, async () => {
      const address = `/v1/chats/${encodeURIComponent(open)}/messages`;
      await (await requireServed(app).request(app.owner, address, ofTheOwner)).text();
    });
  const inOwn: Attempt["work"] = (app, run) =>
    withPrivateRoom(app, run.principal, (own) => heard(app, run.principal, own, (say) => say(text)));
  return [
    socket("the socket of its room", [room, text], inIt, { ...inRoom, onlyDenied: true }),
    socket("the socket of a public room while the owner is answered", [open], whileAnswered, { own: true }),
    socket("asking over the socket of a room of one's own", [text], inOwn, hint),
  ];
}

type Protocol = Extract<AuditedSurfaceName, "mcp-http" | "mcp-stdio">;

/** One message of the protocol. */
async function send(
  protocol: Protocol,
  app: AuditedSurface,
  principal: string,
  method: string,
  params: object,
): Promise<AttemptOutcome> {
  if (protocol === "mcp-stdio") {
    const text = JSON.stringify(await requireServed(app).assistant(principal, method, params));
    return { failed: /"isError":true|"error":\{"code"/.test(text), text };
  }
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return outcomeOfResponse(
    await requireServed(app).request(principal, "/mcp", { method: "POST", headers, body }),
  );
}

/** Method and parameters of the message for an attempt, from its name and its typed values. */
type Message = (name: string, given: object) => readonly [method: string, params: object];

const toolCall: Message = (name, given) => ["tools/call", { name, arguments: given }];
const plainMessage: Message = (name, given) => [name, given];

/** Attempts by one kind of message. */
const sending =
  (surface: Protocol, message: Message) =>
  (name: string, given: object, rest: Partial<Attempt> = {}): Attempt =>
    defineAttempt(
      {
        surface,
        name,
        route: surface === "mcp-http" ? "POST /mcp" : "",
        typed: requestStrings(given),
        work: (app, run) => send(surface, app, run.principal, ...message(name, given)),
      },
      rest,
    );

/** Attempts by one call of a tool, over both transports. */
export const toolCalls = (name: string, given: object, rest: Partial<Attempt>): readonly Attempt[] =>
  (["mcp-http", "mcp-stdio"] as const).map((surface) => sending(surface, toolCall)(name, given, rest));

function calls(canary: Canary, surface: Protocol): readonly Attempt[] {
  const { collection, document, word } = canary;
  const call = sending(surface, toolCall);
  const resource = sending(surface, plainMessage);
  const uri = `ragctl://documents/${document.id}`;
  return [
    call("list_documents", { limit: 200 }, hint),
    call("list_documents", { collections: [collection] }, named),
    call("read_document", { document: document.id }, named),
    call("read_document", { document: `${word}.md` }, named),
    call("outline", { document: document.id }, named),
    call("outline", { document: `${word}.md` }, named),
    call("read_section", { document: document.id, section: "s1" }, named),
    resource("resources/list", {}, hint),
    resource("resources/read", { uri }, named),
    ...["pages/1", "outline", "sections/s1"].map((part) =>
      resource("resources/read", { uri: `${uri}/${part}` }, named),
    ),
  ];
}

/** The changes that an assistant with write access could make. */
function changes({ collection, path }: Canary): readonly Attempt[] {
  const call = sending("mcp-stdio", toolCall);
  return [call("ingest", { paths: [path], collection }, write)];
}
