/** Tables of the cache file. Whatever changes here, an old file is only thrown away. */
export const cacheSchema = `
CREATE TABLE fingerprints (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE embeddings (
  fingerprint_id INTEGER NOT NULL,
  hash BLOB NOT NULL,
  dense BLOB NOT NULL,
  indices BLOB,
  weights BLOB,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (fingerprint_id, hash)
) STRICT;
CREATE INDEX embeddings_by_use ON embeddings (used_at);
CREATE TABLE parsed (
  sha256 TEXT NOT NULL,
  parser TEXT NOT NULL,
  content BLOB NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (sha256, parser)
) STRICT;
CREATE INDEX parsed_by_use ON parsed (used_at);
`;
