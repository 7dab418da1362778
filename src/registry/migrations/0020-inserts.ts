/**
 * Lets people insert rows on a PostgreSQL server by hand: what a row may leave out has a default, switches are
 * booleans, and a rule can be written through its view. A file of SQLite is the owner's alone and stays as it is.
 */
export const sql = `
/* PostgreSQL:
ALTER TABLE agents DROP CONSTRAINT agents_status_check, ALTER COLUMN status DROP DEFAULT,
  ALTER COLUMN status TYPE BOOLEAN USING status = 1, ALTER COLUMN status SET DEFAULT true,
  ALTER COLUMN id SET DEFAULT gen_random_uuid()::text, ALTER COLUMN created_at SET DEFAULT now_text();
ALTER TABLE tools DROP CONSTRAINT tools_status_check, ALTER COLUMN status DROP DEFAULT,
  ALTER COLUMN status TYPE BOOLEAN USING status = 1, ALTER COLUMN status SET DEFAULT true,
  ALTER COLUMN id SET DEFAULT gen_random_uuid()::text, ALTER COLUMN created_at SET DEFAULT now_text();
ALTER TABLE agent_tools DROP CONSTRAINT agent_tools_is_enabled_check, ALTER COLUMN is_enabled DROP DEFAULT,
  ALTER COLUMN is_enabled TYPE BOOLEAN USING is_enabled = 1, ALTER COLUMN is_enabled SET DEFAULT true;
ALTER TABLE provider_configs DROP CONSTRAINT provider_configs_is_active_check, ALTER COLUMN is_active DROP DEFAULT,
  ALTER COLUMN is_active TYPE BOOLEAN USING is_active = 1, ALTER COLUMN is_active SET DEFAULT true,
  ALTER COLUMN id SET DEFAULT gen_random_uuid()::text, ALTER COLUMN created_at SET DEFAULT now_text();
ALTER TABLE permissions ALTER COLUMN subject_kind SET DEFAULT 'department', ALTER COLUMN effect SET DEFAULT 'allow',
  ALTER COLUMN resource_kind SET DEFAULT 'collection',
  ALTER COLUMN id SET DEFAULT gen_random_uuid()::text, ALTER COLUMN created_at SET DEFAULT now_text();
*/
`.replaceAll("now_text()", `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
