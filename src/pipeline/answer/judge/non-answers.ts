/** Sentences that say there is no answer; they answer nothing, so nothing can support them. */
export const saysNothing =
  /\b(?:do(?:es)? not|don't|doesn't|did not|cannot|can't|is not|are not|isn't|aren't|no)\b.{0,40}\b(?:mention\w*|provide\w*|contain\w*|specif\w*|state[ds]?|include|given|indicate\w*|information|enough|determine\w*|found|answer\w*)\b.{0,120}\b(?:passages?|text|context|documents?|information|question|details?|above)\b|\b(?:passages?|text|context|documents?)\b.{0,30}\b(?:do(?:es)? not|don't|doesn't|cannot)\b|\b(?:not|isn't|aren't|wasn't|weren't|no)\b.{0,40}\b(?:shown|listed|available|presented|disclosed|reported)\s(?:in|by|from)\s(?:\w{1,12}\s){0,2}(?:passages?|text|context|documents?|material)\b/iu;

/** A statement of SQL, which a model that learned to write some gives for an answer. */
export const query =
  /^(?:select|insert|update|delete|create|drop)\s{1,4}(?:\d|\*|[\w".]{1,64}\s{0,4}[(,]|[\w".]{1,64}\s{1,4}from\b|into\b|table\b)/i;
