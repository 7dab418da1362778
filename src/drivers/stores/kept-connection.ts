import { asRagctlError } from "../../core/errors.ts";
import type { UseCollection } from "./loaded-collections.ts";
import type { Connection } from "./milvus-connection.ts";

/** A connection that outlives its server. */
export interface KeptConnection extends Pick<Connection, "call">, AsyncDisposable {
  /** Opens it, or another where the last was lost. */
  ready(): Promise<void>;
  readonly use: UseCollection;
  /** The same work, begun once more where the connection is lost meanwhile: its steps can be repeated. */
  again<A extends unknown[], R>(work: (...given: A) => Promise<R>): (...given: A) => Promise<R>;
}

/**
 * A connection that is opened now, and by the next call once it failed or was closed. `isOurs`: to a server
 * that a process of ours starts; one that does not answer has ended, and another is asked for. `lost` is
 * called before.
 */
export function keepConnected(
  connecting: () => Promise<Connection>,
  isOurs: boolean,
  lost: () => void,
): KeptConnection {
  let connection: Promise<Connection> | undefined = connecting();
  connection.catch(() => {
    connection = undefined;
  });
  let losses = 0;
  const dropped = new WeakSet<Connection>();
  const drop = async (opened: Connection): Promise<void> => {
    if (dropped.has(opened)) return;
    dropped.add(opened);
    connection = undefined;
    losses += 1;
    lost();
    // What it was connected to is gone.
    await Promise.resolve(opened[Symbol.asyncDispose]()).catch(() => undefined);
  };
  const open = async (): Promise<Connection> => {
    connection ??= connecting();
    const pending = connection;
    const opened = await pending.catch((error: unknown) => {
      if (connection === pending) connection = undefined;
      throw error;
    });
    if (opened.isLost?.() !== true) return opened;
    await drop(opened);
    return open();
  };
  return {
    ready: async () => void (await open()),
    async call(what, use) {
      const opened = await open();
      try {
        return await opened.call(what, use);
      } catch (error) {
        const isLost = opened.isLost?.() === true || asRagctlError(error).code === "STORE_UNAVAILABLE";
        if (isOurs && isLost) await drop(opened);
        throw error;
      }
    },
    use: async (collection, work) => (await open()).use?.(collection, work) ?? work(),
    again:
      (work) =>
      async (...given) => {
        const before = losses;
        try {
          return await work(...given);
        } catch (error) {
          if (losses === before) throw error;
          return work(...given);
        }
      },
    async [Symbol.asyncDispose]() {
      const opened = await connection?.catch(() => undefined);
      connection = undefined;
      await opened?.[Symbol.asyncDispose]();
    },
  };
}
