/** Runs work on a collection, which stays loaded until it ends. */
export type UseCollection = <T>(collection: string, work: () => Promise<T>) => Promise<T>;

interface Loaded {
  users: number;
  /** Time of its first use, in which the server loaded it, ms. */
  loadMs: number;
  isLeaving: boolean;
}

/**
 * Bounds the collections that a server holds in memory to `most`. For another, one that nobody uses is
 * released: that which is loaded again soonest. While all are in use, it waits. The server loads a released one
 * by itself, but a search fails whose collection is released meanwhile.
 */
export function limitLoaded(most: number, release: (collection: string) => Promise<unknown>): UseCollection {
  const loaded = new Map<string, Loaded>();
  let change = Promise.withResolvers<void>();
  const noteChange = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const leave = async (collection: string, held: Loaded): Promise<void> => {
    held.isLeaving = true;
    // One that was dropped cannot be released, and holds no memory.
    await release(collection).catch(() => undefined);
    loaded.delete(collection);
    noteChange();
  };
  const enter = async (collection: string): Promise<Loaded> => {
    for (;;) {
      const held = loaded.get(collection) ?? { users: 0, loadMs: 0, isLeaving: false };
      if (!held.isLeaving && (loaded.has(collection) || loaded.size < most)) {
        held.users++;
        loaded.set(collection, held);
        return held;
      }
      const idle = [...loaded].filter(([, { users, isLeaving }]) => users === 0 && !isLeaving);
      const [first] = idle.sort(([, one], [, two]) => one.loadMs - two.loadMs);
      await (held.isLeaving || first === undefined ? change.promise : leave(...first));
    }
  };
  return async (collection, work) => {
    const held = await enter(collection);
    const start = performance.now();
    try {
      return await work();
    } finally {
      held.loadMs ||= performance.now() - start;
      held.users--;
      noteChange();
    }
  };
}
