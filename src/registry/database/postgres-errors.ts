import { RagctlError } from "../../core/errors.ts";
import type { WorkerFailure } from "./postgres-protocol.ts";

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
    code: /^57014/,
    error: "REGISTRY_BUSY",
    says: "did not complete a statement in time",
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
 * A failure of PostgreSQL as one of our errors. `place` has no password, and nothing of the address is said.
 */
export function toRegistryError(
  failure: WorkerFailure,
  place: string,
  during: "statement" | "commit",
): RagctlError {
  const { code, message, within } = failure;
  const cause = new Error(`${code} ${message}`.trim());
  if (within)
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
