/** How often what a collection shows has changed, so that what was read of it need not be read again. */
export const sql = `
ALTER TABLE collections ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
`;
