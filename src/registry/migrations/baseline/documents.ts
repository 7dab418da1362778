/** Documents, their versions, collections and stores. */
export const documents = `
-- "revision": how often what it shows has changed.
CREATE TABLE collections (
  name TEXT PRIMARY KEY,
  instance TEXT NOT NULL CHECK (instance IN ('public', 'private')),
  fingerprint TEXT NOT NULL,
  embedder TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  lexical TEXT NOT NULL CHECK (lexical IN ('sparse', 'bm25')),
  created_at TEXT NOT NULL,
  store_name TEXT NOT NULL DEFAULT '',
  revision INTEGER NOT NULL DEFAULT 0
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

-- "omitted": what limits of time or memory kept out, so that the next ingest tries again.
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
  content_id TEXT NOT NULL DEFAULT '',
  omitted TEXT NOT NULL DEFAULT '',
  UNIQUE (document_id, version),
  CHECK ((is_latest = 1) = (state = 'ready'))
) STRICT;
CREATE UNIQUE INDEX one_latest ON document_versions (document_id) WHERE is_latest = 1;
CREATE INDEX versions_by_name ON document_versions (name) WHERE is_latest = 1;
CREATE INDEX versions_by_content ON document_versions (content_id);
CREATE INDEX versions_by_hash ON document_versions (sha256);
CREATE INDEX versions_by_state ON document_versions (state) WHERE state <> 'ready';

-- What each version of a document was, also of those that are gone.
CREATE TABLE version_log (
  document_id TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  version_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  pages INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('ingest', 'restore')),
  at TEXT NOT NULL,
  PRIMARY KEY (document_id, version)
) STRICT, WITHOUT ROWID;

-- What a folder was last found to hold.
CREATE TABLE seen_files (
  collection TEXT NOT NULL,
  path TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  inode TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('ready', 'failed', 'skipped')),
  code TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  seen_at_ms REAL NOT NULL,
  PRIMARY KEY (collection, path)
) STRICT, WITHOUT ROWID;

-- Folders that are kept in step.
CREATE TABLE sources (
  folder TEXT NOT NULL,
  collection TEXT NOT NULL,
  instance TEXT NOT NULL CHECK (instance IN ('public', 'private')),
  department TEXT NOT NULL DEFAULT '',
  include TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(include)),
  exclude TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(exclude)),
  created_at TEXT NOT NULL,
  synced_at TEXT,
  PRIMARY KEY (folder, collection)
) STRICT, WITHOUT ROWID;

-- Stores beside the one that a collection answers from.
CREATE TABLE collection_stores (
  store_name TEXT PRIMARY KEY,
  collection TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  embedder TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  lexical TEXT NOT NULL CHECK (lexical IN ('sparse', 'bm25')),
  state TEXT NOT NULL CHECK (state IN ('building', 'previous', 'dropping')),
  scope TEXT NOT NULL CHECK (scope IN ('latest', 'all')),
  owner TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_store_a_state ON collection_stores (collection, state) WHERE state <> 'dropping';

CREATE TABLE store_contents (
  store_name TEXT NOT NULL REFERENCES collection_stores (store_name) ON DELETE CASCADE,
  content_id TEXT NOT NULL,
  PRIMARY KEY (store_name, content_id)
) STRICT, WITHOUT ROWID;

-- When a collection of a Milvus server was last written to, by the clock of that server, ms since 1970.
CREATE TABLE store_writes (
  server TEXT NOT NULL,
  collection TEXT NOT NULL,
  written_ms INTEGER NOT NULL,
  PRIMARY KEY (server, collection)
) STRICT, WITHOUT ROWID;
`;
