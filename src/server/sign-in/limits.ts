import { limited } from "../failure.ts";

/** Rate limits of one server, per caller. */
export interface Limits {
  /** Takes one request of a caller. @throws RATE_LIMITED */
  request(who: string): void;
  /** Takes one of a caller's open streams; dispose of it when the stream ends. @throws RATE_LIMITED */
  stream(who: string): Disposable;
  /**
   * Takes an attempt to sign in before its outcome is known. After too many, attempts that cannot succeed are
   * refused, and of the others only one at a time is admitted. @throws RATE_LIMITED
   */
  signIn(who: string, canSucceed: boolean): SignInTry;
}

/** A try to sign in; to be disposed when it has ended. */
export interface SignInTry extends Disposable {
  /** Forgets the failures before. */
  succeeded(): void;
  /** Whether this failure locks out. @throws RATE_LIMITED where an earlier one did */
  failed(): boolean;
}

/** Requests that may come at once, and how many a second are given back. */
const burst = 200;
const perSecond = 20;
/** Streams and sockets of one principal at once. */
const mostStreams = 16;
/** Failed sign-ins with one key from one address before they are locked out, and for how long, ms. */
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
  signIn: () => ({ succeeded: () => undefined, failed: () => false, [Symbol.dispose]: () => undefined }),
};

/** Opens the limits of one server. */
export function openLimits(now: () => number = Date.now): Limits {
  const buckets = bounded<{ readonly tokens: number; readonly at: number }>();
  const streams = new Map<string, number>();
  return {
    request(who) {
      const { tokens, at } = buckets.get(who) ?? { tokens: burst, at: now() };
      const left = Math.min(burst, tokens + ((now() - at) / 1000) * perSecond) - 1;
      if (left < 0) throw limited("too many requests", Math.ceil(-left / perSecond) || 1);
      buckets.set(who, { tokens: left, at: now() });
    },
    stream(who) {
      const count = (streams.get(who) ?? 0) + 1;
      if (count > mostStreams) throw limited(`${mostStreams} streams are already open`, 5);
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
    signIn: openSignIns(now),
  };
}

/** Counts attempts before they end, so that simultaneous ones are counted too. */
function openSignIns(now: () => number): Limits["signIn"] {
  const tries = bounded<{ count: number; at: number; underWay: number }>();
  return (who, canSucceed) => {
    const before = tries.get(who);
    const isCurrent = before !== undefined && (now() - before.at <= lockMs || before.underWay > 0);
    const entry = isCurrent ? before : { count: 0, at: now(), underWay: 0 };
    const isLocked = entry.count >= mostFailures;
    const refused = (): Error =>
      limited("too many failed sign-ins", Math.max(1, Math.ceil((entry.at + lockMs - now()) / 1000)));
    if (isLocked && !canSucceed) throw refused();
    if (isLocked && entry.underWay > 0) throw limited("too many simultaneous sign-ins with this key", 1);
    if (!isLocked) entry.at = now();
    entry.count += 1;
    entry.underWay += 1;
    tries.set(who, entry);
    const isLast = entry.count === mostFailures;
    return {
      succeeded: () => void tries.delete(who),
      failed() {
        if (isLocked) throw refused();
        return isLast;
      },
      [Symbol.dispose]() {
        entry.underWay -= 1;
      },
    };
  };
}
