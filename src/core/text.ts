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
