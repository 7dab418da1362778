const number =
  /^[($€£¥+\-–—~<>]*\s*(?:[$€£¥]\s*)?(?:\(\s*)?[.,]*\d[\d.,]*\s*(?:\)\s*)?(?:(?:%|x|bps|[a-z]|\*+|\(\w\))\s*)?\)?$|^[—–-]+$|^n\/[am]$/i;
/** Letters that stand for no figure; in small letters they are a unit. */
const none = /^N[AM]$/;

/** Whether a cell holds a figure, a dash standing for none, or `N/A`. */
export function isNumeric(text: string): boolean {
  return text.length <= 24 && (number.test(text) || none.test(text));
}

/** Whether a cell holds a year: a figure that heads a column as often as it fills one. */
export function isYear(text: string): boolean {
  return /^(19|20)\d\d(\s*\(\w\))?$/.test(text);
}
