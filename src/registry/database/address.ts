import { isPostgresAddress } from "../../core/address.ts";
import { RagctlError } from "../../core/errors.ts";

/** How the connection is encrypted, as libpq names it. */
const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = (typeof sslModes)[number];

/** A PostgreSQL server and what of it holds the registry. */
export interface PostgresAddress {
  /** A host name or address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Undefined: as libpq, the variable PGUSER or the user of the process. */
  readonly user: string | undefined;
  /** Undefined: as libpq, the variable PGPASSWORD or the file ~/.pgpass. Never shown. */
  readonly password: string | undefined;
  /** Holds the registry's tables and nothing else. Matches ^[a-z_][a-z0-9_]{0,62}$. */
  readonly schema: string;
  readonly sslMode: SslMode;
  /** Paths of PEM files; absent where not given. */
  readonly sslRootCert?: string;
  readonly sslCert?: string;
  readonly sslKey?: string;
  /** How long connecting may take, ms. */
  readonly connectMs: number;
}

/** The schema of an address that names none. */
export const usualSchema = "ragctl";

const known = ["schema", "host", "sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout"] as const;
type Name = (typeof known)[number];

/**
 * Reads `postgresql://user:password@host:port/database?schema=ragctl&sslmode=verify-full`.
 * @throws CONFIG_INVALID, which never shows the address
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isPostgresAddress(text))
    throw invalid("it cannot be parsed; in a password, write @, :, / and # as %40, %3A, %2F and %23");
  const given = parameters(url);
  const database = decoded(url.pathname.slice(1));
  if (database === "") throw invalid("it has no database name");
  const schema = given.get("schema") ?? usualSchema;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_"))
    throw invalid(
      "schema must be up to 63 lowercase letters, digits and underscores, and not begin with pg_",
    );
  return {
    host: given.get("host") ?? (decoded(url.hostname).replace(/^\[|\]$/g, "") || "localhost"),
    port: url.port === "" ? 5432 : Number(url.port),
    database,
    user: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    schema,
    sslMode: sslModeOf(given),
    connectMs: connectMsOf(given),
    ...certificates(given),
  };
}

function sslModeOf(given: ReadonlyMap<Name, string>): SslMode {
  const sslMode = sslModes.find((mode) => mode === (given.get("sslmode") ?? "prefer"));
  if (sslMode === undefined) throw invalid(`sslmode must be one of ${sslModes.join(", ")}`);
  return sslMode;
}

function connectMsOf(given: ReadonlyMap<Name, string>): number {
  const seconds = Number(given.get("connect_timeout") ?? 5);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 60)
    throw invalid("connect_timeout must be a whole number from 1 to 60 (seconds)");
  return seconds * 1000;
}

function parameters(url: URL): ReadonlyMap<Name, string> {
  const given = new Map<Name, string>();
  for (const [name, value] of url.searchParams) {
    const parameter = known.find((each) => each === name);
    if (parameter === undefined)
      throw invalid(
        /pass/i.test(name)
          ? "the password belongs before the host, not in the parameters"
          : `unknown parameter; allowed: ${known.join(", ")}`,
      );
    given.set(parameter, value);
  }
  return given;
}

function certificates(given: ReadonlyMap<Name, string>) {
  const [root, cert, key] = [given.get("sslrootcert"), given.get("sslcert"), given.get("sslkey")];
  return {
    ...(root === undefined ? {} : { sslRootCert: root }),
    ...(cert === undefined ? {} : { sslCert: cert }),
    ...(key === undefined ? {} : { sslKey: key }),
  };
}

/** Server, database and schema, without user and password. */
export function placeOf({ host, port, database, schema }: PostgresAddress): string {
  return `${host.startsWith("/") ? host : `${host}:${port}`}/${database}, schema ${schema}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid("it contains a % that is not followed by two hexadecimal digits");
  }
}

function invalid(reason: string): RagctlError {
  return new RagctlError(
    "CONFIG_INVALID",
    `the address of the registry's PostgreSQL is not valid: ${reason}`,
    {
      hint: "set DATABASE_URL or RAGCTL_REGISTRY_URL to postgresql://user:password@host:5432/database",
    },
  );
}
