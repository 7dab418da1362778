import { isJSONRPCRequest, type JSONRPCMessage, type RequestId } from "@modelcontextprotocol/server";

/** The answer to what is no message; without an id where none could be read. */
export interface Fault {
  readonly jsonrpc: "2.0";
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** One thing that is sent. */
export type Sent = JSONRPCMessage | Fault;

/**
 * Requests that wait for their answers; some came in one array, as clients of versions before 2025-06-18 send
 * them.
 */
export interface Batches {
  /** Notes a request; false where another one under its id is not answered yet. */
  begin(id: RequestId): boolean;
  /**
   * Notes that messages came in one array, their requests begun already; `faults` are the answers to those of
   * it that were none, or refused.
   */
  add(messages: readonly JSONRPCMessage[], faults: readonly Fault[]): void;
  /** Takes what answers a request; false where that came alone. */
  answer(message: JSONRPCMessage): boolean;
  /** A cancelled request is not answered, and the others do not wait for it. */
  cancel(id: RequestId): void;
  /** Resolves once every request that has begun is answered or cancelled. */
  idle(): Promise<void>;
}

interface Batch {
  readonly waiting: Set<RequestId>;
  readonly answers: Sent[];
}

/**
 * Answers requests that came in one array in one array, once the last of them has its answer (JSON-RPC 2.0,
 * section 6); `write` takes that.
 */
export function openBatches(write: (answers: readonly Sent[]) => void): Batches {
  /** Null: it came alone. */
  const open = new Map<RequestId, Batch | null>();
  const waiting: (() => void)[] = [];
  const closeWhole = ({ waiting, answers }: Batch): void => {
    if (waiting.size === 0 && answers.length > 0) write(answers);
  };
  const settle = (id: RequestId, answers: readonly Sent[]): boolean => {
    const batch = open.get(id) ?? null;
    open.delete(id);
    if (open.size === 0) for (const resolve of waiting.splice(0)) resolve();
    if (batch === null) return false;
    batch.waiting.delete(id);
    batch.answers.push(...answers);
    closeWhole(batch);
    return true;
  };
  return {
    begin(id) {
      if (open.has(id)) return false;
      open.set(id, null);
      return true;
    },
    add(messages, faults) {
      const ids = messages.flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []));
      const batch: Batch = { waiting: new Set(ids), answers: [...faults] };
      for (const id of ids) open.set(id, batch);
      closeWhole(batch);
    },
    answer: (message) =>
      "id" in message && message.id !== undefined && !("method" in message) && settle(message.id, [message]),
    cancel: (id) => void settle(id, []),
    idle: () =>
      new Promise((resolve) => {
        if (open.size === 0) resolve();
        else waiting.push(resolve);
      }),
  };
}
