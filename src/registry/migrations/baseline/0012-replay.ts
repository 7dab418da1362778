/** What decided an answer, so that it can be given again; null for runs of before and of rooms. */
export const sql = `
ALTER TABLE ask_runs ADD COLUMN replay TEXT CHECK (replay IS NULL OR json_valid(replay));
`;
