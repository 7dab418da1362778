/**
 * Answers kept by earlier versions do not say all that they were made from: a refusal, a greeting or the find
 * of a tool had no sources, and whatever was written after them inherited none. They are for the owner, and
 * for whoever asked, if that principal is still there.
 */
export const sql = `
UPDATE chat_messages SET sources = (
  SELECT json_group_array(source) FROM (
    SELECT value AS source FROM json_each(chat_messages.sources)
    UNION
    SELECT 'asker:' || coalesce((
      SELECT p.id FROM principals p WHERE p.created_at <= chat_messages.created_at AND p.name = (
        SELECT asked.author FROM chat_messages asked
        WHERE asked.room_id = chat_messages.room_id AND asked.type = 'user' AND asked.position < chat_messages.position
        ORDER BY asked.position DESC LIMIT 1)), '')
  )
) WHERE type = 'assistant';
`;
