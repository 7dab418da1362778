/** The process of a run that has not ended; a row stands from the start of its run. */
export const sql = `
ALTER TABLE ingest_runs ADD COLUMN process TEXT CHECK (process IS NULL OR json_valid(process));
ALTER TABLE ask_runs ADD COLUMN process TEXT CHECK (process IS NULL OR json_valid(process));
`;
