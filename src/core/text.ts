/**
 * The text without the characters it ends with that `character`, a pattern of one character, matches.
 * `/[…]+$/` does the same in quadratic time: it is tried at every such character of a run that does not end
 * the text.
 */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * A character that somebody can see. Spaces, control characters and what is drawn as nothing, as a zero-width
 * space or a soft hyphen, are none.
 */
export const visibleCharacter = /[^\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text says nothing: no character of it can be seen. */
export const isBlank = (text: string): boolean => !visibleCharacter.test(text);
