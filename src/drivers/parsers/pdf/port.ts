import type { TransferListItem } from "node:worker_threads";
import { pictureMessage } from "./pictures.ts";

/** What pdf.js hands to a listener. */
interface PortEvent {
  readonly data: unknown;
}

type Listener = (event: PortEvent) => void;

/** The side of a message channel that both halves of pdf.js use. */
export interface Port {
  postMessage(message: unknown, transfer?: readonly TransferListItem[]): void;
  addEventListener(type: string, listener: Listener, options?: { readonly signal?: AbortSignal }): void;
  removeEventListener(type: string, listener: Listener): void;
}

/**
 * A channel between the halves of pdf.js within this thread. The channel of pdf.js copies every message,
 * which takes a twentieth of the time of reading text. This one passes text items on without a copy, because
 * pdf.js does not reuse items once they are sent, and scales down large pictures.
 */
export function createMessageChannel(): Port {
  const listeners = new Set<Listener>();
  const turn = Promise.resolve();
  return {
    postMessage(message, transfer = []) {
      const data =
        textMessage(message) ??
        pictureMessage(message) ??
        structuredClone(message, { transfer: [...transfer] });
      turn.then(() => {
        for (const listener of listeners) listener({ data });
      });
    },
    addEventListener(_, listener, { signal } = {}) {
      listeners.add(listener);
      signal?.addEventListener("abort", () => listeners.delete(listener));
    },
    removeEventListener(_, listener) {
      listeners.delete(listener);
    },
  };
}

interface StreamMessage {
  /** Absent from messages that belong to no stream. */
  readonly stream?: number;
  readonly chunk?: unknown;
  readonly reason?: unknown;
}

/** A message of a stream of text, its items not copied; undefined for any other. */
function textMessage(message: unknown): unknown {
  const { stream, chunk, reason } = message as StreamMessage;
  if (stream === undefined || reason !== undefined) return undefined;
  // Without a piece it holds nothing but numbers and names.
  if (chunk === undefined) return message;
  return typeof chunk === "object" && chunk !== null && "items" in chunk
    ? { ...(message as object), chunk: { ...chunk } }
    : undefined;
}
