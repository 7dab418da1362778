import { limited } from "../failure.ts";

/** Counts for one server how often somebody may do something. */
export interface Limits {
  /** Takes one request of somebody. @throws RATE_LIMITED */
  request(who: string): void;
  /**
   * Takes one of the streams that somebody may have open; to be disposed when it ends. @throws RATE_LIMITED
   */
  stream(who: string): Disposable;
  /** @throws RATE_LIMITED while an address is locked out */
  checkLock(address: string): void;
  /** Counts a failed sign-in; whether it locked the address out. */
  failed(address: string): boolean;
  /** Forgets the failures of an address. */
  succeeded(address: string): void;
}

/** Requests that may come at once, and how many a second are given back. */
const burst = 200;
const perSecond = 20;
/** Streams and sockets of one principal at once. */
const mostStreams = 16;
/** Failed sign-ins of one address before it is locked out, and for how long, ms. */
const mostFailures = 10;
const lockMs = 300_000;
/** Names that are remembered; beyond that the oldest is forgotten. */
const mostNames = 10_000;

/** A map that forgets its oldest entries. */
function bounded<T>() {
  const entries = new Map<string, T>();
  return {
    get: (key: string): T | undefined => entries.get(key),
    set(key: string, value: T): void {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > mostNames && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key: string): boolean => entries.delete(key),
  };
}

/** Nothing is limited: for an audit, which sends more than anybody may. */
export const noLimits: Limits = {
  request: () => undefined,
  stream: () => ({ [Symbol.dispose]: () => undefined }),
  checkLock: () => undefined,
  failed: () => false,
  succeeded: () => undefined,
};

/** Opens the limits of one server. */
export function openLimits(now: () => number = Date.now): Limits {
  const buckets = bounded<{ readonly tokens: number; readonly at: number }>();
  const streams = new Map<string, number>();
  const failures = bounded<{ readonly count: number; readonly at: number }>();
  return {
    request(who) {
      const { tokens, at } = buckets.get(who) ?? { tokens: burst, at: now() };
      const left = Math.min(burst, tokens + ((now() - at) / 1000) * perSecond) - 1;
      if (left < 0) throw limited("too many requests", Math.ceil(-left / perSecond) || 1);
      buckets.set(who, { tokens: left, at: now() });
    },
    stream(who) {
      const count = (streams.get(who) ?? 0) + 1;
      if (count > mostStreams) throw limited(`${mostStreams} streams are open already`, 5);
      streams.set(who, count);
      let isOpen = true;
      return {
        [Symbol.dispose]() {
          if (!isOpen) return;
          isOpen = false;
          const left = (streams.get(who) ?? 1) - 1;
          if (left === 0) streams.delete(who);
          else streams.set(who, left);
        },
      };
    },
    checkLock(address) {
      const failed = failures.get(address);
      if (failed === undefined || failed.count < mostFailures) return;
      const leftMs = failed.at + lockMs - now();
      if (leftMs > 0) throw limited("too many failed sign-ins", Math.ceil(leftMs / 1000));
      failures.delete(address);
    },
    failed(address) {
      const before = failures.get(address);
      const count = before === undefined || now() - before.at > lockMs ? 1 : before.count + 1;
      failures.set(address, { count, at: now() });
      return count === mostFailures;
    },
    succeeded: (address) => void failures.delete(address),
  };
}
