/** A quote or a text in the form for comparison: on one line, without the ellipsis of a cut. */
export const normalizeQuote = (text: string): string => text.replace(/…$/u, "").replace(/\s+/gu, " ").trim();

/** Finds out whether a quote occurs in one of the texts, which are read once. */
export function quoteFinder(texts: readonly string[]): (quote: string) => boolean {
  const read = texts.map(normalizeQuote);
  return (quote) => {
    const wanted = normalizeQuote(quote);
    return read.some((text) => text.includes(wanted));
  };
}
