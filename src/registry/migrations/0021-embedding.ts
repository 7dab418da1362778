/** Lets a provider serve the component `embedding`. SQLite cannot change a check, so the table is rebuilt. */
export const sql = `
/* SQLite */
CREATE TABLE provider_configs_with_embedding (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  component_type TEXT NOT NULL CHECK (component_type IN ('reflection', 'semantic_router', 'llm', 'embedding')),
  provider_name TEXT NOT NULL COLLATE NOCASE,
  config TEXT NOT NULL CHECK (json_valid(config)),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  created_at TEXT NOT NULL,
  UNIQUE (component_type, provider_name)
) STRICT;
INSERT INTO provider_configs_with_embedding SELECT * FROM provider_configs;
DROP TABLE provider_configs;
ALTER TABLE provider_configs_with_embedding RENAME TO provider_configs;
/* end */
/* PostgreSQL:
ALTER TABLE provider_configs DROP CONSTRAINT provider_configs_component_type_check,
  ADD CONSTRAINT provider_configs_component_type_check
  CHECK (component_type IN ('reflection', 'semantic_router', 'llm', 'embedding'));
*/
`;
