import { isJSONRPCRequest, type JSONRPCMessage, type RequestId } from "@modelcontextprotocol/server";

/** The reply to an invalid message; without an id if none could be read. */
export interface Fault {
  readonly jsonrpc: "2.0";
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** A reply or an array of them. */
export type Sent = JSONRPCMessage | Fault;

/**
 * Pending requests. Clients of versions before 2025-06-18 may send several in one array.
 */
export interface Batches {
  /** Adds a request; false if an earlier one with its id is still pending. */
  begin(id: RequestId): boolean;
  /**
   * Groups requests that came in one array and were added already; `faults` are the replies to its invalid or
   * rejected messages.
   */
  add(messages: readonly JSONRPCMessage[], faults: readonly Fault[]): void;
  /** Accepts the reply to a request of an array; false if the request came alone. */
  answer(message: JSONRPCMessage): boolean;
  /** Drops a cancelled request: it gets no reply, and others do not wait for it. */
  cancel(id: RequestId): void;
  /** Resolves once no request is pending. */
  idle(): Promise<void>;
}

interface Batch {
  readonly waiting: Set<RequestId>;
  readonly answers: Sent[];
}

/**
 * Replies to requests of one array in one array, once all have their replies (JSON-RPC 2.0, section 6).
 */
export function createBatchCollector(write: (answers: readonly Sent[]) => void): Batches {
  /** Null: the request came alone. */
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
