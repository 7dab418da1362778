/** Keys by which principals sign in to a server, as slow hashes, and what was tried at its door. */
export const sql = `
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

CREATE TABLE sign_ins (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('signed-in', 'refused', 'locked-out', 'acting-as')),
  principal TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
  acting_as TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
  key_id TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT ''
) STRICT;
`;
