/**
 * Folders a principal may ingest from, as a JSON array of real paths; and decisions about folders, whose
 * table has to be made anew for it.
 */
export const sql = `
ALTER TABLE principals ADD COLUMN roots TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(roots));

CREATE TABLE decisions_with_folders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  decided_at TEXT NOT NULL,
  run_id TEXT NOT NULL,
  principal TEXT NOT NULL COLLATE NOCASE,
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
INSERT INTO decisions_with_folders SELECT * FROM decisions;
DROP TABLE decisions;
ALTER TABLE decisions_with_folders RENAME TO decisions;
`;
