import { createSemaphore } from "../mutex.ts";

/** Runs work on a collection, which stays loaded until it ends. */
export type UseCollection = <T>(collection: string, work: () => Promise<T>) => Promise<T>;

interface Loaded {
  users: number;
  /** Time of its first use, in which the server loaded it, ms. */
  loadMs: number;
  leaving?: Promise<unknown>;
}

/** Collections that a server holds in memory usually, and at most while more are used at once. */
const [usual, peak] = [6, 24];

/**
 * Bounds the collections that a server holds in memory. To make room, the idle one that loads fastest is
 * released; `idleMs` after the last use, all but the usual number are. The server loads a released one by
 * itself, but a search fails if its collection is released meanwhile.
 */
export function limitLoaded(release: (name: string) => Promise<unknown>, idleMs = 60_000): UseCollection {
  const loaded = new Map<string, Loaded>();
  const turns = createSemaphore(peak);
  const { signal: never } = new AbortController();
  let trimming: NodeJS.Timeout | undefined;
  const leave = async (count: number): Promise<void> => {
    const idle = [...loaded].filter(([, { users, leaving }]) => users === 0 && leaving === undefined);
    const soonest = idle.sort(([, one], [, two]) => one.loadMs - two.loadMs).slice(0, Math.max(0, count));
    for (const [name, held] of soonest) {
      const forget = () => loaded.delete(name);
      // One that was dropped cannot be released, and holds no memory.
      held.leaving = release(name).then(forget, forget);
    }
    await Promise.all(soonest.map(([, { leaving }]) => leaving));
  };
  const enter = async (name: string): Promise<Loaded> => {
    while (loaded.get(name)?.leaving !== undefined) await loaded.get(name)?.leaving;
    const held = loaded.get(name) ?? { users: 0, loadMs: 0 };
    held.users++;
    const isFull = !loaded.has(name) && loaded.size >= usual;
    loaded.set(name, held);
    if (isFull) await leave(1);
    return held;
  };
  return async (name, work) => {
    const endTurn = await turns.take(never);
    const held = await enter(name);
    const start = performance.now();
    try {
      return await work();
    } finally {
      held.loadMs ||= performance.now() - start;
      held.users--;
      endTurn();
      clearTimeout(trimming);
      trimming = setTimeout(() => void leave(loaded.size - usual), idleMs).unref();
    }
  };
}
