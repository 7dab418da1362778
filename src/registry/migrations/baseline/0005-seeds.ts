/**
 * What the seed file has brought once, so that what an operator removed stays removed; and what collections
 * are for.
 */
export const sql = `
CREATE TABLE seeded (
  section TEXT NOT NULL,
  name TEXT NOT NULL COLLATE NOCASE,
  seeded_at TEXT NOT NULL,
  PRIMARY KEY (section, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE collection_profiles (
  name TEXT PRIMARY KEY CHECK (name <> ''),
  instance TEXT NOT NULL CHECK (instance IN ('public', 'private')),
  department TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL
) STRICT;
`;
