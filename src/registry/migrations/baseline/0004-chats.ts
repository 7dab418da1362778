/** Chat rooms and what was said in them. Vectors of the messages are in the collection `chat_messages`. */
export const sql = `
CREATE TABLE chat_rooms (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  name TEXT NOT NULL COLLATE NOCASE UNIQUE CHECK (name <> ''),
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE chat_messages (
  id TEXT PRIMARY KEY CHECK (length(id) = 36),
  room_id TEXT NOT NULL REFERENCES chat_rooms (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  author TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('user', 'assistant')),
  content TEXT NOT NULL,
  citations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(citations)),
  created_at TEXT NOT NULL,
  UNIQUE (room_id, position)
) STRICT;
`;
