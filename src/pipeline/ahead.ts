/**
 * Pulls up to `count` items ahead of the reader, so that work the items carry (promises) runs while the reader is busy.
 * Order is kept; an error of the source reaches the reader after the items before it.
 */
export async function* ahead<T extends object>(source: AsyncIterable<Promise<T>>, count: number): AsyncGenerator<Promise<T>> {
  const iterator = source[Symbol.asyncIterator]();
  const pulled: Promise<IteratorResult<Promise<T>>>[] = [];
  const pull = (): void => {
    const next = iterator.next();
    next.then((result) => (result.done === true ? undefined : result.value.catch(() => undefined))).catch(() => undefined);
    pulled.push(next);
  };
  try {
    for (let i = 0; i < Math.max(1, count); i++) pull();
    for (let head = pulled.shift(); head !== undefined; head = pulled.shift()) {
      const result = await head;
      if (result.done === true) return;
      pull();
      yield result.value;
    }
  } finally {
    await iterator.return?.();
  }
}
