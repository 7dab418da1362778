/** The conversation that a question belongs to, by the id that its client made; '' for none. */
export const sql = `
ALTER TABLE ask_runs ADD COLUMN conversation TEXT NOT NULL DEFAULT '';
CREATE INDEX ask_runs_by_conversation ON ask_runs (conversation) WHERE conversation <> '';
`;
