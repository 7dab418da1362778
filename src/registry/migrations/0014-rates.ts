/** What past runs took of each step, by machine and model, newest last, so that a time can be planned. */
export const sql = `
CREATE TABLE rates (
  machine TEXT NOT NULL,
  subject TEXT NOT NULL,
  name TEXT NOT NULL,
  samples TEXT NOT NULL CHECK (json_valid(samples)),
  PRIMARY KEY (machine, subject, name)
) STRICT, WITHOUT ROWID;
`;
