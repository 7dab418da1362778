/** A reference to another object of the file. */
export interface Reference {
  readonly ref: number;
}
/** Where a string starts with its bracket. */
export interface StringPlace {
  readonly bytes: Uint8Array;
  readonly at: number;
}
export type Dictionary = ReadonlyMap<string, PdfValue>;
/**
 * A value of PDF's object syntax; names keep their slash, strings come as where they start: their text is
 * hardly ever needed.
 */
export type PdfValue =
  | number
  | string
  | boolean
  | null
  | Reference
  | StringPlace
  | readonly PdfValue[]
  | Dictionary;

/** What stands next: a value, an operator, or the end. */
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
export function isStringPlace(value: PdfValue | undefined): value is StringPlace {
  return typeof value === "object" && value !== null && "bytes" in value;
}
export function isReference(value: PdfValue | undefined): value is Reference {
  return typeof value === "object" && value !== null && "ref" in value;
}

/** Where the reading of PDF syntax stands. */
export interface Lexer {
  readonly bytes: Uint8Array;
  /** Whether `12 0 R` is one value: objects hold references, content streams do not. */
  readonly references: boolean;
  at: number;
}

const maxDepth = 40;

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 48 && code <= 57;
}

function startsNumber(code: number | undefined): boolean {
  return isDigit(code) || code === 45 || code === 43 || code === 46;
}

function endsWord(code: number): boolean {
  return white[code] === 1 || delimiter[code] === 1;
}

/** Goes to the next byte that is neither space nor comment, and returns its place. */
function skipSpace(lexer: Lexer): number {
  const { bytes } = lexer;
  let { at } = lexer;
  for (; at < bytes.length; at++) {
    const code = bytes[at] ?? 0;
    if (code === 37) while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++;
    else if (white[code] === 0) break;
  }
  lexer.at = at;
  return at;
}

/** The number that starts here, or undefined where it is written unusually. */
function readPlainNumber(lexer: Lexer, start: number): number | undefined {
  const { bytes } = lexer;
  const sign = bytes[start] === 45 ? -1 : 1;
  const first = sign < 0 ? start + 1 : start;
  let at = first;
  let value = 0;
  for (; isDigit(bytes[at]); at++) value = value * 10 + (bytes[at] ?? 0) - 48;
  let digits = at - first;
  if (bytes[at] === 46) {
    let unit = 0.1;
    for (at++; isDigit(bytes[at]); at++) {
      value += ((bytes[at] ?? 0) - 48) * unit;
      unit /= 10;
      digits++;
    }
  }
  if (digits === 0 || digits > 15 || !endsWord(bytes[at] ?? 32)) return undefined;
  lexer.at = at;
  return sign * value;
}

function readWord(lexer: Lexer, start: number): string {
  const { bytes } = lexer;
  let end = start;
  while (end < bytes.length && !endsWord(bytes[end] ?? 0)) end++;
  lexer.at = end;
  let text = "";
  for (let index = start; index < end; index++) text += letters[bytes[index] ?? 0] ?? "";
  return text;
}

function readLiteral(lexer: Lexer, start: number): PdfValue {
  const { bytes } = lexer;
  let depth = 1;
  let at = start + 1;
  for (; at < bytes.length && depth > 0; at++) {
    const code = bytes[at];
    if (code === 92) at++;
    else if (code === 40) depth++;
    else if (code === 41) depth--;
  }
  lexer.at = at;
  return { bytes, at: start };
}

function readHexString(lexer: Lexer, start: number): PdfValue {
  const end = lexer.bytes.indexOf(62, start);
  lexer.at = end < 0 ? lexer.bytes.length : end + 1;
  return { bytes: lexer.bytes, at: start };
}

/** The value that stands next; undefined for an operator or the end. */
function readValue(lexer: Lexer, depth: number): PdfValue | undefined {
  const token = readToken(lexer, depth);
  return token === undefined || "operator" in token ? undefined : token.value;
}

function readList(lexer: Lexer, depth: number): PdfValue[] {
  const values: PdfValue[] = [];
  lexer.at++;
  while (skipSpace(lexer) < lexer.bytes.length && lexer.bytes[lexer.at] !== 93) {
    const value = readValue(lexer, depth + 1);
    if (value === undefined) break;
    values.push(value);
  }
  lexer.at++;
  return values;
}

function readDictionary(lexer: Lexer, depth: number): Dictionary {
  const entries = new Map<string, PdfValue>();
  lexer.at += 2;
  while (skipSpace(lexer) < lexer.bytes.length && lexer.bytes[lexer.at] !== 62) {
    const key = readValue(lexer, depth + 1);
    if (typeof key !== "string") break;
    const value = readValue(lexer, depth + 1);
    if (value === undefined) break;
    entries.set(key, value);
  }
  lexer.at += 2;
  return entries;
}

/** The number just read, or the reference that it begins. */
function joinReference(lexer: Lexer, number: number): PdfValue {
  if (!lexer.references || number < 0 || !Number.isInteger(number)) return number;
  const { bytes, at: end } = lexer;
  const generation = skipSpace(lexer);
  if (isDigit(bytes[generation]) && /^\d+$/.test(readWord(lexer, generation))) {
    const mark = skipSpace(lexer);
    if (bytes[mark] === 82 && endsWord(bytes[mark + 1] ?? 32)) {
      lexer.at = mark + 1;
      return { ref: number };
    }
  }
  lexer.at = end;
  return number;
}

/** A number, a reference, a constant or an operator. */
function readBareWord(lexer: Lexer, start: number): Token {
  const isNumber = startsNumber(lexer.bytes[start]);
  const plain = isNumber ? readPlainNumber(lexer, start) : undefined;
  if (plain !== undefined) return { value: joinReference(lexer, plain) };
  const text = readWord(lexer, start);
  if (isNumber) {
    const number = Number(text);
    return { value: Number.isNaN(number) ? Number.parseFloat(text) || 0 : joinReference(lexer, number) };
  }
  if (text === "true" || text === "false") return { value: text === "true" };
  return text === "null" ? { value: null } : { operator: text };
}

function readToken(lexer: Lexer, depth: number): Token {
  const { bytes } = lexer;
  const start = skipSpace(lexer);
  if (start >= bytes.length || depth > maxDepth) return undefined;
  const code = bytes[start] ?? 0;
  if (code === 47) return { value: `/${readWord(lexer, start + 1)}` };
  if (code === 40) return { value: readLiteral(lexer, start) };
  if (code === 91) return { value: readList(lexer, depth) };
  if (code === 60 && bytes[start + 1] === 60) return { value: readDictionary(lexer, depth) };
  if (code === 60) return { value: readHexString(lexer, start) };
  if (delimiter[code] === 0) return readBareWord(lexer, start);
  lexer.at++;
  return { operator: String.fromCharCode(code) };
}

/** Reads the next value or operator; undefined at the end. Never throws. */
export function nextToken(lexer: Lexer): Token {
  return readToken(lexer, 0);
}

/**
 * Reads the next value. Never throws; undefined where an operator, the end, or something damaged stands
 * instead.
 */
export function nextValue(lexer: Lexer): PdfValue | undefined {
  return readValue(lexer, 0);
}
