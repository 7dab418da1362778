/** The tables of contents, in slices; a content that has none has one empty row, since they were read. */
export const sql = `
CREATE TABLE document_tables (
  content_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  part INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (content_id, ordinal, part)
) STRICT;
`;
