/** How an agent speaks and what it heeds, as its operator words it. */
export const sql = `
ALTER TABLE agents ADD COLUMN persona TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN guidelines TEXT NOT NULL DEFAULT '';
`;
