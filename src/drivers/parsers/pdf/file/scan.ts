/** What stands before an operator of a content stream. */
export interface Operands {
  /** Numbers in order; only the first `count` are of this operator. Of arrays, none. */
  readonly numbers: Float64Array;
  count: number;
  /** Where the last name begins with its slash, and ends; -1 where there is none. */
  nameAt: number;
  nameEnd: number;
  /** Bytes of the strings. */
  textBytes: number;
}

const maxNumbers = 32;

/** Whether the bytes at these codes end a word. Source: ISO 32000-2, 7.2.3. */
const endsWord = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32, 40, 41, 60, 62, 91, 93, 123, 125, 47, 37]) endsWord[code] = 1;

/** An operator as the number its letters make, so that it can be compared without making text of it. */
export function operatorCode(letters: string): number {
  let code = 0;
  for (let index = 0; index < letters.length; index++) code |= letters.charCodeAt(index) << (8 * index);
  return code;
}

const inlineData = operatorCode("ID");

// Each reader below takes the place where its token starts and returns the place after it.

function skipWord(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && endsWord[bytes[at] ?? 0] === 0) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function startsNumber(code: number): boolean {
  return isDigit(code) || code === 45 || code === 46 || code === 43;
}

function readNumber(bytes: Uint8Array, start: number, operands: Operands, inArray: boolean): number {
  const first = bytes[start];
  let at = first === 45 || first === 43 ? start + 1 : start;
  let value = 0;
  let digit = bytes[at] ?? 0;
  while (isDigit(digit)) {
    value = value * 10 + digit - 48;
    digit = bytes[++at] ?? 0;
  }
  if (digit === 46) {
    let unit = 0.1;
    digit = bytes[++at] ?? 0;
    while (isDigit(digit)) {
      value += (digit - 48) * unit;
      unit /= 10;
      digit = bytes[++at] ?? 0;
    }
  }
  if (!inArray && operands.count < maxNumbers)
    operands.numbers[operands.count++] = first === 45 ? -value : value;
  return endsWord[digit] === 1 ? at : skipWord(bytes, at);
}

function readString(bytes: Uint8Array, start: number, operands: Operands): number {
  let depth = 1;
  let at = start + 1;
  for (; at < bytes.length && depth > 0; at++) {
    const code = bytes[at];
    if (code === 92) at++;
    else if (code === 40) depth++;
    else if (code === 41) depth--;
  }
  operands.textBytes += at - start - 2;
  return at;
}

function readHexString(bytes: Uint8Array, start: number, operands: Operands): number {
  // The first bracket of a dictionary.
  if (bytes[start + 1] === 60) return start + 1;
  let at = start;
  while (at < bytes.length && bytes[at] !== 62) at++;
  operands.textBytes += (at - start - 1) >> 1;
  return at + 1;
}

function readName(bytes: Uint8Array, start: number, operands: Operands, inArray: boolean): number {
  const end = skipWord(bytes, start + 1);
  if (operands.nameAt < 0 || !inArray) {
    operands.nameAt = start;
    operands.nameEnd = end;
  }
  return end;
}

function skipComment(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++;
  return at;
}

/** Skips the data of an image inside the stream, up to the mark with space before it. */
function skipInlineData(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(69, start + 1); at >= 0; at = bytes.indexOf(69, at + 1))
    if (bytes[at + 1] === 73 && (bytes[at - 1] ?? 0) <= 32) return at + 2;
  return bytes.length;
}

/** Reads what starts with a delimiter. */
function readDelimited(bytes: Uint8Array, start: number, operands: Operands, inArray: boolean): number {
  switch (bytes[start]) {
    case 40:
      return readString(bytes, start, operands);
    case 60:
      return readHexString(bytes, start, operands);
    case 47:
      return readName(bytes, start, operands, inArray);
    case 37:
      return skipComment(bytes, start);
    default:
      return start + 1;
  }
}

/** Reads what stands before the next operator and returns where that one starts. */
function readOperands(bytes: Uint8Array, start: number, operands: Operands): number {
  operands.count = 0;
  operands.nameAt = -1;
  operands.textBytes = 0;
  let inArray = false;
  let at = start;
  while (at < bytes.length) {
    const code = bytes[at] ?? 0;
    if (code <= 32) at++;
    else if (startsNumber(code)) at = readNumber(bytes, at, operands, inArray);
    else if (endsWord[code] === 1) {
      inArray = code === 91 || (inArray && code !== 93);
      at = readDelimited(bytes, at, operands, inArray);
    } else if (inArray && code === 44) at = skipWord(bytes, at);
    else return at;
  }
  return at;
}

/**
 * Calls `onOperator` for every operator of a content stream, at most `limit` of them; returns how many. It
 * looks only at what decides where things are drawn, makes no text of the rest and never throws: a long page
 * costs little beside pdf.js's own reading.
 */
export function scanContent(
  bytes: Uint8Array,
  limit: number,
  onOperator: (code: number, operands: Operands) => void,
): number {
  const operands = {
    numbers: new Float64Array(maxNumbers),
    count: 0,
    nameAt: -1,
    nameEnd: -1,
    textBytes: 0,
  };
  let operators = 0;
  let at = 0;
  while (operators < limit) {
    at = readOperands(bytes, at, operands);
    if (at >= bytes.length) break;
    let operator = 0;
    // Letters after the third do not count.
    for (let shift = 0; at < bytes.length && endsWord[bytes[at] ?? 0] === 0; at++, shift += 8)
      if (shift < 24) operator |= (bytes[at] ?? 0) << shift;
    operators++;
    onOperator(operator, operands);
    if (operator === inlineData) at = skipInlineData(bytes, at);
  }
  return operators;
}
