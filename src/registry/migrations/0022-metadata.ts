/** Metadata of documents: from their files, and given by hand. */
export const sql = `
ALTER TABLE document_versions ADD COLUMN properties TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(properties));
ALTER TABLE documents ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata));
`;
