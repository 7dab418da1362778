/**
 * The tables of a document's content, in slices. A content whose tables were read has one row at least; where
 * it has no table, that row is empty.
 */
export const sql = `
CREATE TABLE document_tables (
  content_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  part INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (content_id, ordinal, part)
) STRICT;
`;
