import type { CallerFrame } from "../core/remote.ts";
import { linesOf } from "../core/text.ts";

/** The input of a command, which receives standard input on request. */
export interface Input {
  /** Called when the command waits for input. */
  read(): void;
  raw(mode: boolean): void;
  close(): void;
}

/** The session of an assistant with `ragctl mcp`, which outlives the resident process that serves it. */
export interface Talk {
  /** The command's input in one resident process; in a later one the session is initialized again first. */
  input(send: (frame: CallerFrame) => void): Input;
  /** Forwards the command's output, in whole lines. */
  print(text: string): void;
  /** Answers pending requests with an error, because no process works on them. */
  fail(why: string): void;
  /** Waits for the assistant's next message without consuming it; false if none will come. */
  next(): Promise<boolean>;
}

/** The relevant members of a message: `id` and `method` make a request, `id` alone a reply. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
}

/** JSON-RPC's code of an internal error. */
const internalError = -32_603;

/**
 * Creates the session between an assistant at `stdin` and `stdout` and a command in another process. Input is
 * read only on request.
 */
export function createMcpProxy(stdin: AsyncIterable<Buffer>, stdout: { write(text: string): unknown }): Talk {
  const lines = linesOf(stdin);
  let waiting: Promise<IteratorResult<string, void>> | undefined;
  /** The messages that initialize a session. */
  const opening: string[] = [];
  const open = new Set<string | number>();
  /** Ids of initialize requests that were repeated: the assistant already has the reply. */
  const known = new Set<string | number>();
  let printed = "";
  const note = (line: string): void => {
    for (const { id, method } of messagesOf(line)) {
      if (id !== undefined && method !== undefined) open.add(id);
      if (method === "initialize" || method === "notifications/initialized") opening.push(line);
    }
  };
  const show = (line: string): void => {
    const ids = messagesOf(line).flatMap(({ id, method }) =>
      id === undefined || method !== undefined ? [] : [id],
    );
    const isKnown = ids.some((id) => known.delete(id));
    for (const id of ids) open.delete(id);
    if (!isKnown) stdout.write(`${line}\n`);
  };
  return {
    input(send) {
      const again = [...opening];
      for (const { id } of again.flatMap(messagesOf)) if (id !== undefined) known.add(id);
      let isClosed = false;
      const give = (line: string | null): void =>
        send({ input: line === null ? null : Buffer.from(`${line}\n`).toString("base64") });
      const readNext = async (): Promise<void> => {
        waiting ??= lines.next();
        const { done, value } = await waiting;
        if (isClosed) return;
        waiting = undefined;
        if (done === true) return give(null);
        note(value);
        give(value);
      };
      return {
        read() {
          const line = again.shift();
          if (line === undefined) void readNext();
          else give(line);
        },
        raw: () => undefined,
        close() {
          isClosed = true;
        },
      };
    },
    print(text) {
      const [first = "", ...rest] = text.split("\n");
      printed += first;
      for (const part of rest) {
        show(printed);
        printed = part;
      }
    },
    fail(why) {
      printed = "";
      known.clear();
      for (const id of open) {
        const error = { code: internalError, message: why };
        stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
      }
      open.clear();
    },
    async next() {
      waiting ??= lines.next();
      return (await waiting).done !== true;
    },
  };
}

/** The message or array of messages in a line; none if it is invalid. */
function messagesOf(line: string): readonly Message[] {
  try {
    const read: unknown = JSON.parse(line);
    return (Array.isArray(read) ? read : [read]).filter(isMessage);
  } catch {
    // The command answers invalid messages.
    return [];
  }
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null) return false;
  const { id, method }: { id?: unknown; method?: unknown } = value;
  return (
    (id === undefined || typeof id === "string" || typeof id === "number") &&
    (method === undefined || typeof method === "string")
  );
}
