import type { Tool } from "../core/answers/tool.ts";

/** Who uses tools: what they read, and as whom. */
export interface ToolReader {
  /** The same for the same reader. */
  readonly key: string;
  /** Changes when what the reader can read does; its tools are then opened anew. */
  readonly mark: string;
}

/** Gives the open tool of a row, or opens it; `row` changes when the tool's row does. */
export type OpenPooled = (name: string, row: string, open: () => Promise<Tool>) => Promise<Tool>;

/**
 * Tools that stay open between questions. Each holds what it reads, sheets and an engine of SQL among it, so
 * that only those of the readers of last stay.
 */
export interface ToolPool extends AsyncDisposable {
  /**
   * Runs `work` with the tools of a reader, which stay open at least until it ends. `warn` is told of a tool
   * that others left and that cannot be closed.
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
  /** Tools whose row changed; they close when nobody uses the shelf. */
  readonly outdated: PooledTool[];
  users: number;
  /** Whether another one took its place. */
  retired: boolean;
}

/**
 * Opens an empty pool. `readers`: how many have tools that stay open while nobody uses them; more cost memory,
 * fewer time.
 */
export function openToolPool(readers = 8): ToolPool {
  /** Least recently used first. */
  const shelves = new Map<string, Shelf>();
  const closing = new Set<Promise<unknown>>();
  const close = (tools: Iterable<PooledTool>, warn: Warn): void => {
    for (const { tool } of tools) {
      // One that could not be opened needs no closing, and was reported to who asked for it.
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
