import { AsyncLocalStorage } from "node:async_hooks";
import type { Database } from "../database.ts";
import { toRegistryError } from "./postgres-errors.ts";
import { changesSql, type WorkerChange } from "./postgres-protocol.ts";
import type { Memory } from "./postgres-query-cache.ts";
import type { Link } from "./postgres-thread.ts";

/** How long a look counts, whichever question took it, ms. A question begins with one of its own. */
const currentMs = 1000;

/** Which work may read from memory: it began with a look at what has changed, which blocks nobody. */
export function createReadSnapshots(
  link: Link,
  memory: Memory,
  place: string,
): Pick<Database, "current" | "refresh"> & { readonly isCurrent: () => boolean } {
  const questions = new AsyncLocalStorage<{ isOpen: boolean }>();
  const isOpen = (): boolean => questions.getStore()?.isOpen === true;
  let until = 0;
  const isCurrent = (): boolean => isOpen() && performance.now() < until;
  const look = async (): Promise<void> => {
    const [asked, since] = [memory.turn(), performance.now()];
    const query = { type: "query", name: "changes", text: changesSql, values: [], again: true } as const;
    const reply = await link.later(query);
    if (reply.type === "failed") throw toRegistryError(reply.failure, place, "statement");
    // The caller declares the columns of its own SQL.
    memory.see({ connection: reply.connection, tables: reply.rows as readonly WorkerChange[] }, asked);
    until = since + currentMs;
  };
  return {
    isCurrent,
    async current(work) {
      if (isCurrent()) return work();
      await look();
      const question = { isOpen: true };
      try {
        return await questions.run(question, work);
      } finally {
        question.isOpen = false;
      }
    },
    async refresh() {
      if (isOpen()) await look();
    },
  };
}
