/** Notifies all listeners of a new message; permissions are checked when it is read. */
export interface News {
  announce(): void;
  listen(listener: () => void): Disposable;
}

/** Creates the news of one server. */
export function createChatBroadcaster(): News {
  const listeners = new Set<() => void>();
  return {
    announce() {
      for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}
