/** A quote or a text as the two are compared: on one line, and what was cut off at its end left out. */
export const plainQuote = (text: string): string => text.replace(/…$/u, "").replace(/\s+/gu, " ").trim();

/** Finds out whether a quote occurs in one of the texts, which are read once. */
export function quoteFinder(texts: readonly string[]): (quote: string) => boolean {
  const read = texts.map(plainQuote);
  return (quote) => {
    const wanted = plainQuote(quote);
    return read.some((text) => text.includes(wanted));
  };
}
