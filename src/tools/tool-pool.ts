import type { Tool } from "../core/answers/tool.ts";

/** The principal on whose behalf tools are open, and what it can read. */
export interface ToolReader {
  /** Identical for the same reader. */
  readonly key: string;
  /** Changes with what the reader can read; its tools are then reopened. */
  readonly mark: string;
}

/** Returns the open tool of a row, or opens it; `row` changes with the tool's row. */
export type OpenPooled = (name: string, row: string, open: () => Promise<Tool>) => Promise<Tool>;

/**
 * Tools that stay open between questions. Because each keeps its data in memory, including sheets and an SQL
 * engine, only those of the most recent readers stay.
 */
export interface ToolPool extends AsyncDisposable {
  /**
   * Runs `work` with the tools of a reader, which stay open at least until it ends. `warn` is called for an
   * evicted tool that cannot be closed.
   */
  use<T>(reader: ToolReader, warn: Warn, work: (tool: OpenPooled) => Promise<T>): Promise<T>;
}

type Warn = (error: unknown) => void;

interface PooledTool {
  readonly row: string;
  readonly tool: Promise<Tool>;
}

/** The tools of one reader, by name. */
interface Shelf {
  readonly mark: string;
  readonly tools: Map<string, PooledTool>;
  /** Tools whose row changed; closed when the shelf is idle. */
  readonly outdated: PooledTool[];
  users: number;
  /** Whether another shelf replaced it. */
  retired: boolean;
}

/**
 * Creates an empty pool. `readers`: how many idle readers keep open tools; more cost memory and save time.
 */
export function createToolPool(readers = 8): ToolPool {
  /** Least recently used first. */
  const shelves = new Map<string, Shelf>();
  const closing = new Set<Promise<unknown>>();
  const close = (tools: Iterable<PooledTool>, warn: Warn): void => {
    for (const { tool } of tools) {
      // A tool that failed to open needs no closing, and its caller got the error.
      const opened = tool.catch(() => undefined);
      const closed = opened.then(async (made) => made?.[Symbol.asyncDispose]()).catch(warn);
      closing.add(closed);
      void closed.finally(() => closing.delete(closed));
    }
  };
  const closeUnused = (shelf: Shelf, warn: Warn): void => {
    if (shelf.users > 0) return;
    close(shelf.outdated.splice(0), warn);
    if (!shelf.retired) return;
    close(shelf.tools.values(), warn);
    shelf.tools.clear();
  };
  const retire = (key: string, shelf: Shelf, warn: Warn): void => {
    shelves.delete(key);
    shelf.retired = true;
    closeUnused(shelf, warn);
  };
  const take = ({ key, mark }: ToolReader, warn: Warn): Shelf => {
    const known = shelves.get(key);
    if (known !== undefined && known.mark !== mark) retire(key, known, warn);
    const shelf =
      known?.mark === mark ? known : { mark, tools: new Map(), outdated: [], users: 0, retired: false };
    shelves.delete(key);
    shelves.set(key, shelf);
    shelf.users++;
    return shelf;
  };
  const giveBack = (shelf: Shelf, warn: Warn): void => {
    shelf.users--;
    closeUnused(shelf, warn);
    for (const [key, oldest] of shelves) {
      if (shelves.size <= readers) return;
      if (oldest.users === 0) retire(key, oldest, warn);
    }
  };
  return {
    async use(reader, warn, work) {
      const shelf = take(reader, warn);
      try {
        return await work((name, row, open) => openOn(shelf, name, row, open));
      } finally {
        giveBack(shelf, warn);
      }
    },
    async [Symbol.asyncDispose]() {
      const errors: unknown[] = [];
      for (const [key, shelf] of shelves) retire(key, shelf, (error) => errors.push(error));
      await Promise.all(closing);
      if (errors.length > 0) throw errors[0];
    },
  };
}

function openOn(shelf: Shelf, name: string, row: string, open: () => Promise<Tool>): Promise<Tool> {
  const known = shelf.tools.get(name);
  if (known?.row === row) return known.tool;
  if (known !== undefined) shelf.outdated.push(known);
  const tool = open();
  const pooled = { row, tool };
  shelf.tools.set(name, pooled);
  tool.catch(() => {
    if (shelf.tools.get(name) === pooled) shelf.tools.delete(name);
  });
  return tool;
}
