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

/** Whether the bytes at these codes end a word. Source: ISO 32000-2, 7.2.3. */
const ends = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32, 40, 41, 60, 62, 91, 93, 123, 125, 47, 37]) ends[code] = 1;

/** An operator as the number its letters make, so that it can be compared without making text of it. */
export function operatorCode(letters: string): number {
  let code = 0;
  for (let index = 0; index < letters.length; index++) code |= letters.charCodeAt(index) << (8 * index);
  return code;
}

const inlineData = operatorCode("ID");

/**
 * Calls `onOperator` for every operator of a content stream, at most `limit` of them; returns how many. It looks only at what
 * decides where things are drawn, makes no text of the rest and never throws: a long page costs little beside pdf.js's own reading.
 */
export function scanContent(
  bytes: Uint8Array,
  limit: number,
  onOperator: (code: number, operands: Operands) => void,
): number {
  const operands: Operands = {
    numbers: new Float64Array(32),
    count: 0,
    nameAt: -1,
    nameEnd: -1,
    textBytes: 0,
  };
  const { numbers } = operands;
  const { length } = bytes;
  let inArray = false;
  let operators = 0;
  let at = 0;
  while (at < length && operators < limit) {
    const code = bytes[at] ?? 0;
    if (code <= 32) at++;
    else if (inArray && code >= 43 && code <= 57 && code !== 47)
      while (at < length && ends[bytes[at] ?? 0] === 0) at++;
    else if ((code >= 48 && code <= 57) || code === 45 || code === 46 || code === 43) {
      let value = 0;
      const sign = code === 45 ? -1 : 1;
      if (code === 45 || code === 43) at++;
      let digit = bytes[at] ?? 0;
      for (; digit >= 48 && digit <= 57; digit = bytes[++at] ?? 0) value = value * 10 + digit - 48;
      if (digit === 46) {
        let unit = 0.1;
        for (digit = bytes[++at] ?? 0; digit >= 48 && digit <= 57; digit = bytes[++at] ?? 0, unit /= 10)
          value += (digit - 48) * unit;
      }
      while (at < length && ends[bytes[at] ?? 0] === 0) at++;
      if (operands.count < 32) numbers[operands.count++] = sign * value;
    } else if (code === 40) {
      let depth = 1;
      const start = ++at;
      for (; at < length && depth > 0; at++) {
        const inside = bytes[at];
        if (inside === 92) at++;
        else if (inside === 40) depth++;
        else if (inside === 41) depth--;
      }
      operands.textBytes += at - start - 1;
    } else if (code === 60 && bytes[at + 1] !== 60) {
      const start = at;
      while (at < length && bytes[at] !== 62) at++;
      operands.textBytes += (++at - start - 2) >> 1;
    } else if (code === 47) {
      const start = at++;
      while (at < length && ends[bytes[at] ?? 0] === 0) at++;
      if (operands.nameAt < 0 || !inArray) {
        operands.nameAt = start;
        operands.nameEnd = at;
      }
    } else if (code === 37) {
      while (at < length && bytes[at] !== 10 && bytes[at] !== 13) at++;
    } else if (ends[code] === 1) {
      if (code === 91 || code === 93) inArray = code === 91;
      at++;
    } else {
      let operator = 0;
      for (let shift = 0; at < length && ends[bytes[at] ?? 0] === 0; at++, shift += 8)
        if (shift < 24) operator |= (bytes[at] ?? 0) << shift;
      operators++;
      onOperator(operator, operands);
      if (operator === inlineData) {
        // Data of an image inside the stream: up to the mark with space before it.
        do at = bytes.indexOf(69, at + 1);
        while (at >= 0 && !(bytes[at + 1] === 73 && (bytes[at - 1] ?? 0) <= 32));
        at = at < 0 ? length : at + 2;
      }
      operands.count = 0;
      operands.nameAt = -1;
      operands.textBytes = 0;
      inArray = false;
    }
  }
  return operators;
}
