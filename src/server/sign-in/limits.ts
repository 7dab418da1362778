import { rateLimitedError } from "../failure.ts";

/** Rate limits of one server, per caller. */
export interface Limits {
  /** Takes one request of a caller. @throws RATE_LIMITED */
  request(who: string): void;
  /** Takes one of a caller's open streams; dispose of it when the stream ends. @throws RATE_LIMITED */
  stream(who: string): Disposable;
  /**
   * Counts a failed attempt to sign in; whether it is the last before others are refused for a while. @throws
   * RATE_LIMITED
   */
  signInFailed(who: string): boolean;
}

/** Requests that may come at once, and how many a second are given back. */
const burst = 200;
const perSecond = 20;
/** Streams and sockets of one principal at once. */
const mostStreams = 16;
/** Failed sign-ins with one key from one address before more are refused, and for how long, ms. */
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
  };
}

/** Nothing is limited: for an audit, which sends more than anybody may. */
export const noLimits: Limits = {
  request: () => undefined,
  stream: () => ({ [Symbol.dispose]: () => undefined }),
  signInFailed: () => false,
};

/** Creates the limits of one server. */
export function createSignInLimiter(now: () => number = Date.now): Limits {
  const buckets = bounded<{ readonly tokens: number; readonly at: number }>();
  const streams = new Map<string, number>();
  const failures = bounded<{ readonly count: number; readonly at: number }>();
  return {
    request(who) {
      const { tokens, at } = buckets.get(who) ?? { tokens: burst, at: now() };
      const left = Math.min(burst, tokens + ((now() - at) / 1000) * perSecond) - 1;
      if (left < 0) throw rateLimitedError("too many requests", Math.ceil(-left / perSecond) || 1);
      buckets.set(who, { tokens: left, at: now() });
    },
    stream(who) {
      const count = (streams.get(who) ?? 0) + 1;
      if (count > mostStreams) throw rateLimitedError(`${mostStreams} streams are already open`, 5);
      streams.set(who, count);
      const stream = new DisposableStack();
      stream.defer(() => {
        const left = (streams.get(who) ?? 1) - 1;
        if (left === 0) streams.delete(who);
        else streams.set(who, left);
      });
      return stream;
    },
    signInFailed(who) {
      const before = failures.get(who);
      const { count, at } =
        before !== undefined && now() - before.at <= lockMs ? before : { count: 0, at: now() };
      if (count >= mostFailures)
        throw rateLimitedError(
          "too many failed sign-ins",
          Math.max(1, Math.ceil((at + lockMs - now()) / 1000)),
        );
      failures.set(who, { count: count + 1, at: now() });
      return count + 1 === mostFailures;
    },
  };
}
