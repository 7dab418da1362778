/** Runs `make` on first use and keeps the promise; a failed attempt is forgotten, so that the next use tries again. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** `lazy` for each key. */
export function keyed<K, T>(make: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const known = new Map<K, () => Promise<T>>();
  return (key) => {
    const get = known.get(key) ?? lazy(() => make(key));
    known.set(key, get);
    return get();
  };
}
