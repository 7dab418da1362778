import { statSync } from "node:fs";
import { basename } from "node:path";
import type { LanguageModel } from "../../core/answers/answer.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import { type Loader, uncachedLoader } from "./loader.ts";

/** A model in the memory of this process. */
export interface LoadedModel {
  readonly id: string;
  readonly task: "embed" | "generate";
  /** Size of its file. */
  readonly fileBytes: number;
  /** Commands that hold it. */
  readonly users: number;
  /** Generations that wait for their turn. */
  readonly waiting: number;
}

/** Engines that outlive the command they were opened for. */
export interface EnginePool extends AsyncDisposable {
  /** A loader for one command. An engine that is not in use is closed after `idleMs`. */
  loader(options: LendOptions): Loader;
  models(): readonly LoadedModel[];
  /** Whether nothing is loaded. */
  isEmpty(): boolean;
}

interface LendOptions {
  readonly idleMs: number;
  /** Receives the number of generations ahead of the waiting one, 0 when its turn has come. */
  readonly onWait: (ahead: number) => void;
}

type Kind = "embed" | "generate" | "connection";

/** An engine and who holds it. */
interface Entry {
  readonly key: string;
  readonly kind: Kind;
  readonly id: string;
  readonly fileBytes: number;
  /** What the kind says. */
  readonly engine: Promise<AsyncDisposable>;
  users: number;
  /** Generations that run or wait. */
  generations: number;
  timer: NodeJS.Timeout | undefined;
}

interface Loan<T> {
  readonly engine: T;
  readonly entry: Entry;
  /** Gives it back; again: nothing. */
  readonly release: () => Promise<void>;
}

/** Shared state of a pool's functions. */
interface PoolState {
  readonly entries: Map<string, Entry>;
  /** Engines whose memory is not free yet. */
  readonly closing: Set<Promise<void>>;
  readonly onChange: () => void;
}

type Facts = Pick<Entry, "key" | "kind" | "id" | "fileBytes">;
type Borrow = <T extends AsyncDisposable>(facts: Facts, make: () => Promise<T>) => Promise<Loan<T>>;
type Discard = (entry: Entry) => void;

/**
 * Opens a pool. An engine is identified by everything it is opened with, so two commands whose settings
 * differ in that never share one. Loading an engine evicts those of its kind that are not in use, and waits
 * until their memory is free. `onChange` is called when an engine was closed.
 */
export function openEnginePool(onChange: () => void, open: Loader = uncachedLoader): EnginePool {
  const pool: PoolState = { entries: new Map(), closing: new Set(), onChange };
  return {
    loader: ({ idleMs, onWait }) =>
      lender(
        open,
        (facts, make) => borrow(pool, facts, make, idleMs),
        (entry) => discard(pool, entry),
        onWait,
        ({ key }) => pool.entries.has(key),
      ),
    models: () =>
      [...pool.entries.values()].flatMap(({ kind, id, fileBytes, users, generations }) =>
        kind === "connection"
          ? []
          : [{ id, task: kind, fileBytes, users, waiting: Math.max(0, generations - 1) }],
      ),
    isEmpty: () => pool.entries.size === 0,
    async [Symbol.asyncDispose]() {
      await Promise.all([...pool.entries.values()].map((entry) => close(pool, entry)));
    },
  };
}

/** No other command is given it; it is closed when the last one that holds it gives it back. */
function discard({ entries }: PoolState, entry: Entry): void {
  if (entries.get(entry.key) === entry) entries.delete(entry.key);
}

async function close(pool: PoolState, entry: Entry): Promise<void> {
  discard(pool, entry);
  clearTimeout(entry.timer);
  const closing = entry.engine.then(
    (engine) => engine[Symbol.asyncDispose](),
    () => undefined,
  );
  const closed = closing.then(undefined, () => undefined);
  pool.closing.add(closed);
  await closed;
  pool.closing.delete(closed);
  pool.onChange();
}

function enter(pool: PoolState, facts: Facts, make: () => Promise<AsyncDisposable>): Entry {
  const idle = [...pool.entries.values()].filter(({ kind, users }) => kind === facts.kind && users === 0);
  if (facts.kind !== "connection") for (const each of idle) void close(pool, each);
  const engine = Promise.all(pool.closing).then(make);
  const entry = { ...facts, engine, users: 0, generations: 0, timer: undefined };
  pool.entries.set(facts.key, entry);
  return entry;
}

async function borrow<T extends AsyncDisposable>(
  pool: PoolState,
  facts: Facts,
  make: () => Promise<T>,
  idleMs: number,
): Promise<Loan<T>> {
  const entry = pool.entries.get(facts.key) ?? enter(pool, facts, make);
  entry.users++;
  clearTimeout(entry.timer);
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    entry.users--;
    if (entry.users > 0) return;
    if (pool.entries.get(entry.key) !== entry) await close(pool, entry);
    else entry.timer = setTimeout(() => void close(pool, entry), idleMs).unref();
  };
  try {
    // Entries are found by a key that names their kind.
    return { engine: (await entry.engine) as T, entry, release };
  } catch (error) {
    discard(pool, entry);
    await release();
    throw error;
  }
}

/** A loader whose engines are lent. */
const lender = (
  open: Loader,
  lend: Borrow,
  drop: Discard,
  onWait: (ahead: number) => void,
  has: (facts: Facts) => boolean,
): Loader => ({
  async embedder(settings) {
    const facts = factsOf("embed", settings.id, settings.modelPath, settings);
    return lentEmbedder(await lend(facts, () => open.embedder(settings)), drop);
  },
  async languageModel(settings) {
    const facts = factsOf("generate", settings.id, settings.modelPath, settings);
    return lentModel(await lend(facts, () => open.languageModel(settings)), drop, onWait);
  },
  holds: (settings) => has(factsOf("generate", settings.id, settings.modelPath, settings)),
  async connection(address) {
    const key = JSON.stringify(["connection", address]);
    const facts = { key, kind: "connection", id: address.id, fileBytes: 0 } as const;
    const { engine, entry, release } = await lend(facts, () => open.connection(address));
    return {
      ...engine,
      call: (what, use) => engine.call(what, use).catch(discardWhenUnavailable(entry, drop)),
      [Symbol.asyncDispose]: release,
    };
  },
});

/** A file that was replaced by another is another model. */
function factsOf(kind: "embed" | "generate", id: string, modelPath: string, settings: object) {
  const file = statSync(modelPath, { throwIfNoEntry: false });
  const key = JSON.stringify([kind, settings, file?.ino, file?.size, file?.mtimeMs]);
  return { key, kind, id: basename(id), fileBytes: file?.size ?? 0 };
}

/** A connection that broke is not handed on: the next command makes its own. */
const discardWhenUnavailable =
  (entry: Entry, drop: Discard) =>
  (error: unknown): never => {
    if (error instanceof RagctlError && error.code === "STORE_UNAVAILABLE") drop(entry);
    throw error;
  };

/** Whether an engine may be broken: the request was sound and was not stopped. */
const isFault = (error: unknown, signal: AbortSignal): boolean =>
  !signal.aborted && !(error instanceof RagctlError && error.code === "USAGE_INVALID");

function lentEmbedder({ engine, entry, release }: Loan<Embedder>, drop: Discard): Embedder {
  return {
    ...engine,
    async embed(texts, options, signal) {
      try {
        return await engine.embed(texts, options, signal);
      } catch (error) {
        if (isFault(error, signal)) drop(entry);
        throw error;
      }
    },
    [Symbol.asyncDispose]: release,
  };
}

function lentModel(
  { engine, entry, release }: Loan<LanguageModel>,
  drop: Discard,
  onWait: (ahead: number) => void,
): LanguageModel {
  return {
    ...engine,
    async *generate(messages, options, signal) {
      entry.generations++;
      try {
        yield* engine.generate(messages, { ...options, onWait }, signal);
      } catch (error) {
        if (isFault(error, signal)) drop(entry);
        throw error;
      } finally {
        entry.generations--;
      }
    },
    [Symbol.asyncDispose]: release,
  };
}
