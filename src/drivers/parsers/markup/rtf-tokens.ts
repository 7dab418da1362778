/** One piece of RTF. */
export type RtfToken =
  | { readonly kind: "open" }
  | { readonly kind: "close" }
  | { readonly kind: "word"; readonly word: string; readonly value: number | undefined }
  | { readonly kind: "byte"; readonly byte: number }
  | { readonly kind: "text"; readonly text: string };

/** Control symbols that represent a character: a non-breaking space and hyphen, and a soft hyphen. */
const symbols = new Map([
  ["~", "\u00a0"],
  ["_", "\u2011"],
  ["-", ""],
]);

function symbolToken(symbol: string): RtfToken {
  if (symbol === "*") return { kind: "word", word: "*", value: undefined };
  if (symbol === "\n" || symbol === "\r") return { kind: "word", word: "par", value: undefined };
  return { kind: "text", text: symbols.get(symbol) ?? symbol };
}

const numberOf = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));

/** The token of one match, undefined for a byte with invalid digits. */
function tokenOf([whole, word, digits, hex, symbol, text]: RegExpExecArray): RtfToken | undefined {
  if (word !== undefined) return { kind: "word", word, value: numberOf(digits) };
  if (text !== undefined) return { kind: "text", text };
  if (symbol !== undefined) return symbolToken(symbol);
  if (hex === undefined) return { kind: whole === "{" ? "open" : "close" };
  const byte = Number.parseInt(hex, 16);
  return Number.isFinite(byte) ? { kind: "byte", byte } : undefined;
}

/** Pieces of an RTF file read as latin1, in order; line ends between them mean nothing. */
export function* rtfTokens(source: string): Generator<RtfToken> {
  const piece = /[{}]|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([\s\S]{0,2})|\\([\s\S]?)|([^\\{}\r\n]+)/g;
  for (let match = piece.exec(source); match !== null; match = piece.exec(source)) {
    const token = tokenOf(match);
    // A picture or a program's data follows.
    if (token?.kind === "word" && token.word === "bin") piece.lastIndex += Math.max(0, token.value ?? 0);
    else if (token !== undefined) yield token;
  }
}
