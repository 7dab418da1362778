/** The address that is fetched into a synced folder. */
export const sql = `
ALTER TABLE sources ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE sources ADD COLUMN depth INTEGER NOT NULL DEFAULT 0 CHECK (depth >= 0);
`;
