/** The five tables of who may do what, documents with their versions, and what happened. */
export const sql = `
CREATE TABLE agents (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  name TEXT NOT NULL COLLATE NOCASE UNIQUE CHECK (name <> ''),
  department TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  capabilities TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(capabilities)),
  provider_config TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(provider_config)),
  status INTEGER NOT NULL DEFAULT 1 CHECK (status IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE tools (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  name TEXT NOT NULL COLLATE NOCASE UNIQUE CHECK (name <> ''),
  type TEXT NOT NULL,
  config TEXT NOT NULL CHECK (json_valid(config)),
  permissions TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(permissions)),
  status INTEGER NOT NULL DEFAULT 1 CHECK (status IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE agent_tools (
  agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  tool_id TEXT NOT NULL REFERENCES tools (id) ON DELETE CASCADE,
  priority INTEGER NOT NULL DEFAULT 0,
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  PRIMARY KEY (agent_id, tool_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE provider_configs (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  component_type TEXT NOT NULL CHECK (component_type IN ('reflection', 'semantic_router', 'llm')),
  provider_name TEXT NOT NULL COLLATE NOCASE,
  config TEXT NOT NULL CHECK (json_valid(config)),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  created_at TEXT NOT NULL,
  UNIQUE (component_type, provider_name)
) STRICT;

CREATE TABLE collection_permissions (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  department TEXT NOT NULL,
  collection_name TEXT NOT NULL,
  milvus_instance TEXT NOT NULL CHECK (milvus_instance IN ('public', 'private')),
  access_level TEXT NOT NULL DEFAULT 'read' CHECK (access_level IN ('read', 'write', 'admin')),
  created_at TEXT NOT NULL,
  UNIQUE (department, collection_name, milvus_instance)
) STRICT;

CREATE TABLE collections (
  name TEXT PRIMARY KEY,
  instance TEXT NOT NULL CHECK (instance IN ('public', 'private')),
  fingerprint TEXT NOT NULL,
  embedder TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  lexical TEXT NOT NULL CHECK (lexical IN ('sparse', 'bm25')),
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE documents (
  id TEXT PRIMARY KEY CHECK (length(id) = 16),
  collection TEXT NOT NULL,
  instance TEXT NOT NULL CHECK (instance IN ('public', 'private')),
  path TEXT NOT NULL,
  last_version INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  UNIQUE (collection, path)
) STRICT;
CREATE INDEX documents_by_path ON documents (path);

CREATE TABLE document_versions (
  version_id TEXT PRIMARY KEY CHECK (length(version_id) = 20),
  document_id TEXT NOT NULL REFERENCES documents (id),
  version INTEGER NOT NULL CHECK (version > 0),
  is_latest INTEGER NOT NULL DEFAULT 0 CHECK (is_latest IN (0, 1)),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  fingerprint TEXT NOT NULL,
  department TEXT NOT NULL,
  name TEXT NOT NULL,
  format TEXT NOT NULL,
  size_bytes INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL DEFAULT '',
  pages INTEGER NOT NULL DEFAULT 0,
  chunks INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL CHECK (state IN ('pending', 'ready', 'superseded', 'deleting')),
  reason TEXT NOT NULL DEFAULT '',
  owner TEXT NOT NULL DEFAULT '',
  ingested_at TEXT NOT NULL,
  UNIQUE (document_id, version),
  CHECK (is_latest = (state = 'ready'))
) STRICT;
CREATE UNIQUE INDEX one_latest ON document_versions (document_id) WHERE is_latest = 1;
CREATE INDEX versions_by_name ON document_versions (name) WHERE is_latest = 1;
CREATE INDEX versions_by_state ON document_versions (state) WHERE state <> 'ready';

CREATE TABLE ingest_runs (
  id TEXT PRIMARY KEY,
  started_at TEXT NOT NULL,
  duration_ms REAL NOT NULL,
  collection TEXT NOT NULL,
  department TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
  error TEXT CHECK (error IS NULL OR json_valid(error)),
  counts TEXT NOT NULL CHECK (json_valid(counts)),
  files TEXT NOT NULL CHECK (json_valid(files)),
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  peak_rss_bytes INTEGER NOT NULL,
  program_version TEXT NOT NULL
) STRICT;
CREATE INDEX ingest_runs_by_time ON ingest_runs (started_at);

CREATE TABLE ask_runs (
  id TEXT PRIMARY KEY,
  started_at TEXT NOT NULL,
  duration_ms REAL NOT NULL,
  question TEXT NOT NULL,
  response TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
  error TEXT CHECK (error IS NULL OR json_valid(error)),
  verdict TEXT NOT NULL CHECK (json_valid(verdict)),
  citations TEXT NOT NULL CHECK (json_valid(citations)),
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  peak_rss_bytes INTEGER NOT NULL,
  program_version TEXT NOT NULL
) STRICT;
CREATE INDEX ask_runs_by_time ON ask_runs (started_at);

CREATE TABLE phase_metrics (
  run_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  phase TEXT NOT NULL,
  duration_ms REAL NOT NULL,
  counts TEXT NOT NULL CHECK (json_valid(counts)),
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;
`;
