/** A score in hundredths, with a decimal comma. */
export const formatDecimalComma = (score: number): string => score.toFixed(2).replace(".", ",");

/** The phrases that say something, joined. */
export const joinPhrases = (phrases: readonly string[], joint: string): string =>
  phrases.filter((phrase) => phrase !== "").join(joint);
