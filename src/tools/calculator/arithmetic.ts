import { plainNumbers } from "./numbers.ts";
import { evaluatorUnit } from "./units.ts";

const number = String.raw`\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+`;

/** Phrases around an expression that mean nothing. Longest first. */
const openings =
  /^(?:(?:please|hey|so|and|ok|okay|can you|could you|would you|tell me|help me|i need to|vui lòng|hãy|cho tôi biết|giúp tôi)[\s,]+)*(?:what(?:'s|’s| is| are| does| would be)?|how much(?: is| are| does)?|how many is|calculate|compute|evaluate|work out|solve|find|convert|tính(?: giúp)?(?: tôi)?|kết quả(?: của)?(?: phép tính)?|đổi|quy đổi)(?:\s+(?:the (?:value|result|sum|answer) (?:of|to)|the answer to|of))?\s*:?\s+/u;
const closings =
  /(?: ?(?:=|\?|\.|!(?= ?$)|(?:, ?)?please|equals?(?: what)?|is (?:what|how much)|bằng (?:bao nhiêu|mấy)|là (?:bao nhiêu|mấy)|bằng|make|come to))+$/u;

/** Word → operator, applied in this order. */
const words: readonly (readonly [RegExp, string])[] = [
  [/[×✕·]|(?<=\d)\s*x\s*(?=\d|\()/gu, " * "],
  [/÷/gu, " / "],
  [/[−–—]/gu, "-"],
  [/\bto the power of\b|\braised to(?: the power(?: of)?)?\b|\blũy thừa\b|\bmũ\b|\*\*/gu, "^"],
  [
    /\b(?:the\s+)?square root of\s*(\d+(?:\.\d+)?|\([^()]*\))|căn bậc hai(?: của)?\s*(\d+(?:\.\d+)?)/gu,
    " sqrt($1$2) ",
  ],
  [/\b(?:the\s+)?cube root of\s*(\d+(?:\.\d+)?|\([^()]*\))/gu, " cbrt($1) "],
  [/\bsquared\b/gu, "^2"],
  [/\bcubed\b/gu, "^3"],
  [/\bmultiplied by\b|\btimes\b|(?<![\p{L}])nhân(?: với)?(?![\p{L}])/gu, " * "],
  [/\bdivided by\b|\bover\b(?=\s*[\d(])|(?<![\p{L}])chia(?: cho)?(?![\p{L}])/gu, " / "],
  [/\bplus\b|(?<![\p{L}])cộng(?: với)?(?![\p{L}])/gu, " + "],
  [/\bminus\b|(?<![\p{L}])trừ(?: đi)?(?![\p{L}])/gu, " - "],
  [/\bpercent\b|\bper cent\b|(?<![\p{L}])phần trăm(?![\p{L}])/gu, "%"],
  [/(?<![\p{L}])(?:của)(?![\p{L}])/gu, "of"],
  [/[$€£₫]/gu, ""],
];

/**
 * `17.5% of 2340` → `17.5% * 2340`; adding or subtracting a percentage is left to the evaluator: `200 + 10%`.
 */
const percentOf = new RegExp(String.raw`(${number})\s*%\s+of\s+(?=[\d(.]|sqrt)`, "gu");
const fractionOf = new RegExp(
  String.raw`(?:^|\s)(half|a third|a quarter|(?:${number})\s*/\s*(?:${number}))\s+of\s+(?=[\d(.])`,
  "gu",
);
const fractions: Readonly<Record<string, string>> = { half: "1/2", "a third": "1/3", "a quarter": "1/4" };

/** Dates, versions, telephone numbers and clause numbers are not arithmetic. */
const notSums =
  /^\s*(?:\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{3}-\d{4}|\d+(?:-\d+){2,}|\d{4}\s*[-/]\s*(?:19|20)\d{2})\s*$/u;

const tokens = new RegExp(
  String.raw`(?:${number}|[-+*/^%()!,\s]|\b(?:sqrt|cbrt|abs|round|floor|ceil|min|max|mean|median|sum|log10|log2|log|ln|exp|gcd|lcm|pi)\b)`,
  "giu",
);
const operation = /[\d)%!]\s*[-+*/^]\s*[-+]?\s*(?:[\d(.]|[a-z]{2,}\()|\d\s*!|[a-z]{2,}\d*\s*\([^)]*\d/iu;

/**
 * `125 Nm to lbf ft`, `how many feet are in 3 miles`, `đổi 5 km sang m`: an expression with the evaluator's
 * units.
 */
function conversionIn(text: string): string | null {
  const direct = new RegExp(
    String.raw`^(-?(?:${number}))\s*(\D[^?]*?)\s+(?:to|in|into|as|sang|ra|thành|=)\s+(\S[^?]*?)$`,
    "u",
  ).exec(text);
  const reverse = new RegExp(
    String.raw`^(?:how many\s+)?(\D[^?]*?)\s+(?:are\s+(?:there\s+)?in|is|make|in)\s+(-?(?:${number}))\s*(\D[^?]*?)$`,
    "u",
  ).exec(text);
  const [amount, from, to] = direct
    ? [direct[1], direct[2], direct[3]]
    : reverse
      ? [reverse[2], reverse[3], reverse[1]]
      : [];
  if (amount === undefined || from === undefined || to === undefined) return null;
  const [source, target] = [evaluatorUnit(from), evaluatorUnit(to)];
  return source === undefined || target === undefined ? null : `${amount} ${source} to ${target}`;
}

/** The expression without surrounding phrases; case is kept for units. */
function stripped(question: string): { readonly text: string; readonly asked: boolean } {
  let text = question.normalize("NFC").trim().replace(/\s+/g, " ");
  const opening = openings.exec(text.toLowerCase());
  if (opening !== null) text = text.slice(opening[0].length);
  const closing = closings.exec(text.toLowerCase());
  if (closing !== null) text = text.slice(0, closing.index);
  return { text: text.trim(), asked: opening !== null || closing !== null };
}

/**
 * The expression of a question that is plain arithmetic and nothing else, in the form `evaluate` accepts;
 * null for every other question. Decided by form alone, without the evaluator: `what is 17.5% of 2,340?` →
 * `17.5% * 2340`, `12 cộng 5` → `12 + 5`.
 */
export function arithmeticIn(question: string): string | null {
  if (question.length > 300 || !/\d/.test(question)) return null;
  const { text, asked } = stripped(question);
  const plain = plainNumbers(text);
  if (plain === null || notSums.test(text) || (!asked && /^\d+[/-]\d+$/.test(text))) return null;
  const conversion = conversionIn(plain);
  if (conversion !== null) return conversion;
  let sum = plain.toLowerCase();
  for (const [pattern, sign] of words) sum = sum.replaceAll(pattern, sign);
  sum = sum
    .replaceAll(percentOf, "$1% * ")
    .replaceAll(fractionOf, (_, part: string) => ` (${fractions[part] ?? part}) * `);
  sum = sum.replace(/\s+/g, " ").trim();
  if (sum.replaceAll(tokens, "") !== "" || !operation.test(sum)) return null;
  return sum;
}
