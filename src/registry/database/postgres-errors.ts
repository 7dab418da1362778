import { RagctlError } from "../../core/errors.ts";

/** Codes of a connection that is gone. */
const gone = /^(?:08|57P0|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|LOST)/;
/** Server states that pass by themselves: starting up, shutting down. */
const passing = /^(?:57P0[123]|ECONNREFUSED|ECONNRESET|ENOENT|08)/;

/** What `pg` says without a code; the second where all connections of its pool are lent for too long. */
const lostMessage =
  /connection terminated|not queryable|client was closed|read timeout|timeout expired|connection ended/i;
const fullMessage = /timeout exceeded when trying to connect/i;

/** SQLSTATE, a code of Node such as ECONNREFUSED, `LOST`, `FULL`, or "", with the message. */
function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  const first = inner instanceof Error ? inner : error;
  const message = first instanceof Error ? first.message || first.name : String(error);
  const code = first instanceof Error && "code" in first && typeof first.code === "string" ? first.code : "";
  const unsaid = lostMessage.test(message) ? "LOST" : fullMessage.test(message) ? "FULL" : "";
  return { code: code || unsaid, message };
}

/** Whether the connection of a statement is gone. */
export const isConnectionLost = (error: unknown): boolean => gone.test(failureOf(error).code);

/** Whether connecting may succeed later: the server is starting, or restarts where it was `known` before. */
export function isPassing(error: unknown, known: boolean): boolean {
  const { code } = failureOf(error);
  return code === "57P03" || (known && passing.test(code));
}

interface Kind {
  /** SQLSTATE or a code of Node. */
  readonly code: RegExp;
  readonly error: ConstructorParameters<typeof RagctlError>[0];
  /** Completes "the registry host:5432/database …". */
  readonly says: string;
  readonly hint: string;
}

/** The first that fits counts. */
const kinds: readonly Kind[] = [
  {
    code: /^(28|3D000)/,
    error: "CONFIG_INVALID",
    says: "rejected the sign-in",
    hint: "check user, password and database in DATABASE_URL or RAGCTL_REGISTRY_URL",
  },
  {
    code: /^25006/,
    error: "CONFIG_INVALID",
    says: "is read-only",
    hint: "use the primary server, not a standby, and a writable database",
  },
  {
    code: /^42501/,
    error: "CONFIG_INVALID",
    says: "does not grant this user the required privileges",
    hint: "create the schema for it: CREATE SCHEMA ragctl AUTHORIZATION the_user",
  },
  {
    code: /^(55P03|40001|40P01)/,
    error: "REGISTRY_BUSY",
    says: "is being changed by another process",
    hint: "wait for the other ragctl to finish, then run the command again",
  },
  {
    code: /^(57014|FULL)/,
    error: "REGISTRY_BUSY",
    says: "did not answer in time",
    hint: "check the load of the server, then run the command again",
  },
  {
    code: /^53100/,
    error: "DISK_FULL",
    says: "could not be written: the server's disk is full",
    hint: "free some space and run the command again; it continues where it stopped",
  },
  {
    code: /^XX00[12]/,
    error: "REGISTRY_CORRUPT",
    says: "is damaged",
    hint: "restore the database from a backup of the server, or with: ragctl backup restore",
  },
  {
    code: /^(08|53|57P|E[A-Z]|LOST|CERT_|SELF_|DEPTH_|UNABLE_)/,
    error: "REGISTRY_UNAVAILABLE",
    says: "cannot be reached",
    hint: "check that the server is running and that host, port and sslmode in the address are correct",
  },
];

/**
 * An error of PostgreSQL or of the network as one of ours; one of ours is returned as it is. `place` has no
 * password, and nothing of the address is said. `during`: the transaction, if any, that a lost connection cut.
 */
export function toRegistryError(error: unknown, place: string, during?: "change" | "commit"): unknown {
  if (error instanceof RagctlError) return error;
  const { code, message } = failureOf(error);
  // The error of `pg` has the address.
  const cause = new Error(`${code} ${message}`.trim());
  if (during !== undefined && gone.test(code))
    return new RagctlError(
      "REGISTRY_UNAVAILABLE",
      during === "commit"
        ? `the connection to the registry ${place} was lost during a commit: either all of the change was saved, or none`
        : `the connection to the registry ${place} was lost during a change: nothing was saved`,
      { hint: "run the command again; it continues where it stopped", cause },
    );
  const kind = kinds.find((each) => each.code.test(code));
  if (kind !== undefined)
    return new RagctlError(kind.error, `the registry ${place} ${kind.says} (${message})`, {
      hint: kind.hint,
      cause,
    });
  return new RagctlError(
    "INTERNAL",
    `the registry ${place} refused an operation (${code || "?"}: ${message})`,
    {
      hint: "if the server is healthy, please report this as a bug in ragctl",
      cause,
    },
  );
}
