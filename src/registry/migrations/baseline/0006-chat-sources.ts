/**
 * What an answer in a room was written from, so that it is shown to those who may read all of it, and to no
 * one else.
 */
export const sql = `
ALTER TABLE chat_messages ADD COLUMN sources TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(sources));
UPDATE chat_messages SET sources = (
  SELECT json_group_array(DISTINCT 'collection:' || json_extract(value, '$.collection')) FROM json_each(chat_messages.citations)
);
`;
