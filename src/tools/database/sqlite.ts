import { type ChildProcess, fork } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { RagctlError } from "../../core/errors.ts";
import type { Rows } from "../../tables/schema.ts";
import type { Description, OpenedTables, SqliteReply, SqliteRequest } from "./messages.ts";
import type { QueryLimits } from "./source.ts";

/** SQLite in a separate process. */
export interface SqliteProcess extends AsyncDisposable {
  /**
   * The tables of these names, or all if none is given; an unreadable one is skipped. @throws TOOL_TIMEOUT,
   * TOOL_FAILED
   */
  describe(tables: readonly string[], limits: QueryLimits, signal: AbortSignal): Promise<Description>;
  /** @throws TOOL_TIMEOUT, TOOL_INVALID for SQL that SQLite rejects, TOOL_FAILED */
  query(sql: string, limits: QueryLimits, signal: AbortSignal): Promise<Rows>;
}

const processFile = fileURLToPath(
  new URL(`./sqlite-process${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
);
/** Time to start the process and to open or fill the database, ms. */
const openTimeoutMs = 15_000;

type Work =
  | { readonly kind: "open"; readonly data: OpenedTables }
  | { readonly kind: "describe"; readonly tables: readonly string[] }
  | { readonly kind: "query"; readonly sql: string };

interface Exchange {
  readonly name: string;
  readonly id: number;
  readonly work: Work;
  readonly limits: QueryLimits;
  readonly signal: AbortSignal;
  /** Ends the process, the only way to stop a statement. */
  readonly end: () => void;
}

/** Sends a request and waits for the reply, the time limit, the signal or the end of the process. */
function exchange(
  child: ChildProcess,
  { name, id, work, limits, signal, end }: Exchange,
): Promise<Rows | Description | null> {
  const request: SqliteRequest = { id, limits, ...work };
  const { promise, resolve, reject } = Promise.withResolvers<Rows | Description | null>();
  const stop = (error: unknown): void => {
    end();
    reject(error);
  };
  const timer = setTimeout(() => {
    const hint = "ask for less, or raise timeout_ms of the tool";
    stop(
      new RagctlError(
        "TOOL_TIMEOUT",
        `the query on ${name} took longer than ${limits.timeoutMs} ms and was ended`,
        { hint },
      ),
    );
  }, limits.timeoutMs);
  const onAbort = (): void => stop(signal.reason);
  const onExit = (): void =>
    stop(
      new RagctlError("TOOL_FAILED", `the process that reads ${name} ended while it was working`, {
        hint: "ask again; if it happens again, ask for less",
      }),
    );
  const onMessage = (message: unknown): void => {
    // The child only sends messages of this protocol.
    const reply = message as SqliteReply;
    if (reply.id !== request.id) return;
    if ("value" in reply) resolve(reply.value);
    else reject(failure(name, work, reply.error));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  child.on("message", onMessage).once("exit", onExit).once("error", onExit);
  if (signal.aborted) onAbort();
  else child.send(request);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    child.off("message", onMessage).off("exit", onExit).off("error", onExit);
  });
}

/**
 * Runs statements on a read-only file, or on tables in memory, one at a time. A statement that exceeds its
 * limit is ended with its process, and the next one starts a new process.
 */
export function openSqlite(name: string, data: OpenedTables): SqliteProcess {
  const held: { child?: ChildProcess; turn: Promise<unknown>; requests: number } = {
    turn: Promise.resolve(),
    requests: 0,
  };

  const end = (): void => {
    held.child?.kill("SIGKILL");
    delete held.child;
  };
  const send = (child: ChildProcess, work: Work, limits: QueryLimits, signal: AbortSignal) => {
    held.requests += 1;
    return exchange(child, { name, id: held.requests, work, limits, signal, end });
  };
  const ready = async (limits: QueryLimits, signal: AbortSignal): Promise<ChildProcess> => {
    if (held.child?.connected === true) return held.child;
    const child = fork(processFile, [], {
      env: {},
      execArgv: ["--max-old-space-size=512", "--disable-warning=ExperimentalWarning"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.on("error", () => {});
    child.unref();
    child.channel?.unref();
    held.child = child;
    await send(child, { kind: "open", data }, { ...limits, timeoutMs: openTimeoutMs }, signal);
    return child;
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = held.turn.then(work);
    held.turn = mine.catch(() => {});
    return mine;
  };
  const ask = (work: Work, limits: QueryLimits, signal: AbortSignal) =>
    inTurn(async () => send(await ready(limits, signal), work, limits, signal));

  return {
    // Each kind of request has its own kind of reply.
    describe: async (tables, limits, signal) =>
      (await ask({ kind: "describe", tables }, limits, signal)) as Description,
    query: async (sql, limits, signal) => (await ask({ kind: "query", sql }, limits, signal)) as Rows,
    async [Symbol.asyncDispose]() {
      end();
    },
  };
}

function failure(
  name: string,
  work: Work,
  { message, code }: { readonly message: string; readonly code: string },
): RagctlError {
  if (work.kind === "open" || work.kind === "describe") {
    return new RagctlError("TOOL_FAILED", `the database ${name} cannot be read (${message})`, {
      hint: "check config.path of the tool, and that this user may read the file",
    });
  }
  if (code === "SQLITE_NOMEM")
    return new RagctlError("TOOL_REFUSED", `the query on ${name} needs too much memory`, {
      hint: "ask about fewer rows, or name a period, a place or a person",
    });
  if (code.startsWith("SQLITE_BUSY"))
    return new RagctlError("TOOL_FAILED", `the database ${name} is locked by its writer`, {
      hint: "ask again",
    });
  // SQLite's hint concerns quotation marks that only ragctl wrote.
  const said = message.replace(/ - should this be a string literal in single-quotes\?$/, "");
  return new RagctlError("TOOL_INVALID", `${name} does not take the SQL (${said})`, {
    hint: "ask in other words, naming the column",
  });
}
