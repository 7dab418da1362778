import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { parse, serialize } from "hono/utils/cookie";
import type { KeysApi } from "../../app/owner/keys.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Hosts } from "../hosts.ts";
import { createSignInLimiter, type Limits } from "./limits.ts";
import { createSessionStore, type Holder, type SignInSession, sessionMs } from "./sessions.ts";

/** Who a request comes from. */
export interface Visitor {
  readonly holder: Holder;
  /** Name of the principal that the request acts as. */
  readonly principal: string;
  /** Where it came with a cookie. */
  readonly session?: SignInSession;
  readonly address: string;
}

/** Decides who comes in. */
export interface Authenticator {
  readonly limits: Limits;
  /** @throws REQUEST_REFUSED for a foreign host or origin */
  checkPlace(request: Request): void;
  /**
   * Who sent it; undefined where it carries neither a key nor a session. @throws SIGN_IN_REQUIRED,
   * RATE_LIMITED, REQUEST_REFUSED, NOT_FOUND
   */
  visitor(request: Request, address: string): Promise<Visitor | undefined>;
  /** Whether a visitor's key or session is still valid. */
  stands(visitor: Visitor): Promise<boolean>;
  /**
   * Signs a browser in by a key; a page of another site that opens it brings in by the printed one only.
   * @throws SIGN_IN_REQUIRED, RATE_LIMITED, REQUEST_REFUSED
   */
  signIn(
    key: string,
    address: string,
    request: Request,
  ): Promise<{ readonly session: SignInSession; readonly cookie: string }>;
  /** The value of a Set-Cookie header that ends the session of a request. */
  signOut(request: Request): string;
}

/** How a server signs visitors in. */
export interface AuthenticatorOptions {
  readonly keys: Pick<KeysApi, "identify" | "claimed" | "holder" | "record">;
  readonly hosts: Hosts;
  /** The printed key and its principal; absent where only keys of the registry are valid. */
  readonly link?: { readonly key: string; readonly principal: string; readonly isOwner: boolean };
  /** Without sign-in, every visitor acts as this principal. */
  readonly nobodySignsIn?: { readonly principal: string; readonly isOwner: boolean };
  /** Whether cookies go over TLS only. */
  readonly secure: boolean;
  /** @throws NOT_FOUND, PERMISSION_DENIED for who is not there or is disabled */
  readonly checkPrincipal: (name: string) => Promise<string>;
  /** Default: those of a server. */
  readonly limits?: Limits;
}

/** Name of the cookie of a server; one that listens at another port of the machine has another. */
export const cookieNameOf = ({ port }: Pick<Hosts, "port">): string => `ragctl_session_${port}`;

/** A key for the link that is printed. */
export const newLinkKey = (): string => randomBytes(24).toString("base64url");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const bearer = /^Bearer +(\S{1,200})$/i;

/** Creates the authenticator of one server. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { keys, hosts, nobodySignsIn, secure, limits = createSignInLimiter() } = options;
  const sessions = createSessionStore();
  const cookieName = cookieNameOf(hosts);
  const cookieOf = (request: Request): string =>
    parse(request.headers.get("cookie") ?? "", cookieName)[cookieName] ?? "";
  const setCookie = (value: string, maxAge: number): string =>
    serialize(cookieName, value, { path: "/", httpOnly: true, sameSite: "Strict", secure, maxAge });
  const keyHolder = openKeyHolders(options, limits);
  const holderOf = async (request: Request, address: string) => {
    const authorization = request.headers.get("authorization");
    if (authorization !== null)
      return { holder: await keyHolder(bearer.exec(authorization)?.[1] ?? "", address) };
    const session = sessions.find(cookieOf(request));
    if (session !== undefined && (await stands(session.holder, keys))) {
      checkToken(request, session);
      return { holder: session.holder, session };
    }
    if (nobodySignsIn === undefined) return undefined;
    const { principal, isOwner } = nobodySignsIn;
    return { holder: { principal, by: "none", keyId: "", mayImpersonate: isOwner } satisfies Holder };
  };
  return {
    limits,
    stands: ({ holder }) => stands(holder, keys),
    checkPlace: (request) => checkPlace(request, hosts),
    async visitor(request, address) {
      const found = await holderOf(request, address);
      if (found === undefined) return undefined;
      const { holder } = found;
      const wanted = request.headers.get("x-ragctl-as");
      if (wanted === null)
        return { ...found, principal: await options.checkPrincipal(holder.principal), address };
      if (!holder.mayImpersonate)
        throw new RagctlError("REQUEST_REFUSED", "this key may not act as another principal", {
          hint: "omit the header X-Ragctl-As",
        });
      const principal = await options.checkPrincipal(wanted);
      await keys.record({
        outcome: "acting-as",
        principal: holder.principal,
        actingAs: principal,
        keyId: holder.keyId,
        address,
      });
      return { ...found, principal, address };
    },
    async signIn(key, address, request) {
      const holder = await keyHolder(key, address, isOfAnotherSite(request));
      const principal = await options.checkPrincipal(holder.principal);
      await keys.record({ outcome: "signed-in", principal, actingAs: "", keyId: holder.keyId, address });
      const { session, cookie } = sessions.open(holder);
      return { session, cookie: setCookie(cookie, sessionMs / 1000) };
    },
    signOut(request) {
      sessions.close(cookieOf(request));
      return setCookie("", 0);
    },
  };
}

/**
 * Identifies the principal by a key, the printed one or one of the registry; from another site only by the
 * printed one, because the holder of another key could make visitors work, and upload, as that holder.
 * @throws SIGN_IN_REQUIRED, RATE_LIMITED, SERVER_BUSY, REQUEST_REFUSED
 */
function openKeyHolders({ keys, link }: AuthenticatorOptions, limits: Limits) {
  const checked = openChecks(keys, limits);
  const linkHolder = (key: string): Holder | undefined =>
    link !== undefined && timingSafeEqual(digest(key), digest(link.key))
      ? { principal: link.principal, by: "link", keyId: "", mayImpersonate: link.isOwner }
      : undefined;
  return async (key: string, address: string, fromAnotherSite = false): Promise<Holder> => {
    const linked = linkHolder(key);
    if (linked !== undefined) return linked;
    if (fromAnotherSite)
      throw new RagctlError("REQUEST_REFUSED", "a link on another site cannot sign in with this key", {
        hint: "open the page directly and paste the key",
      });
    return checked(key, address);
  };
}

/** Checks keys; who guesses is refused after a while, and never who has one. @throws as `openKeyHolders` */
function openChecks(keys: AuthenticatorOptions["keys"], limits: Limits) {
  return async (key: string, address: string): Promise<Holder> => {
    const holder = await keys.identify(key);
    if (holder !== undefined) return { by: "key", ...holder };
    // Attempts without a known key id share one counter per address; others have one per key.
    const isLast = limits.signInFailed(`${await keys.claimed(key)} ${address}`);
    const outcome = isLast ? "locked-out" : "refused";
    await keys.record({ outcome, principal: "", actingAs: "", keyId: "", address });
    throw new RagctlError("SIGN_IN_REQUIRED", "the key is not valid", {
      hint: "the owner can create one: ragctl principals key add NAME",
    });
  };
}

/** Whether the key that opened a session is still valid. */
const stands = async ({ keyId }: Holder, keys: AuthenticatorOptions["keys"]): Promise<boolean> =>
  keyId === "" || (await keys.holder(keyId)) !== undefined;

const changesSomething = ({ method }: Request): boolean => !["GET", "HEAD", "OPTIONS"].includes(method);

/** A cookie travels with requests of any page; the token only with those of ours. @throws REQUEST_REFUSED */
function checkToken(request: Request, { csrfToken }: SignInSession): void {
  if (!changesSomething(request)) return;
  const given = request.headers.get("x-csrf-token") ?? "";
  if (timingSafeEqual(digest(given), digest(csrfToken))) return;
  throw new RagctlError("REQUEST_REFUSED", "the request has no valid CSRF token", {
    hint: "send the csrf_token from GET /v1/session in the header X-CSRF-Token",
  });
}

/** @throws REQUEST_REFUSED for a foreign host name, and for requests from a page of another origin */
function checkPlace(request: Request, hosts: Hosts): void {
  const refused = (what: string): RagctlError =>
    new RagctlError("REQUEST_REFUSED", what, {
      hint: "use the URL that the server printed, or allow another with --origin",
    });
  const url = new URL(request.url);
  const host = request.headers.get("host") ?? url.host;
  if (!hosts.accepts(host) || !hosts.accepts(url.host))
    throw refused("this server does not accept requests for that host");
  const origin = request.headers.get("origin");
  if (origin !== null && !hosts.trusts(origin)) throw refused("requests from that origin are not accepted");
  const opensPage = request.headers.get("sec-fetch-mode") === "navigate" && request.method === "GET";
  if (isOfAnotherSite(request) && !(opensPage && url.pathname === "/"))
    throw refused("requests from other sites are not accepted");
}

/** Whether a browser says that a page of another origin sent a request. */
function isOfAnotherSite(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site") ?? "none";
  return site !== "same-origin" && site !== "none";
}
