import type { CallerFrame } from "../core/remote.ts";
import { linesOf } from "../core/text.ts";

/** Where a command reads: what it asks of standard input is sent to it. */
export interface Input {
  /** It waits for a piece. */
  read(): void;
  raw(mode: boolean): void;
  close(): void;
}

/** The talk of an assistant with `ragctl mcp`, which outlives the resident process that serves it. */
export interface Talk {
  /** The input of the command in one resident process; the first message of a later one opens the talk again. */
  input(send: (frame: CallerFrame) => void): Input;
  /** Passes on what the command prints, in whole lines. */
  print(text: string): void;
  /** Answers with an error whatever the assistant waits for, since nobody works on it any more. */
  fail(why: string): void;
  /** Waits for the assistant's next message; false where none will come. It stays the next one. */
  next(): Promise<boolean>;
}

/** What of a message matters here; `id` and `method` make a request, `id` alone a reply. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
}

/** JSON-RPC's code of an error that is not the caller's. */
const internalError = -32_603;

/**
 * Opens the talk between an assistant at `stdin` and `stdout` and a command elsewhere. Nothing is read before a
 * command asks for it.
 */
export function openTalk(stdin: AsyncIterable<Buffer>, stdout: { write(text: string): unknown }): Talk {
  const lines = linesOf(stdin);
  let waiting: Promise<IteratorResult<string, void>> | undefined;
  /** The messages that open a talk. */
  const opening: string[] = [];
  const open = new Set<string | number>();
  /** Ids of openings that were sent again: the assistant has had the reply. */
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

/** The messages of a line, which holds one or an array of them; none where it is something else. */
function messagesOf(line: string): readonly Message[] {
  try {
    const read: unknown = JSON.parse(line);
    return (Array.isArray(read) ? read : [read]).filter(isMessage);
  } catch {
    // The command answers what is no message.
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
