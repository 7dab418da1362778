import type { WriteTimes } from "../../core/retrieval.ts";
import type { Database } from "../database.ts";

/** Creates the times of the last writes to the collections of a server, which all its users share. */
export function createWriteTimes(database: Database, server: string): WriteTimes {
  return {
    async of(collection) {
      const row = database.statement<{ writtenMs: number }>(
        "SELECT written_ms AS writtenMs FROM store_writes WHERE server = ? AND collection = ?",
      );
      return (await row.get(server, collection))?.writtenMs;
    },
    async note(collection, ms) {
      await database
        .statement(
          `INSERT INTO store_writes (server, collection, written_ms) VALUES (?, ?, ?)
           ON CONFLICT (server, collection) DO UPDATE SET written_ms = excluded.written_ms WHERE excluded.written_ms > store_writes.written_ms`,
        )
        .run(server, collection, ms);
    },
  };
}
