/** Work already begun; wrapped, because an async generator would await a bare promise before yielding it. */
export interface Started<T> {
  readonly result: Promise<T>;
}

/**
 * Pulls up to `count` items ahead of the consumer, so that their work runs while the consumer is busy. Order
 * is kept; an error of the source reaches the consumer after the items before it.
 */
export async function* prefetch<T>(source: AsyncIterable<Started<T>>, count: number): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const pulled: Promise<IteratorResult<Started<T>>>[] = [];
  const pull = (): void => {
    const next = iterator.next();
    // The consumer sees each rejection in its turn; until then it must not count as unhandled.
    next.then((item) => (item.done === true ? undefined : item.value.result)).catch(() => undefined);
    pulled.push(next);
  };
  try {
    for (let i = 0; i < Math.max(1, count); i++) pull();
    for (let head = pulled.shift(); head !== undefined; head = pulled.shift()) {
      const item = await head;
      if (item.done === true) return;
      const value = await item.value.result;
      pull();
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
