/** When a broker was given a job; null for never, and for one that is begun anew. */
export const sql = `
ALTER TABLE jobs ADD COLUMN sent_at TEXT;
CREATE INDEX jobs_to_send ON jobs (priority DESC, queued_at) WHERE state = 'waiting' AND sent_at IS NULL;
`;
