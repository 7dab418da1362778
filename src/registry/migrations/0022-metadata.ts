/** What is known of documents beside their text: by their files, and by hand. */
export const sql = `
ALTER TABLE document_versions ADD COLUMN properties TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(properties));
ALTER TABLE documents ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata));
`;
