import { RagctlError } from "../../core/errors.ts";
import { type DatabaseOptions, pendingMigrations, schemaVersion } from "../database.ts";
import { usualSchema } from "./address.ts";
import { translateMigration } from "./dialect.ts";

export interface PostgresOptions extends DatabaseOptions {
  /** How long one statement may take, ms. Default 60 000. */
  readonly statementTimeoutMs?: number;
}

/** Runs PostgreSQL's own SQL, to create and check the schema. */
export interface Script {
  rows<Row>(text: string): Promise<readonly Row[]>;
  /** Several statements. */
  run(text: string): Promise<unknown>;
  /** All of it or nothing, with every other writer of the registry excluded. */
  write<T>(work: () => Promise<T>): Promise<T>;
}

interface SchemaOptions extends Omit<PostgresOptions, "busyTimeoutMs" | "statementTimeoutMs"> {
  readonly schema: string;
  readonly place: string;
}

interface Mark {
  readonly application_id: number;
  readonly version: number;
}

const markTable = "ragctl_schema";
const otherSchema = "schema: ?schema=name at the end of the address";

/**
 * Makes the schema, or brings it up to date, in one transaction that excludes every other writer of it.
 * @throws CONFIG_INVALID for a schema that is newer, half-made, or of another program
 */
export async function migrate(script: Script, options: SchemaOptions): Promise<void> {
  if (await isCurrent(script, options)) return;
  await script.write(async () => {
    // The previous holder of the lock may have applied everything.
    if (await isCurrent(script, options)) return;
    const { schema, place, applicationId } = options;
    await script.run("SET LOCAL statement_timeout = 0");
    const version = (await markOf(script, schema))?.version ?? 0;
    if (version === 0) await makeSchema(script, options);
    for (const sql of pendingMigrations(options, place, version, otherSchema))
      await script.run(translateMigration(sql));
    await script.run(
      `DELETE FROM ${markTable}; INSERT INTO ${markTable} (application_id, version) VALUES (${applicationId}, ${schemaVersion(options)})`,
    );
  });
}

/** @throws CONFIG_INVALID for a schema that does not belong to ragctl */
async function isCurrent(script: Script, options: SchemaOptions): Promise<boolean> {
  const { schema, place, applicationId } = options;
  const mark = await markOf(script, schema);
  if (mark === undefined) return false;
  if (mark.application_id !== applicationId) throw foreign(options);
  return pendingMigrations(options, place, mark.version, otherSchema).length === 0;
}

async function markOf(script: Script, schema: string): Promise<Mark | undefined> {
  const [table] = await script.rows<{ there: number }>(
    `SELECT to_regclass('"${schema}".${markTable}') IS NOT NULL AS there`,
  );
  if (table?.there !== 1) return undefined;
  return (await script.rows<Mark>(`SELECT application_id, version FROM "${schema}".${markTable}`))[0];
}

/** @throws CONFIG_INVALID for a schema that holds anything */
async function makeSchema(script: Script, options: SchemaOptions): Promise<void> {
  const { schema } = options;
  const [found] = await script.rows<{ schemas: number; objects: number }>(
    `SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = '${schema}') AS schemas,
       (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${schema}') AS objects`,
  );
  if ((found?.objects ?? 0) > 0) throw foreign(options);
  // Only where it is missing: a role without the right to create schemas may use one created for it.
  if (found?.schemas === 0) await script.run(`CREATE SCHEMA "${schema}"`);
  await script.run(`CREATE TABLE ${markTable} (application_id BIGINT NOT NULL, version BIGINT NOT NULL)`);
  if (schema === usualSchema) await script.run(findTables);
}

/** Lets the user find the tables by their names alone, as in `psql`; other databases of it stay as they are. */
const findTables = `DO $$ BEGIN
  EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET search_path = ${usualSchema}, "$user", public', current_database());
END $$`;

function foreign({ place, name }: SchemaOptions): RagctlError {
  return new RagctlError(
    "CONFIG_INVALID",
    `${place}, contains tables that are not a complete ragctl ${name}`,
    { hint: "use an empty or new schema: ?schema=name at the end of the address" },
  );
}

/** All tables and views. */
export async function relationsOf(script: Script, schema: string): Promise<readonly string[]> {
  const relations = await script.rows<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = '${schema}' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
  );
  return relations.map(({ name }) => name);
}

/** The tables whose changes are noted. */
export async function trackedTables(script: Script, schema: string): Promise<readonly string[]> {
  return (await notesOf(script, schema)).flatMap(({ name, is_on }) => (is_on ? [name] : []));
}

/** The tables with a note, and whether a trigger keeps it. */
const notesOf = (
  script: Script,
  schema: string,
): Promise<readonly { readonly name: string; readonly is_on: 0 | 1 }[]> =>
  script.rows(
    `SELECT name, EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = to_regclass('"${schema}".' || quote_ident(name))
       AND t.tgname = 'ragctl_changed' AND t.tgenabled IN ('O', 'A')) AS is_on FROM ragctl_changes`,
  );

/**
 * Indexes that are not usable, and triggers that are off; a table that is missing fails the statement that wants
 * it.
 */
export async function schemaProblems(script: Script, schema: string): Promise<readonly string[]> {
  const indexes = await script.rows<{ name: string }>(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = '${schema}' AND NOT i.indisvalid`,
  );
  const off = (await notesOf(script, schema)).filter(({ is_on }) => is_on === 0);
  return [
    ...indexes.map(({ name }) => `the index ${name} is not valid`),
    ...off.map(({ name }) => `the trigger ragctl_changed of ${name} is missing or disabled`),
  ];
}
