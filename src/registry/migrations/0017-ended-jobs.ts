/** Jobs that have ended are found by when, without reading those before and after. */
export const sql = `
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE state IN ('done', 'cancelled');
`;
