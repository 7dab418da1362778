import type { Run } from "../../core/run.ts";
import { isUnavailable } from "../../pipeline/retrieve/unavailable.ts";
import type { MessageIndex } from "./messages.ts";

/**
 * The index of a chat that goes on without it: where its store or model cannot be used, what is said stays in the registry and the question
 * is answered from the documents, with a warning. A removal still fails: what must go has to be gone.
 */
export function lenientMessages(index: MessageIndex): MessageIndex {
  const orElse = async <T>(work: Promise<T>, otherwise: T, what: string, run: Run): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      run.signal.throwIfAborted();
      if (!isUnavailable(error)) throw error;
      run.log.warn(`${what}: ${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}`);
      return otherwise;
    }
  };
  return {
    ...index,
    add: (room, message, run) =>
      orElse(index.add(room, message, run), undefined, "the message is kept, but cannot be found later", run),
    search: (question, rooms, serves, run, limit) =>
      orElse(
        index.search(question, rooms, serves, run, limit),
        [],
        "earlier messages were not searched",
        run,
      ),
  };
}
