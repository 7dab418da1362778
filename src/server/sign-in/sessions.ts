import { createHash, randomBytes } from "node:crypto";

/** Who signed in, and how. */
export interface Holder {
  /** Name of the principal. */
  readonly principal: string;
  /** The printed link, a key of the registry, or none if no sign-in is needed. */
  readonly by: "link" | "key" | "none";
  /** "" if it was not a key of the registry. */
  readonly keyId: string;
  readonly mayImpersonate: boolean;
}

/** The session of a browser. */
export interface SignInSession {
  readonly holder: Holder;
  /**
   * Requests that change something must send it as a header; pages of other origins cannot read it.
   */
  readonly csrfToken: string;
}

export interface Sessions {
  /** Opens a session; also returns the value of its cookie. */
  open(holder: Holder): { readonly session: SignInSession; readonly cookie: string };
  /** The session of a cookie, if it is still valid. */
  find(cookie: string): SignInSession | undefined;
  close(cookie: string): void;
}

/** Lifetime of a session, ms. */
export const sessionMs = 12 * 3_600_000;

/** Most sessions; the oldest is dropped first. */
const most = 10_000;

/** Sessions live in memory and end with the server. */
export function createSessionStore(now: () => number = Date.now): Sessions {
  const open = new Map<string, SignInSession & { readonly endsAt: number }>();
  // Only a hash is kept, so that reading it grants no access.
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
