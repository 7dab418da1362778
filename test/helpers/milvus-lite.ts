import { join } from "node:path";
import type { VectorStore } from "../../src/core/retrieval.ts";
import { type LiteServer, startLiteServer } from "../../src/drivers/stores/lite-server.ts";
import { createStore } from "../../src/drivers/stores/milvus.ts";
import { connect } from "../../src/drivers/stores/milvus-connection.ts";

export interface MilvusLiteOptions {
  readonly id: string;
  /** Folder with the native `milvus` program and its libraries. */
  readonly runtime: string;
  readonly dataFolder: string;
  /** The database is `<dataFolder>/<name>.db`. */
  readonly name: string;
  /** Where the server's socket goes. */
  readonly socketFolder: string;
  /** The server's output. Default `<dataFolder>/<name>.log`. */
  readonly logPath?: string;
}

/**
 * A Milvus Lite of this process alone: its native server starts on first use and ends with the store, or with
 * the process.
 */
export default function open(options: MilvusLiteOptions): VectorStore {
  const { id, dataFolder: folder } = options;
  let server: LiteServer | undefined;
  const store = createStore(
    id,
    async () => {
      server ??= await startLiteServer({
        ...options,
        logPath: options.logPath ?? join(folder, `${options.name}.log`),
      });
      return connect({ id, uri: server.uri, isLite: true });
    },
    { folder },
  );
  return {
    ...store,
    async version() {
      const reported = await store.version();
      return reported.includes("reports no version") ? "Milvus Lite 2.5 (reports no version)" : reported;
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await server?.stop();
      server = undefined;
    },
  };
}
