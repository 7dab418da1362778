/** What questions read; a change notes its transaction once, whoever makes it. */
const watched = [
  "agents",
  "tools",
  "agent_tools",
  "provider_configs",
  "principals",
  "principal_departments",
  "permissions",
  "api_keys",
  "collection_profiles",
  "collections",
  "documents",
  "document_versions",
  "collection_stores",
  "store_contents",
  "sources",
];

/** Notes on a server which transaction changed a table last, so that what was read of it can be kept. */
export const sql = `
/* PostgreSQL:
CREATE TABLE ragctl_changes (name text PRIMARY KEY, changed_by bigint NOT NULL);
INSERT INTO ragctl_changes VALUES ${watched.map((name) => `('${name}', 0)`).join(", ")};
CREATE FUNCTION ragctl_note_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
  AS $$ BEGIN
    EXECUTE format('UPDATE %I.ragctl_changes SET changed_by = pg_current_xact_id()::text::bigint
      WHERE name = %L AND changed_by <> pg_current_xact_id()::text::bigint', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    RETURN NULL;
  END $$;
${watched
  .map(
    (name) => `CREATE TRIGGER ragctl_changed AFTER UPDATE OR DELETE OR TRUNCATE OR INSERT ON ${name}
  FOR EACH STATEMENT EXECUTE FUNCTION ragctl_note_change();`,
  )
  .join("\n")}
*/
`;
