import { counted, createdAt, id, nocase, nocaseUnique, nowText, toggle } from "./marks.ts";

/** Agents, tools, providers, principals and permissions. */
export const company = `
/* PostgreSQL:
-- Folds A to Z alone, as SQLite does where it ignores case.
CREATE FUNCTION nocase(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT pg_catalog."lower"($1 COLLATE pg_catalog."C") $$;
-- The members of a JSON array of texts.
CREATE FUNCTION json_each(members text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT pg_catalog.json_array_elements_text($1::pg_catalog.json) $$;
*/

CREATE TABLE agents (
  ${id},
  name TEXT NOT NULL${nocaseUnique} CHECK (name <> ''),
  department TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  capabilities TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(capabilities)),
  provider_config TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(provider_config)),
  ${toggle("status")},
  ${createdAt},
  persona TEXT NOT NULL DEFAULT '',
  guidelines TEXT NOT NULL DEFAULT ''
) STRICT;
/* PostgreSQL: CREATE UNIQUE INDEX agents_key ON agents (lower(name)); */

CREATE TABLE tools (
  ${id},
  name TEXT NOT NULL${nocaseUnique} CHECK (name <> ''),
  type TEXT NOT NULL,
  config TEXT NOT NULL CHECK (json_valid(config)),
  permissions TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(permissions)),
  ${toggle("status")},
  ${createdAt}
) STRICT;
/* PostgreSQL: CREATE UNIQUE INDEX tools_key ON tools (lower(name)); */

CREATE TABLE agent_tools (
  agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  tool_id TEXT NOT NULL REFERENCES tools (id) ON DELETE CASCADE,
  priority INTEGER NOT NULL DEFAULT 0,
  ${toggle("is_enabled")},
  PRIMARY KEY (agent_id, tool_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE provider_configs (
  ${id},
  component_type TEXT NOT NULL CHECK (component_type IN ('reflection', 'semantic_router', 'llm')),
  provider_name TEXT NOT NULL${nocase},
  config TEXT NOT NULL CHECK (json_valid(config)),
  ${toggle("is_active")},
  ${createdAt}
  /* SQLite */, UNIQUE (component_type, provider_name)/* end */
) STRICT;
/* PostgreSQL: CREATE UNIQUE INDEX provider_configs_key ON provider_configs (component_type, lower(provider_name)); */

CREATE TABLE principals (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  name TEXT NOT NULL${nocaseUnique} CHECK (name <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('owner', 'person', 'service')),
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  created_at TEXT NOT NULL,
  roots TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(roots))
) STRICT;
/* PostgreSQL: CREATE UNIQUE INDEX principals_key ON principals (lower(name)); */
CREATE UNIQUE INDEX one_owner ON principals (kind) WHERE kind = 'owner';

/* SQLite */
INSERT INTO principals (id, name, kind, created_at)
SELECT lower(substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 14, 3) || '-a' || substr(h, 18, 3) || '-' || substr(h, 21, 12)),
  'owner', 'owner', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
FROM (SELECT hex(randomblob(16)) AS h);
/* end */
/* PostgreSQL: INSERT INTO principals (id, name, kind, created_at) VALUES (gen_random_uuid()::text, 'owner', 'owner', ${nowText}); */

CREATE TABLE principal_departments (
  principal_id TEXT NOT NULL REFERENCES principals (id) ON DELETE CASCADE,
  department TEXT NOT NULL CHECK (department <> ''),
  PRIMARY KEY (principal_id, department)
) STRICT, WITHOUT ROWID;

CREATE TABLE permissions (
  ${id},
  subject_kind TEXT NOT NULL /* PostgreSQL: DEFAULT 'department' */ CHECK (subject_kind IN ('department', 'principal')),
  subject TEXT NOT NULL${nocase} CHECK (subject <> ''),
  effect TEXT NOT NULL /* PostgreSQL: DEFAULT 'allow' */ CHECK (effect IN ('allow', 'deny')),
  resource_kind TEXT NOT NULL /* PostgreSQL: DEFAULT 'collection' */ CHECK (resource_kind IN ('collection', 'agent', 'tool', 'room')),
  resource TEXT NOT NULL${nocase} CHECK (resource <> ''),
  instance TEXT NOT NULL DEFAULT '' CHECK (instance IN ('', 'public', 'private')),
  level TEXT NOT NULL DEFAULT 'read' CHECK (level IN ('read', 'write', 'admin')),
  ${createdAt}
  /* SQLite */, UNIQUE (subject_kind, subject, effect, resource_kind, resource, instance)/* end */
) STRICT;
/* PostgreSQL: CREATE UNIQUE INDEX permissions_key ON permissions (subject_kind, lower(subject), effect, resource_kind, lower(resource), instance); */

CREATE VIEW collection_permissions AS
SELECT id, subject AS department, resource AS collection_name, instance AS milvus_instance, level AS access_level, created_at
FROM permissions WHERE subject_kind = 'department' AND effect = 'allow' AND resource_kind = 'collection';

-- What the seed file has brought once, so that what an operator removed stays removed.
CREATE TABLE seeded (
  section TEXT NOT NULL,
  name TEXT NOT NULL${nocase},
  seeded_at TEXT NOT NULL
  /* SQLite */, PRIMARY KEY (section, name)/* end */
) STRICT, WITHOUT ROWID;
/* PostgreSQL: CREATE UNIQUE INDEX seeded_key ON seeded (section, lower(name)); */

-- What collections are for.
CREATE TABLE collection_profiles (
  name TEXT PRIMARY KEY CHECK (name <> ''),
  instance TEXT NOT NULL CHECK (instance IN ('public', 'private')),
  department TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE decisions (
  id INTEGER PRIMARY KEY${counted},
  decided_at TEXT NOT NULL,
  run_id TEXT NOT NULL,
  principal TEXT NOT NULL${nocase},
  agent TEXT NOT NULL DEFAULT '',
  action TEXT NOT NULL CHECK (action IN ('read', 'write', 'admin')),
  resource_kind TEXT NOT NULL CHECK (resource_kind IN ('collection', 'agent', 'tool', 'room', 'folder')),
  resource TEXT NOT NULL,
  instance TEXT NOT NULL DEFAULT '',
  effect TEXT NOT NULL CHECK (effect IN ('allow', 'deny')),
  rule TEXT NOT NULL,
  reason TEXT NOT NULL,
  grant_id TEXT
) STRICT;

-- Keys by which principals sign in to a server, as slow hashes.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY CHECK (length(id) = 12),
  principal_id TEXT NOT NULL REFERENCES principals (id) ON DELETE CASCADE,
  label TEXT NOT NULL DEFAULT '',
  may_impersonate INTEGER NOT NULL DEFAULT 0 CHECK (may_impersonate IN (0, 1)),
  salt BLOB NOT NULL,
  hash BLOB NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE INDEX api_keys_by_principal ON api_keys (principal_id);

-- What was tried at its door.
CREATE TABLE sign_ins (
  id INTEGER PRIMARY KEY${counted},
  at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('signed-in', 'refused', 'locked-out', 'acting-as')),
  principal TEXT NOT NULL DEFAULT ''${nocase},
  acting_as TEXT NOT NULL DEFAULT ''${nocase},
  key_id TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT ''
) STRICT;
`;
