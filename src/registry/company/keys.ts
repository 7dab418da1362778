import { randomBytes } from "node:crypto";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { insertRows, parseRow, unknownNameError, updateRow } from "../rows.ts";
import { strictRow } from "./definitions.ts";

/** A key of a principal, without its secret. */
export interface ApiKey {
  /** 12 hex characters; a part of the key itself. */
  readonly id: string;
  /** Name of the principal. */
  readonly principal: string;
  /** Its purpose, in the owner's words; "" for none. */
  readonly label: string;
  /** Whether requests with it may act as another principal. */
  readonly mayImpersonate: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601, to the minute; null for a key that was never used. */
  readonly lastUsedAt: string | null;
  /** ISO 8601; null for a key that is valid. */
  readonly revokedAt: string | null;
}

/** The hash that a key is checked against. */
export interface KeyHash {
  /** Empty for a fast hash. */
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

const newKey = strictRow({
  label: z.string().trim().max(100).default(""),
  mayImpersonate: z.boolean().default(false),
});

/** Facts of a new key. */
export type KeyInput = z.input<typeof newKey>;

/** One attempt to sign in to a server. */
export interface SignIn {
  readonly outcome: "signed-in" | "refused" | "locked-out" | "acting-as";
  /** "" for an unknown visitor. */
  readonly principal: string;
  /** "" for oneself. */
  readonly actingAs: string;
  /** "" for no key of the registry. */
  readonly keyId: string;
  /** Address of the client; "" where it is not known. */
  readonly address: string;
}

/** A recorded sign-in. */
export interface RecordedSignIn extends SignIn {
  /** ISO 8601. */
  readonly at: string;
}

export interface Keys {
  /** Newest first, revoked ones too; of one principal, or of all. */
  list(principalId?: string): Promise<readonly ApiKey[]>;
  /** A free id for a key that is to be added. */
  newId(): string;
  /** @throws USAGE_INVALID */
  add(id: string, principalId: string, input: KeyInput, hash: KeyHash): Promise<ApiKey>;
  /** A key that was not revoked, with its hash. */
  find(id: string): Promise<(ApiKey & KeyHash) | undefined>;
  /** Keeps another hash of the same key. */
  rehash(id: string, hash: KeyHash): Promise<void>;
  /** Records that a key was used, at most once a minute. */
  used(key: Pick<ApiKey, "id" | "lastUsedAt">): Promise<void>;
  /** By id. @throws NOT_FOUND */
  revoke(id: string): Promise<ApiKey>;
  /** Records an attempt to sign in; the newest 10 000 are kept. */
  recordSignIn(event: SignIn): Promise<void>;
  /** Newest first. */
  signIns(limit: number): Promise<readonly RecordedSignIn[]>;
}

interface Row extends Omit<ApiKey, "mayImpersonate">, KeyHash {
  readonly mayImpersonate: number;
}

const select = `SELECT api_keys.id, principals.name AS principal, label, may_impersonate AS mayImpersonate, api_keys.created_at AS createdAt,
  last_used_at AS lastUsedAt, revoked_at AS revokedAt, salt, hash
  FROM api_keys JOIN principals ON principals.id = api_keys.principal_id`;

const keyOf = ({ salt: _, hash: __, mayImpersonate, ...row }: Row): ApiKey => ({
  ...row,
  mayImpersonate: mayImpersonate === 1,
});

const signInsKept = 10_000;

/** Access to the keys of a registry. */
export function createKeyRepository(database: Database, now: () => Date = () => new Date()): Keys {
  const rowOf = (id: string): Promise<Row | undefined> =>
    database.statement<Row>(`${select} WHERE api_keys.id = ?`).get(id);
  const get = async (id: string): Promise<ApiKey> => {
    const row = await rowOf(id);
    if (row !== undefined) return keyOf(row);
    throw unknownNameError("key", id, [], () => "to list keys: ragctl principals key list");
  };
  return {
    async list(principalId) {
      const rows = database.statement<Row>(
        `${select} WHERE :principal IS NULL OR principal_id = :principal ORDER BY api_keys.created_at DESC, api_keys.id`,
      );
      return (await rows.all({ principal: principalId ?? null })).map(keyOf);
    },
    newId: () => randomBytes(6).toString("hex"),
    async add(id, principalId, input, { salt, hash }) {
      const { label, mayImpersonate } = parseRow(newKey, input, "the key");
      const row = { id, principalId, label, mayImpersonate: Number(mayImpersonate), salt, hash };
      await insertRows(database, "api_keys", [{ ...row, createdAt: now().toISOString() }]);
      return get(id);
    },
    async find(id) {
      const row = await rowOf(id);
      if (row === undefined || row.revokedAt !== null) return undefined;
      return { ...keyOf(row), salt: row.salt, hash: row.hash };
    },
    async rehash(id, { salt, hash }) {
      await updateRow(database, "api_keys", id, { salt, hash });
    },
    async used({ id, lastUsedAt }) {
      const minute = `${now().toISOString().slice(0, 16)}:00.000Z`;
      if (lastUsedAt === minute) return;
      await database
        .statement(
          "UPDATE api_keys SET last_used_at = :minute WHERE id = :id AND last_used_at IS DISTINCT FROM :minute",
        )
        .run({ id, minute });
    },
    async revoke(id) {
      const { revokedAt } = await get(id);
      if (revokedAt === null) await updateRow(database, "api_keys", id, { revokedAt: now().toISOString() });
      return get(id);
    },
    ...openSignIns(database, now),
  };
}

/** Opens the record of attempts to sign in. */
function openSignIns(database: Database, now: () => Date): Pick<Keys, "recordSignIn" | "signIns"> {
  return {
    async recordSignIn({ outcome, principal, actingAs, keyId, address }) {
      await database.write(async () => {
        const row = await database
          .statement<{ id: number }>(
            `INSERT INTO sign_ins (id, at, outcome, principal, acting_as, key_id, address)
             VALUES ((SELECT coalesce(max(id), 0) + 1 FROM sign_ins), ?, ?, ?, ?, ?, ?) RETURNING id`,
          )
          .get(now().toISOString(), outcome, principal, actingAs, keyId, address);
        await database.statement("DELETE FROM sign_ins WHERE id <= ?").run((row?.id ?? 0) - signInsKept);
      });
    },
    signIns: (limit) =>
      database
        .statement<RecordedSignIn>(
          "SELECT at, outcome, principal, acting_as AS actingAs, key_id AS keyId, address FROM sign_ins ORDER BY id DESC LIMIT ?",
        )
        .all(limit),
  };
}
