import { createHash, randomBytes } from "node:crypto";

/** Who signed in, and by what. */
export interface Holder {
  /** Name of the principal. */
  readonly principal: string;
  /** The link that the server printed, a key of the registry, or nothing where nobody needs to sign in. */
  readonly by: "link" | "key" | "none";
  /** "" for no key of the registry. */
  readonly keyId: string;
  readonly mayImpersonate: boolean;
}

/** What a browser holds after it signed in. */
export interface Session {
  readonly holder: Holder;
  /**
   * What a request that changes something must carry in a header, which pages of other origins cannot read.
   */
  readonly csrfToken: string;
}

export interface Sessions {
  /** The session, and what its cookie holds. */
  open(holder: Holder): { readonly session: Session; readonly cookie: string };
  /** The session of a cookie, unless it ended. */
  find(cookie: string): Session | undefined;
  close(cookie: string): void;
}

/** A session ends this long after its sign-in, ms. */
export const sessionMs = 12 * 3_600_000;

/** Sessions that are kept; the oldest goes first. */
const most = 10_000;

/** Opens the sessions of one server; they end with it. */
export function openSessions(now: () => number = Date.now): Sessions {
  const open = new Map<string, Session & { readonly endsAt: number }>();
  // What is kept lets nobody in who reads it.
  const markOf = (cookie: string): string => createHash("sha256").update(cookie).digest("base64");
  const sweep = (): void => {
    for (const [mark, { endsAt }] of open) {
      if (endsAt > now() && open.size < most) return;
      open.delete(mark);
    }
  };
  return {
    open(holder) {
      sweep();
      const cookie = randomBytes(32).toString("base64url");
      const session = { holder, csrfToken: randomBytes(32).toString("base64url") };
      open.set(markOf(cookie), { ...session, endsAt: now() + sessionMs });
      return { session, cookie };
    },
    find(cookie) {
      const session = open.get(markOf(cookie));
      return session !== undefined && session.endsAt > now() ? session : undefined;
    },
    close: (cookie) => void open.delete(markOf(cookie)),
  };
}
