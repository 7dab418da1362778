/** A reference to another object of the file. */
export interface Reference {
  readonly ref: number;
}
export type Dictionary = ReadonlyMap<string, PdfValue>;
/** A value of PDF's object syntax; names keep their slash, strings come as their length and where they start: their text is hardly ever needed. */
export type PdfValue =
  | number
  | string
  | boolean
  | null
  | Reference
  | { readonly bytes: number; readonly at: number }
  | readonly PdfValue[]
  | Dictionary;

/** What stands next in a content stream or object: a value, an operator, or the end. */
export type Token = { readonly value: PdfValue } | { readonly operator: string } | undefined;

// Classes of bytes. Source: ISO 32000-2, 7.2.3.
const white = new Uint8Array(256);
const delimiter = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32]) white[code] = 1;
for (const code of [40, 41, 60, 62, 91, 93, 123, 125, 47, 37]) delimiter[code] = 1;

const letters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

export function isDictionary(value: PdfValue | undefined): value is Dictionary {
  return value instanceof Map;
}
export function isReference(value: PdfValue | undefined): value is Reference {
  return typeof value === "object" && value !== null && "ref" in value;
}

/** Reads PDF syntax from `at` on. Never throws: what is damaged comes back as an operator or an end. */
export interface Lexer {
  at: number;
  next(): Token;
}

/** A reader of the bytes' PDF syntax; `references` joins `12 0 R` to one value (objects have them, content streams do not). */
export function openLexer(bytes: Uint8Array, at: number, references: boolean): Lexer {
  const lexer: Lexer = { at, next: () => token(0) };

  const skip = (): number => {
    let { at: place } = lexer;
    for (; place < bytes.length; place++) {
      const code = bytes[place] ?? 0;
      if (code === 37) while (place < bytes.length && bytes[place] !== 10 && bytes[place] !== 13) place++;
      else if (white[code] === 0) break;
    }
    lexer.at = place;
    return place;
  };
  /** The number that starts here, or undefined where it is written unusually. */
  const plainNumber = (from: number): number | undefined => {
    let place = from;
    const sign = bytes[place] === 45 ? -1 : 1;
    if (sign < 0) place++;
    let value = 0;
    let digits = 0;
    for (let code = bytes[place] ?? 0; code >= 48 && code <= 57; code = bytes[++place] ?? 0, digits++)
      value = value * 10 + code - 48;
    if (bytes[place] === 46) {
      let unit = 0.1;
      place++;
      for (
        let code = bytes[place] ?? 0;
        code >= 48 && code <= 57;
        code = bytes[++place] ?? 0, digits++, unit /= 10
      )
        value += (code - 48) * unit;
    }
    const after = bytes[place] ?? 32;
    if (digits === 0 || digits > 15 || (white[after] === 0 && delimiter[after] === 0)) return undefined;
    lexer.at = place;
    return sign * value;
  };
  const word = (from: number): string => {
    let end = from;
    while (end < bytes.length && white[bytes[end] ?? 0] === 0 && delimiter[bytes[end] ?? 0] === 0) end++;
    lexer.at = end;
    if (end - from === 1) return letters[bytes[from] ?? 0] ?? "";
    if (end - from === 2) return (letters[bytes[from] ?? 0] ?? "") + (letters[bytes[from + 1] ?? 0] ?? "");
    let text = "";
    for (let index = from; index < end; index++) text += letters[bytes[index] ?? 0] ?? "";
    return text;
  };
  const literal = (from: number): { bytes: number; at: number } => {
    let depth = 1;
    let place = from + 1;
    let length = 0;
    for (; place < bytes.length && depth > 0; place++, length++) {
      const code = bytes[place];
      if (code === 92) place++;
      else if (code === 40) depth++;
      else if (code === 41) depth--;
    }
    lexer.at = place;
    return { bytes: Math.max(0, length - 1), at: from };
  };
  const list = (depth: number): PdfValue[] => {
    const values: PdfValue[] = [];
    lexer.at++;
    while (skip() < bytes.length && bytes[lexer.at] !== 93) {
      const found = token(depth + 1);
      if (found === undefined || "operator" in found) break;
      values.push(found.value);
    }
    lexer.at++;
    return values;
  };
  const dictionary = (depth: number): Dictionary => {
    const entries = new Map<string, PdfValue>();
    lexer.at += 2;
    while (skip() < bytes.length && bytes[lexer.at] !== 62) {
      const key = token(depth + 1);
      if (key === undefined || "operator" in key || typeof key.value !== "string") break;
      const value = token(depth + 1);
      if (value === undefined || "operator" in value) break;
      entries.set(key.value, value.value);
    }
    lexer.at += 2;
    return entries;
  };
  const numberOrReference = (first: number): PdfValue => {
    if (!references || first < 0 || !Number.isInteger(first)) return first;
    const back = lexer.at;
    const place = skip();
    if ((bytes[place] ?? 0) >= 48 && (bytes[place] ?? 0) <= 57 && /^\d+$/.test(word(place))) {
      const mark = skip();
      const after = bytes[mark + 1] ?? 32;
      if (bytes[mark] === 82 && (white[after] === 1 || delimiter[after] === 1)) {
        lexer.at = mark + 1;
        return { ref: first };
      }
    }
    lexer.at = back;
    return first;
  };
  const token = (depth: number): Token => {
    const place = skip();
    if (place >= bytes.length || depth > 40) return undefined;
    const code = bytes[place] ?? 0;
    if (code === 47) return { value: `/${word(place + 1)}` };
    if (code === 40) return { value: literal(place) };
    if (code === 91) return { value: list(depth) };
    if (code === 60 && bytes[place + 1] === 60) return { value: dictionary(depth) };
    if (code === 60) {
      const end = bytes.indexOf(62, place);
      lexer.at = end < 0 ? bytes.length : end + 1;
      return { value: { bytes: Math.ceil((lexer.at - place - 2) / 2), at: place } };
    }
    if (delimiter[code] === 1) {
      lexer.at++;
      return { operator: String.fromCharCode(code) };
    }
    const isNumber = (code >= 48 && code <= 57) || code === 45 || code === 46;
    const plain = isNumber ? plainNumber(place) : undefined;
    if (plain !== undefined) return { value: numberOrReference(plain) };
    const text = word(place);
    if ((code >= 48 && code <= 57) || code === 45 || code === 43 || code === 46) {
      const number = Number(text);
      return { value: Number.isNaN(number) ? Number.parseFloat(text) || 0 : numberOrReference(number) };
    }
    if (text === "true" || text === "false") return { value: text === "true" };
    return text === "null" ? { value: null } : { operator: text };
  };
  return lexer;
}
