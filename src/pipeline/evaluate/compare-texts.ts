import { type Quantity, quantitiesIn } from "../../language/quantities.ts";

/** Not within a word of a number or a name. */
const notInWord = "(?<![\\p{L}\\p{N}_])";
const notBeforeWord = "(?![\\p{L}\\p{N}_])";
const percent = new RegExp(` ?(?:percent|per cent)${notBeforeWord}`, "gu");
const currency = new RegExp(`[$€£]|${notInWord}us\\$|${notInWord}usd${notBeforeWord}`, "gu");
const article = new RegExp(`${notInWord}(?:a|an|the)${notBeforeWord}`, "gu");

/**
 * Text normalised for comparing answers: NFKC, lower case, without commas, trailing zeros of decimals,
 * currencies, articles and punctuation; `percent` is `%`.
 */
export function normalizeAnswer(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(",", "")
    .replace(/\s+/g, " ")
    .replace(/(?<!\p{Nd})\p{Nd}+\.\p{Nd}+/gu, withoutClosingZeros)
    .replace(percent, "%")
    .replace(currency, " ")
    .replace(/[^\p{L}\p{N}_%.]+/gu, " ")
    .replace(/\.(?!\p{Nd})/gu, " ")
    .replace(article, " ")
    .split(" ")
    .filter((word) => word !== "")
    .join(" ");
}

function withoutClosingZeros(decimal: string): string {
  let end = decimal.length;
  while (decimal[end - 1] === "0") end -= 1;
  if (decimal[end - 1] === ".") end -= 1;
  return decimal.slice(0, end);
}

/** The response without its bracketed citation numbers. */
function withoutMarkers(response: string): string {
  return response.replace(/\[[\p{Nd}\s,]*\]/gu, (marker) => {
    const numbers = marker.slice(1, -1).split(",");
    return numbers.every((number) => /^\p{Nd}+$/u.test(number.trim())) ? " " : marker;
  });
}

/** Whether the response contains one of the accepted answers, on word boundaries. */
export function contains(response: string, accepted: readonly string[]): boolean {
  const text = ` ${normalizeAnswer(withoutMarkers(response))} `;
  return accepted.some((answer) => {
    const wanted = normalizeAnswer(answer);
    return wanted !== "" && text.includes(` ${wanted} `);
  });
}

/**
 * Best F1 of the words of the response and of an accepted answer, in [0, 1]: 2 × common / (words of both).
 * Source: Rajpurkar et al., EMNLP 2016 (SQuAD).
 */
export function wordF1(response: string, accepted: readonly string[]): number {
  const given = wordsOf(withoutMarkers(response));
  return Math.max(
    0,
    ...accepted.map((answer) => {
      const wanted = wordsOf(answer);
      const common = commonWords(given, wanted);
      return common === 0 ? 0 : (2 * common) / (given.length + wanted.length);
    }),
  );
}

const wordsOf = (text: string): readonly string[] =>
  normalizeAnswer(text)
    .split(" ")
    .filter((word) => word !== "");

function commonWords(left: readonly string[], right: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of right) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of left) {
    const rest = counts.get(word) ?? 0;
    if (rest === 0) continue;
    counts.set(word, rest - 1);
    common += 1;
  }
  return common;
}

/**
 * Whether the response has every number of some accepted answer, within a relative tolerance; undefined if no
 * accepted answer has a number in digits. Scale words count (`1.2 million` is `1,200,000`); if one side gives
 * no scale, as in a table in thousands, the bare numbers are compared as well.
 */
export function numbersMatch(
  response: string,
  accepted: readonly string[],
  tolerance: number,
): boolean | undefined {
  const wanted = accepted
    .map((answer) => numbersIn(answer).filter(({ word }) => !word))
    .filter((numbers) => numbers.length > 0);
  if (wanted.length === 0) return undefined;
  const given = numbersIn(withoutMarkers(response));
  return wanted.some((numbers) =>
    numbers.every((number) => given.some((other) => isNear(number, other, tolerance))),
  );
}

const numbersIn = (text: string): readonly Quantity[] => quantitiesIn(text.normalize("NFKC").toLowerCase());

function isNear(wanted: Quantity, other: Quantity, tolerance: number): boolean {
  const factors: (readonly [number, number])[] = [[wanted.scale, other.scale]];
  if (wanted.scale === 1 || other.scale === 1) factors.push([1, 1]);
  return wanted.readings.some((left) =>
    other.readings.some((right) =>
      factors.some(([leftScale, rightScale]) => {
        const exact = left * leftScale;
        return Math.abs(exact - right * rightScale) <= tolerance * Math.abs(exact) + 1e-9;
      }),
    ),
  );
}

/** Accepted answers of a line: a text, a list of texts, or a list written as text, like `['12', '13']`. */
export function acceptedAnswers(answer: unknown): readonly string[] {
  if (answer === null || answer === undefined) return [];
  if (Array.isArray(answer))
    return answer.flatMap((each) => (Array.isArray(each) ? [] : acceptedAnswers(each)));
  const text = String(answer);
  return text.startsWith("[") && text.endsWith("]") ? (quotedList(text) ?? [text]) : [text];
}

/** One member of a list written as text: quoted either way, or a bare number. */
const listMember = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d[\d.]*))\s*(?:,|$)/y;

/** The members of a list of quoted texts or bare numbers; null for any other text. */
function quotedList(text: string): readonly string[] | null {
  const inner = text.slice(1, -1);
  const member = new RegExp(listMember);
  const members: string[] = [];
  while (member.lastIndex < inner.length) {
    const match = member.exec(inner);
    if (match === null) return null;
    const [, single, double, bare = ""] = match;
    members.push((single ?? double ?? bare).replace(/\\(.)/g, "$1"));
  }
  return members;
}
