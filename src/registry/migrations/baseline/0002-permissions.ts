/**
 * Who asks, what each may do, and what was decided. The owner is stored like everyone else.
 * `collection_permissions` lives on as a view: what departments were granted on collections.
 */
export const sql = `
CREATE TABLE principals (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  name TEXT NOT NULL COLLATE NOCASE UNIQUE CHECK (name <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('owner', 'person', 'service')),
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_owner ON principals (kind) WHERE kind = 'owner';

CREATE TABLE principal_departments (
  principal_id TEXT NOT NULL REFERENCES principals (id) ON DELETE CASCADE,
  department TEXT NOT NULL CHECK (department <> ''),
  PRIMARY KEY (principal_id, department)
) STRICT, WITHOUT ROWID;

INSERT INTO principals (id, name, kind, created_at)
SELECT lower(substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 14, 3) || '-a' || substr(h, 18, 3) || '-' || substr(h, 21, 12)),
  'owner', 'owner', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
FROM (SELECT hex(randomblob(16)) AS h);

CREATE TABLE permissions (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  subject_kind TEXT NOT NULL CHECK (subject_kind IN ('department', 'principal')),
  subject TEXT NOT NULL COLLATE NOCASE CHECK (subject <> ''),
  effect TEXT NOT NULL CHECK (effect IN ('allow', 'deny')),
  resource_kind TEXT NOT NULL CHECK (resource_kind IN ('collection', 'agent', 'tool', 'room')),
  resource TEXT NOT NULL COLLATE NOCASE CHECK (resource <> ''),
  instance TEXT NOT NULL DEFAULT '' CHECK (instance IN ('', 'public', 'private')),
  level TEXT NOT NULL DEFAULT 'read' CHECK (level IN ('read', 'write', 'admin')),
  created_at TEXT NOT NULL,
  UNIQUE (subject_kind, subject, effect, resource_kind, resource, instance)
) STRICT;

INSERT INTO permissions (id, subject_kind, subject, effect, resource_kind, resource, instance, level, created_at)
SELECT id, 'department', department, 'allow', 'collection', collection_name, milvus_instance, access_level, created_at FROM collection_permissions WHERE true
ON CONFLICT (subject_kind, subject, effect, resource_kind, resource, instance) DO UPDATE SET
  level = CASE WHEN permissions.level = 'read' OR excluded.level = 'read' THEN 'read' WHEN permissions.level = 'write' OR excluded.level = 'write' THEN 'write' ELSE 'admin' END;
DROP TABLE collection_permissions;
CREATE VIEW collection_permissions AS
SELECT id, subject AS department, resource AS collection_name, instance AS milvus_instance, level AS access_level, created_at
FROM permissions WHERE subject_kind = 'department' AND effect = 'allow' AND resource_kind = 'collection';

CREATE TABLE decisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  decided_at TEXT NOT NULL,
  run_id TEXT NOT NULL,
  principal TEXT NOT NULL COLLATE NOCASE,
  agent TEXT NOT NULL DEFAULT '',
  action TEXT NOT NULL CHECK (action IN ('read', 'write', 'admin')),
  resource_kind TEXT NOT NULL CHECK (resource_kind IN ('collection', 'agent', 'tool', 'room')),
  resource TEXT NOT NULL,
  instance TEXT NOT NULL DEFAULT '',
  effect TEXT NOT NULL CHECK (effect IN ('allow', 'deny')),
  rule TEXT NOT NULL,
  reason TEXT NOT NULL,
  grant_id TEXT
) STRICT;

ALTER TABLE ingest_runs ADD COLUMN principal TEXT NOT NULL DEFAULT 'owner' COLLATE NOCASE;
ALTER TABLE ask_runs ADD COLUMN principal TEXT NOT NULL DEFAULT 'owner' COLLATE NOCASE;
`;
