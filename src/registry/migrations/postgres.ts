/** Number of migrations that `baseline` stands for: those before PostgreSQL could hold the registry. */
export const baselineVersion = 12;

/**
 * What the first twelve migrations make, for PostgreSQL; later ones are translated as they are (see
 * database/dialect.ts). A test holds the two against each other. Text is compared and sorted by its bytes, as
 * SQLite does; `jobs.rowid` is SQLite's own, the order in which jobs came.
 */
export const baseline = `
-- Folds A to Z alone, as lower() and NOCASE of SQLite do.
CREATE FUNCTION nocase(TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT pg_catalog.lower($1 COLLATE pg_catalog."C") $$;
-- The members of a JSON array of texts.
CREATE FUNCTION json_each(members TEXT) RETURNS TABLE (value TEXT) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT pg_catalog.json_array_elements_text($1::pg_catalog.json) $$;

CREATE TABLE agents (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
  name TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
  department TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL DEFAULT '',
  capabilities TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (capabilities::json IS NOT NULL),
  provider_config TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (provider_config::json IS NOT NULL),
  status BIGINT NOT NULL DEFAULT 1 CHECK (status IN (0, 1)),
  created_at TEXT COLLATE "C" NOT NULL,
  persona TEXT COLLATE "C" NOT NULL DEFAULT '',
  guidelines TEXT COLLATE "C" NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX agents_key ON agents (nocase(name));

CREATE TABLE tools (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
  name TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
  type TEXT COLLATE "C" NOT NULL,
  config TEXT COLLATE "C" NOT NULL CHECK (config::json IS NOT NULL),
  permissions TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (permissions::json IS NOT NULL),
  status BIGINT NOT NULL DEFAULT 1 CHECK (status IN (0, 1)),
  created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX tools_key ON tools (nocase(name));

CREATE TABLE agent_tools (
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  tool_id TEXT COLLATE "C" NOT NULL REFERENCES tools (id) ON DELETE CASCADE,
  priority BIGINT NOT NULL DEFAULT 0,
  is_enabled BIGINT NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  PRIMARY KEY (agent_id, tool_id)
);

CREATE TABLE provider_configs (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
  component_type TEXT COLLATE "C" NOT NULL CHECK (component_type IN ('reflection', 'semantic_router', 'llm')),
  provider_name TEXT COLLATE "C" NOT NULL,
  config TEXT COLLATE "C" NOT NULL CHECK (config::json IS NOT NULL),
  is_active BIGINT NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX provider_configs_key ON provider_configs (component_type, nocase(provider_name));

CREATE TABLE collections (
  name TEXT COLLATE "C" PRIMARY KEY,
  instance TEXT COLLATE "C" NOT NULL CHECK (instance IN ('public', 'private')),
  fingerprint TEXT COLLATE "C" NOT NULL,
  embedder TEXT COLLATE "C" NOT NULL,
  dimensions BIGINT NOT NULL CHECK (dimensions > 0),
  lexical TEXT COLLATE "C" NOT NULL CHECK (lexical IN ('sparse', 'bm25')),
  created_at TEXT COLLATE "C" NOT NULL,
  store_name TEXT COLLATE "C" NOT NULL DEFAULT ''
);

CREATE TABLE documents (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 16),
  collection TEXT COLLATE "C" NOT NULL,
  instance TEXT COLLATE "C" NOT NULL CHECK (instance IN ('public', 'private')),
  path TEXT COLLATE "C" NOT NULL,
  last_version BIGINT NOT NULL DEFAULT 0,
  created_at TEXT COLLATE "C" NOT NULL,
  UNIQUE (collection, path)
);
CREATE INDEX documents_by_path ON documents (path);

CREATE TABLE document_versions (
  version_id TEXT COLLATE "C" PRIMARY KEY CHECK (length(version_id) = 20),
  document_id TEXT COLLATE "C" NOT NULL REFERENCES documents (id),
  version BIGINT NOT NULL CHECK (version > 0),
  is_latest BIGINT NOT NULL DEFAULT 0 CHECK (is_latest IN (0, 1)),
  sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
  fingerprint TEXT COLLATE "C" NOT NULL,
  department TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  format TEXT COLLATE "C" NOT NULL,
  size_bytes BIGINT NOT NULL DEFAULT 0,
  title TEXT COLLATE "C" NOT NULL DEFAULT '',
  pages BIGINT NOT NULL DEFAULT 0,
  chunks BIGINT NOT NULL DEFAULT 0,
  tokens BIGINT NOT NULL DEFAULT 0,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'ready', 'superseded', 'deleting')),
  reason TEXT COLLATE "C" NOT NULL DEFAULT '',
  owner TEXT COLLATE "C" NOT NULL DEFAULT '',
  ingested_at TEXT COLLATE "C" NOT NULL,
  content_id TEXT COLLATE "C" NOT NULL DEFAULT '',
  omitted TEXT COLLATE "C" NOT NULL DEFAULT '',
  UNIQUE (document_id, version),
  CHECK ((is_latest = 1) = (state = 'ready'))
);
CREATE UNIQUE INDEX one_latest ON document_versions (document_id) WHERE is_latest = 1;
CREATE INDEX versions_by_name ON document_versions (name) WHERE is_latest = 1;
CREATE INDEX versions_by_state ON document_versions (state) WHERE state <> 'ready';

CREATE TABLE ingest_runs (
  id TEXT COLLATE "C" PRIMARY KEY,
  started_at TEXT COLLATE "C" NOT NULL,
  duration_ms DOUBLE PRECISION NOT NULL,
  collection TEXT COLLATE "C" NOT NULL,
  department TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
  error TEXT COLLATE "C" CHECK (error IS NULL OR error::json IS NOT NULL),
  counts TEXT COLLATE "C" NOT NULL CHECK (counts::json IS NOT NULL),
  files TEXT COLLATE "C" NOT NULL CHECK (files::json IS NOT NULL),
  model TEXT COLLATE "C" NOT NULL,
  provider TEXT COLLATE "C" NOT NULL,
  peak_rss_bytes BIGINT NOT NULL,
  program_version TEXT COLLATE "C" NOT NULL,
  principal TEXT COLLATE "C" NOT NULL DEFAULT 'owner'
);
CREATE INDEX ingest_runs_by_time ON ingest_runs (started_at);

CREATE TABLE ask_runs (
  id TEXT COLLATE "C" PRIMARY KEY,
  started_at TEXT COLLATE "C" NOT NULL,
  duration_ms DOUBLE PRECISION NOT NULL,
  question TEXT COLLATE "C" NOT NULL,
  response TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
  error TEXT COLLATE "C" CHECK (error IS NULL OR error::json IS NOT NULL),
  verdict TEXT COLLATE "C" NOT NULL CHECK (verdict::json IS NOT NULL),
  citations TEXT COLLATE "C" NOT NULL CHECK (citations::json IS NOT NULL),
  facts TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (facts::json IS NOT NULL),
  model TEXT COLLATE "C" NOT NULL,
  provider TEXT COLLATE "C" NOT NULL,
  peak_rss_bytes BIGINT NOT NULL,
  program_version TEXT COLLATE "C" NOT NULL,
  principal TEXT COLLATE "C" NOT NULL DEFAULT 'owner',
  replay TEXT COLLATE "C" CHECK (replay IS NULL OR replay::json IS NOT NULL)
);
CREATE INDEX ask_runs_by_time ON ask_runs (started_at);

CREATE TABLE phase_metrics (
  run_id TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  phase TEXT COLLATE "C" NOT NULL,
  duration_ms DOUBLE PRECISION NOT NULL,
  counts TEXT COLLATE "C" NOT NULL CHECK (counts::json IS NOT NULL),
  PRIMARY KEY (run_id, position)
);

CREATE TABLE principals (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
  name TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('owner', 'person', 'service')),
  enabled BIGINT NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  created_at TEXT COLLATE "C" NOT NULL,
  roots TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (roots::json IS NOT NULL)
);
CREATE UNIQUE INDEX principals_key ON principals (nocase(name));
CREATE UNIQUE INDEX one_owner ON principals (kind) WHERE kind = 'owner';

CREATE TABLE principal_departments (
  principal_id TEXT COLLATE "C" NOT NULL REFERENCES principals (id) ON DELETE CASCADE,
  department TEXT COLLATE "C" NOT NULL CHECK (department <> ''),
  PRIMARY KEY (principal_id, department)
);

CREATE TABLE permissions (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
  subject_kind TEXT COLLATE "C" NOT NULL CHECK (subject_kind IN ('department', 'principal')),
  subject TEXT COLLATE "C" NOT NULL CHECK (subject <> ''),
  effect TEXT COLLATE "C" NOT NULL CHECK (effect IN ('allow', 'deny')),
  resource_kind TEXT COLLATE "C" NOT NULL CHECK (resource_kind IN ('collection', 'agent', 'tool', 'room')),
  resource TEXT COLLATE "C" NOT NULL CHECK (resource <> ''),
  instance TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (instance IN ('', 'public', 'private')),
  level TEXT COLLATE "C" NOT NULL DEFAULT 'read' CHECK (level IN ('read', 'write', 'admin')),
  created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX permissions_key ON permissions (subject_kind, nocase(subject), effect, resource_kind, nocase(resource), instance);

CREATE VIEW collection_permissions AS
SELECT id, subject AS department, resource AS collection_name, instance AS milvus_instance, level AS access_level, created_at
FROM permissions WHERE subject_kind = 'department' AND effect = 'allow' AND resource_kind = 'collection';
CREATE INDEX versions_by_content ON document_versions (content_id);
CREATE INDEX versions_by_hash ON document_versions (sha256);

CREATE TABLE version_log (
  document_id TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL CHECK (version > 0),
  version_id TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  size_bytes BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  path TEXT COLLATE "C" NOT NULL,
  pages BIGINT NOT NULL,
  chunks BIGINT NOT NULL,
  origin TEXT COLLATE "C" NOT NULL CHECK (origin IN ('ingest', 'restore')),
  at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (document_id, version)
);

CREATE TABLE seen_files (
  collection TEXT COLLATE "C" NOT NULL,
  path TEXT COLLATE "C" NOT NULL,
  size_bytes BIGINT NOT NULL,
  mtime_ms DOUBLE PRECISION NOT NULL,
  inode TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  outcome TEXT COLLATE "C" NOT NULL CHECK (outcome IN ('ready', 'failed', 'skipped')),
  code TEXT COLLATE "C" NOT NULL DEFAULT '',
  reason TEXT COLLATE "C" NOT NULL DEFAULT '',
  seen_at_ms DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (collection, path)
);

CREATE TABLE sources (
  folder TEXT COLLATE "C" NOT NULL,
  collection TEXT COLLATE "C" NOT NULL,
  instance TEXT COLLATE "C" NOT NULL CHECK (instance IN ('public', 'private')),
  department TEXT COLLATE "C" NOT NULL DEFAULT '',
  include TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (include::json IS NOT NULL),
  exclude TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (exclude::json IS NOT NULL),
  created_at TEXT COLLATE "C" NOT NULL,
  synced_at TEXT COLLATE "C",
  PRIMARY KEY (folder, collection)
);

CREATE TABLE collection_stores (
  store_name TEXT COLLATE "C" PRIMARY KEY,
  collection TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  embedder TEXT COLLATE "C" NOT NULL,
  dimensions BIGINT NOT NULL CHECK (dimensions > 0),
  lexical TEXT COLLATE "C" NOT NULL CHECK (lexical IN ('sparse', 'bm25')),
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('building', 'previous', 'dropping')),
  scope TEXT COLLATE "C" NOT NULL CHECK (scope IN ('latest', 'all')),
  owner TEXT COLLATE "C" NOT NULL DEFAULT '',
  created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX one_store_a_state ON collection_stores (collection, state) WHERE state <> 'dropping';

CREATE TABLE store_contents (
  store_name TEXT COLLATE "C" NOT NULL REFERENCES collection_stores (store_name) ON DELETE CASCADE,
  content_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (store_name, content_id)
);

CREATE TABLE jobs (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
  rowid BIGINT GENERATED ALWAYS AS IDENTITY,
  document_path TEXT COLLATE "C" NOT NULL,
  department TEXT COLLATE "C" NOT NULL,
  target_collection TEXT COLLATE "C" NOT NULL,
  instance TEXT COLLATE "C" NOT NULL CHECK (instance IN ('public', 'private')),
  principal TEXT COLLATE "C" NOT NULL,
  priority BIGINT NOT NULL DEFAULT 0,
  queued_at TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'dead', 'cancelled')),
  attempts BIGINT NOT NULL DEFAULT 0,
  not_before_ms DOUBLE PRECISION NOT NULL DEFAULT 0,
  worker TEXT COLLATE "C" NOT NULL DEFAULT '',
  lease_until_ms DOUBLE PRECISION NOT NULL DEFAULT 0,
  started_at TEXT COLLATE "C",
  ended_at TEXT COLLATE "C",
  error TEXT COLLATE "C" CHECK (error IS NULL OR error::json IS NOT NULL),
  progress TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (progress::json IS NOT NULL)
);
CREATE INDEX jobs_to_do ON jobs (priority DESC, queued_at) WHERE state IN ('waiting', 'running');

CREATE TABLE chat_rooms (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
  name TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
  visibility TEXT COLLATE "C" NOT NULL CHECK (visibility IN ('public', 'private')),
  created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX chat_rooms_key ON chat_rooms (nocase(name));

CREATE TABLE chat_messages (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
  room_id TEXT COLLATE "C" NOT NULL REFERENCES chat_rooms (id) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  author TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL CHECK (type IN ('user', 'assistant')),
  content TEXT COLLATE "C" NOT NULL,
  citations TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (citations::json IS NOT NULL),
  created_at TEXT COLLATE "C" NOT NULL,
  sources TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (sources::json IS NOT NULL),
  UNIQUE (room_id, position)
);

CREATE TABLE seeded (
  section TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  seeded_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX seeded_key ON seeded (section, nocase(name));

CREATE TABLE collection_profiles (
  name TEXT COLLATE "C" PRIMARY KEY CHECK (name <> ''),
  instance TEXT COLLATE "C" NOT NULL CHECK (instance IN ('public', 'private')),
  department TEXT COLLATE "C" NOT NULL DEFAULT '',
  description TEXT COLLATE "C" NOT NULL DEFAULT '',
  created_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE decisions (
  id BIGINT PRIMARY KEY,
  decided_at TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" NOT NULL,
  principal TEXT COLLATE "C" NOT NULL,
  agent TEXT COLLATE "C" NOT NULL DEFAULT '',
  action TEXT COLLATE "C" NOT NULL CHECK (action IN ('read', 'write', 'admin')),
  resource_kind TEXT COLLATE "C" NOT NULL CHECK (resource_kind IN ('collection', 'agent', 'tool', 'room', 'folder')),
  resource TEXT COLLATE "C" NOT NULL,
  instance TEXT COLLATE "C" NOT NULL DEFAULT '',
  effect TEXT COLLATE "C" NOT NULL CHECK (effect IN ('allow', 'deny')),
  rule TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  grant_id TEXT COLLATE "C"
);

CREATE TABLE api_keys (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 12),
  principal_id TEXT COLLATE "C" NOT NULL REFERENCES principals (id) ON DELETE CASCADE,
  label TEXT COLLATE "C" NOT NULL DEFAULT '',
  may_impersonate BIGINT NOT NULL DEFAULT 0 CHECK (may_impersonate IN (0, 1)),
  salt BYTEA NOT NULL,
  hash BYTEA NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  last_used_at TEXT COLLATE "C",
  revoked_at TEXT COLLATE "C"
);
CREATE INDEX api_keys_by_principal ON api_keys (principal_id);

CREATE TABLE sign_ins (
  id BIGINT PRIMARY KEY,
  at TEXT COLLATE "C" NOT NULL,
  outcome TEXT COLLATE "C" NOT NULL CHECK (outcome IN ('signed-in', 'refused', 'locked-out', 'acting-as')),
  principal TEXT COLLATE "C" NOT NULL DEFAULT '',
  acting_as TEXT COLLATE "C" NOT NULL DEFAULT '',
  key_id TEXT COLLATE "C" NOT NULL DEFAULT '',
  address TEXT COLLATE "C" NOT NULL DEFAULT ''
);

INSERT INTO principals (id, name, kind, created_at)
VALUES (gen_random_uuid()::text, 'owner', 'owner', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
`;
