/** When a collection of a Milvus server was last written to, by the clock of that server, ms since 1970. */
export const sql = `
CREATE TABLE store_writes (
  server TEXT NOT NULL,
  collection TEXT NOT NULL,
  written_ms INTEGER NOT NULL,
  PRIMARY KEY (server, collection)
) STRICT, WITHOUT ROWID;
`;
