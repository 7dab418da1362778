import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { RagctlError } from "../../core/errors.ts";
import { someAsync } from "../../core/flow.ts";
import type { Run } from "../../core/run.ts";
import {
  type ApiKey,
  createKeyRepository,
  type KeyHash,
  type KeyInput,
  type RecordedSignIn,
  type SignIn,
} from "../../registry/company/keys.ts";
import type { Home } from "../home.ts";

export type { ApiKey, RecordedSignIn, SignIn } from "../../registry/company/keys.ts";

/** Whose key it is, and what it lets do. */
export interface KeyHolder {
  readonly keyId: string;
  /** Name of the principal. */
  readonly principal: string;
  readonly mayImpersonate: boolean;
}

/**
 * Keys with which principals sign in to a server. Members that change or show them raise PERMISSION_DENIED
 * for anyone but the owner.
 */
export interface KeysApi {
  /** Newest first, revoked ones too. @throws NOT_FOUND for the principal */
  list(principal: string | undefined, run: Run): Promise<readonly ApiKey[]>;
  /**
   * Makes a key and returns it; only a hash is kept, so that it cannot be shown again. @throws NOT_FOUND,
   * USAGE_INVALID
   */
  add(
    principal: string,
    input: KeyInput,
    run: Run,
  ): Promise<{ readonly key: string; readonly record: ApiKey }>;
  /** Ends a key and every session signed in with it. @throws NOT_FOUND */
  revoke(id: string, run: Run): Promise<ApiKey>;
  /** Attempts to sign in, newest first. */
  signIns(limit: number, run: Run): Promise<readonly RecordedSignIn[]>;
  /**
   * Whose key it is; undefined for a wrong or revoked one and one of a disabled principal. For a server, which
   * has no principal yet. @throws SERVER_BUSY while too many keys of earlier releases are checked
   */
  identify(key: string): Promise<KeyHolder | undefined>;
  /** The key id that the key itself claims; "" for an unknown one. */
  claimed(key: string): Promise<string>;
  /** The holder of a key that is still valid; undefined otherwise. */
  holder(keyId: string): Promise<KeyHolder | undefined>;
  /** Records an attempt to sign in. */
  record(event: SignIn): Promise<void>;
  /** Whether the registry holds a valid key. */
  any(): Promise<boolean>;
}

const form = /^ragctl_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;

/** Nobody guesses 256 random bits: a fast hash keeps them, so that strangers who guess cost nothing. */
const hashOf = (secret: string): KeyHash => ({
  salt: Buffer.alloc(0),
  hash: createHash("sha256").update(secret).digest(),
});

/** Node's own cost, 16 MiB for each check. */
const cost: ScryptOptions = { N: 2 ** 14, r: 8, p: 1 };

/** The salted hash of a key of earlier releases, until it is used. */
const slowHashOf = (secret: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(secret, salt, 32, cost, (error, hash) => (error === null ? resolve(hash) : reject(error))),
  );

/** Slow hashes at once, half of node's threads, and those that may wait for their turn. */
const mostHashes = 2;
const mostWaiting = 50;

/** Runs a few works at a time, the others in the order they came. @throws SERVER_BUSY */
function openTurns() {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length === mostWaiting)
      throw new RagctlError("SERVER_BUSY", "too many sign-ins at the same time", {
        hint: "try again shortly",
      });
    if (running === mostHashes) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Access to the keys of a home. */
export function createKeysApi(home: Pick<Home, "access" | "principals" | "registry">): KeysApi {
  const { access, principals } = home;
  const keys = createKeyRepository(home.registry);
  const owner = (run: Run): Promise<void> => access.owner(run, "manage keys");
  const inTurn = openTurns();
  const holderOf = async (key: ApiKey | undefined): Promise<KeyHolder | undefined> => {
    if (key === undefined || key.revokedAt !== null) return undefined;
    if ((await principals.find(key.principal))?.enabled !== true) return undefined;
    return { keyId: key.id, principal: key.principal, mayImpersonate: key.mayImpersonate };
  };
  return {
    async list(principal, run) {
      await owner(run);
      return keys.list(principal === undefined ? undefined : (await principals.get(principal)).id);
    },
    async add(principal, input, run) {
      await owner(run);
      const { id: principalId } = await principals.get(principal);
      const id = keys.newId();
      const secret = randomBytes(32).toString("base64url");
      const record = await keys.add(id, principalId, input, hashOf(secret));
      return { key: `ragctl_${id}_${secret}`, record };
    },
    async revoke(id, run) {
      await owner(run);
      return keys.revoke(id);
    },
    async signIns(limit, run) {
      await owner(run);
      return keys.signIns(limit);
    },
    async identify(key) {
      const [, id = "", secret = ""] = form.exec(key) ?? [];
      const stored = await keys.find(id);
      if (stored === undefined) return undefined;
      const isSlow = stored.salt.length > 0;
      const fast = hashOf(secret);
      const hash = isSlow ? await inTurn(() => slowHashOf(secret, stored.salt)) : fast.hash;
      if (!timingSafeEqual(hash, stored.hash)) return undefined;
      if (isSlow) await keys.rehash(id, fast);
      // While a slow hash was waited for, the key may have been revoked.
      const holder = await holderOf(isSlow ? await keys.find(id) : stored);
      if (holder !== undefined) await keys.used(stored);
      return holder;
    },
    async claimed(key) {
      const [, id = ""] = form.exec(key) ?? [];
      return (await keys.find(id))?.id ?? "";
    },
    holder: async (keyId) => holderOf(await keys.find(keyId)),
    record: keys.recordSignIn,
    any: async () => someAsync(await keys.list(), async (key) => (await holderOf(key)) !== undefined),
  };
}
