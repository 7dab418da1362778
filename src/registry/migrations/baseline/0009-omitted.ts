/** What limits of time or memory kept out of a version, so that the next ingest tries again. */
export const sql = `
ALTER TABLE document_versions ADD COLUMN omitted TEXT NOT NULL DEFAULT '';
`;
