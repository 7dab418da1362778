/**
 * Folders kept in step, contents that several documents share, the log of versions, stores beside a
 * collection, and jobs.
 */
export const sql = `
ALTER TABLE document_versions ADD COLUMN content_id TEXT NOT NULL DEFAULT '';
UPDATE document_versions SET content_id = version_id;
CREATE INDEX versions_by_content ON document_versions (content_id);
CREATE INDEX versions_by_hash ON document_versions (sha256);

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
INSERT INTO version_log SELECT d.id, v.version, v.version_id, v.sha256, v.size_bytes, v.name, d.path, v.pages, v.chunks, 'ingest', v.ingested_at
  FROM document_versions v JOIN documents d ON d.id = v.document_id WHERE v.state IN ('ready', 'superseded');

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

ALTER TABLE collections ADD COLUMN store_name TEXT NOT NULL DEFAULT '';
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

CREATE TABLE jobs (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  document_path TEXT NOT NULL,
  department TEXT NOT NULL,
  target_collection TEXT NOT NULL,
  instance TEXT NOT NULL CHECK (instance IN ('public', 'private')),
  principal TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0,
  queued_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'dead', 'cancelled')),
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before_ms REAL NOT NULL DEFAULT 0,
  worker TEXT NOT NULL DEFAULT '',
  lease_until_ms REAL NOT NULL DEFAULT 0,
  started_at TEXT,
  ended_at TEXT,
  error TEXT CHECK (error IS NULL OR json_valid(error)),
  progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress))
) STRICT;
CREATE INDEX jobs_to_do ON jobs (priority DESC, queued_at) WHERE state IN ('waiting', 'running');
`;
