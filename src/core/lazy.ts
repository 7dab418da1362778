/**
 * The only state a module may keep: what is made on first use and then held, an engine or a parser that is
 * slow to load. The value may be a promise. An attempt that throws or rejects is forgotten, so that the next
 * use tries again.
 */
export function lazy<T>(make: () => Promise<T>): () => Promise<T>;
export function lazy<T>(make: () => T): () => T;
export function lazy<T>(make: () => T): () => T {
  const get = keyed<undefined, T>(make);
  return () => get(undefined);
}

/** `lazy` for each key. */
export function keyed<K, T>(make: (key: K) => T): (key: K) => T {
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
