/**
 * The only state a module may keep: a value made on first use and then held, such as an engine or a parser
 * that is slow to load. The value may be a promise. An attempt that throws or rejects is forgotten, so that
 * the next use tries again.
 */
export function lazy<T>(make: () => Promise<T>): () => Promise<T>;
export function lazy<T>(make: () => T): () => T;
export function lazy<T>(make: () => T): () => T {
  const get = lazyMap<undefined, T>(make);
  return () => get(undefined);
}

/** `lazy` for each key. */
export function lazyMap<K, T>(make: (key: K) => T): (key: K) => T {
  const values = new Map<K, { readonly value: T }>();
  return (key) => {
    const made = values.get(key);
    if (made !== undefined) return made.value;
    const entry = { value: make(key) };
    values.set(key, entry);
    if (entry.value instanceof Promise) {
      entry.value.catch(() => {
        if (values.get(key) === entry) values.delete(key);
      });
    }
    return entry.value;
  };
}

/** Values by key; the least recently used are dropped. */
export interface Recent<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
}

/**
 * Keeps values while the sum of their sizes is at most `most`; the one that was set last stays whatever its
 * size.
 */
export function lruBySize<K, V>(most: number, sizeOf: (value: V) => number): Recent<K, V> {
  /** The one used longest ago first. */
  const values = new Map<K, V>();
  let total = 0;
  const remove = (key: K): void => {
    const value = values.get(key);
    if (value !== undefined) total -= sizeOf(value);
    values.delete(key);
  };
  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      values.set(key, value);
      total += sizeOf(value);
      for (const oldest of values.keys()) {
        if (total <= most || values.size === 1) return;
        remove(oldest);
      }
    },
  };
}
