import { nocase, nocaseUnique } from "./marks.ts";

/** Runs, jobs, rooms and measurements. */
export const history = `
CREATE TABLE ingest_runs (
  id TEXT PRIMARY KEY,
  started_at TEXT NOT NULL,
  duration_ms REAL NOT NULL,
  collection TEXT NOT NULL,
  department TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
  error TEXT CHECK (error IS NULL OR json_valid(error)),
  counts TEXT NOT NULL CHECK (json_valid(counts)),
  files TEXT NOT NULL CHECK (json_valid(files)),
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  peak_rss_bytes INTEGER NOT NULL,
  program_version TEXT NOT NULL,
  principal TEXT NOT NULL DEFAULT 'owner'${nocase},
  process TEXT CHECK (process IS NULL OR json_valid(process))
) STRICT;
CREATE INDEX ingest_runs_by_time ON ingest_runs (started_at);

-- "replay": what decided the answer; "process": that of a run that has not ended.
CREATE TABLE ask_runs (
  id TEXT PRIMARY KEY,
  started_at TEXT NOT NULL,
  duration_ms REAL NOT NULL,
  question TEXT NOT NULL,
  response TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
  error TEXT CHECK (error IS NULL OR json_valid(error)),
  verdict TEXT NOT NULL CHECK (json_valid(verdict)),
  citations TEXT NOT NULL CHECK (json_valid(citations)),
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  peak_rss_bytes INTEGER NOT NULL,
  program_version TEXT NOT NULL,
  principal TEXT NOT NULL DEFAULT 'owner'${nocase},
  replay TEXT CHECK (replay IS NULL OR json_valid(replay)),
  process TEXT CHECK (process IS NULL OR json_valid(process))
) STRICT;
CREATE INDEX ask_runs_by_time ON ask_runs (started_at);

CREATE TABLE phase_metrics (
  run_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  phase TEXT NOT NULL,
  duration_ms REAL NOT NULL,
  counts TEXT NOT NULL CHECK (json_valid(counts)),
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

-- "sent_at": when a broker was given it; null for never, and for one that is begun anew.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  /* PostgreSQL: rowid BIGINT GENERATED ALWAYS AS IDENTITY, */
  document_path TEXT NOT NULL,
  department TEXT NOT NULL,
  target_collection TEXT NOT NULL,
  instance TEXT NOT NULL CHECK (instance IN ('public', 'private')),
  principal TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0,
  queued_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'dead', 'cancelled')),
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before_ms REAL NOT NULL DEFAULT 0,
  worker TEXT NOT NULL DEFAULT '',
  lease_until_ms REAL NOT NULL DEFAULT 0,
  started_at TEXT,
  ended_at TEXT,
  error TEXT CHECK (error IS NULL OR json_valid(error)),
  progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)),
  sent_at TEXT
) STRICT;
CREATE INDEX jobs_waiting ON jobs (priority DESC, queued_at) WHERE state = 'waiting';
CREATE INDEX jobs_running ON jobs (lease_until_ms) WHERE state = 'running';
CREATE INDEX jobs_to_send ON jobs (priority DESC, queued_at) WHERE state = 'waiting' AND sent_at IS NULL;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE state IN ('done', 'cancelled');

CREATE TABLE chat_rooms (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  name TEXT NOT NULL${nocaseUnique} CHECK (name <> ''),
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
  created_at TEXT NOT NULL
) STRICT;
/* PostgreSQL: CREATE UNIQUE INDEX chat_rooms_key ON chat_rooms (lower(name)); */

-- "sources": what an answer was written from, so that it is shown to those who may read all of it. Vectors are in the
-- collection "chat_messages".
CREATE TABLE chat_messages (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  room_id TEXT NOT NULL REFERENCES chat_rooms (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  author TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('user', 'assistant')),
  content TEXT NOT NULL,
  citations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(citations)),
  created_at TEXT NOT NULL,
  sources TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(sources)),
  UNIQUE (room_id, position)
) STRICT;

-- What past runs took of each step, by machine and model, newest last, so that a time can be planned.
CREATE TABLE rates (
  machine TEXT NOT NULL,
  subject TEXT NOT NULL,
  name TEXT NOT NULL,
  samples TEXT NOT NULL CHECK (json_valid(samples)),
  PRIMARY KEY (machine, subject, name)
) STRICT, WITHOUT ROWID;
`;
