/**
 * The next job, and those whose lease has run out, are found without reading the others.
 */
export const sql = `
DROP INDEX jobs_to_do;
DROP INDEX jobs_to_send;
CREATE INDEX jobs_waiting ON jobs (priority DESC, queued_at) WHERE state = 'waiting';
CREATE INDEX jobs_running ON jobs (lease_until_ms) WHERE state = 'running';
CREATE INDEX jobs_to_send ON jobs (priority DESC, queued_at) WHERE state = 'waiting' AND sent_at IS NULL;
`;
