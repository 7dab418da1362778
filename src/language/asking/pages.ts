import { alternatives, languages, listed } from "../languages.ts";

const page = `(?:${alternatives(({ pages }) => pages?.names)})`;

const cardinals = languages.map(({ numbers }) => listed(numbers?.small));
const ordinals = languages.map(({ pages }) => listed(pages?.ordinals));

/** Word → number: `two`, `second`. */
const numbers = new Map(
  [...cardinals, ...ordinals].flatMap((list) => list.map((word, at) => [word, at] as const)),
);
const ordinal = ordinals.flat().join("|");

/** Most pages of a span that are taken for named one by one. */
const longestSpan = 50;

/** In digits, but no year, or in a word. */
const number = String.raw`(?:(?!(?:19|20)\d\d(?!\d))\d{1,4}|(?:${[...numbers.keys()].join("|")})(?!\p{L}))`;
const eachNumber = new RegExp(number, "giu");
const spans = "–|-|through|to|bis|à|đến";
const joint = String.raw`\s?(?:[,&]|(?<!\p{L})(?:and|or|und|oder|et|ou|và|hoặc|${spans})(?!\p{L}))\s?(?:${page}\s)?`;
const behind = new RegExp(
  String.raw`(?<!\p{L})${page}\s?\(?(${number}(?:${joint}${number}){0,9})(?![\p{L}\p{N}%])`,
  "giu",
);
const before = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(\d{1,3}(?=st|nd|rd|th|\.)|${ordinal})(?:st|nd|rd|th|\.|[nrsm])?\s${page}(?!\p{L})`,
  "giu",
);
const spanned = new RegExp(`(?<!\\p{L})(?:${spans})(?!\\p{L})`, "iu");
const front = new RegExp(`(?<!\\p{L})(?:${alternatives(({ pages }) => pages?.front)})(?!\\p{L})`, "iu");

const numberOf = (text: string): number =>
  /^\d/.test(text) ? Number(text) : (numbers.get(text.toLowerCase()) ?? 0);

/** `3, 5 and 7` and `3-5` → the pages. */
function pagesOf(list: string): readonly number[] {
  const found = [...list.matchAll(eachNumber)].map(([text]) => numberOf(text));
  const [first = 0, last = 0] = found;
  const isSpan = found.length === 2 && spanned.test(list);
  return isSpan && last > first && last - first < longestSpan
    ? Array.from({ length: last - first + 1 }, (_, at) => first + at)
    : found;
}

/** Numbers of the pages that a question names, each once: `page 5`, `pages 30-35`, `the second page`, `cover page`. */
export function pagesNamed(question: string): readonly number[] {
  const text = question.normalize("NFC");
  const named = [
    ...Array.from(text.matchAll(behind), ([, list = ""]) => pagesOf(list)),
    ...Array.from(text.matchAll(before), ([, at = ""]) => [numberOf(at)]),
  ].flat();
  return [...new Set([...named.filter((at) => at > 0), ...(front.test(text) ? [1] : [])])];
}

/** Lines at either end of a page, of at most so many characters, that may hold its number. */
const edgeLines = 2;
const edgeCharacters = 60;

/** A number that opens or ends a line, or follows what a page is called. */
const printed = new RegExp(
  String.raw`^[\s|(–-]*\d{1,4}(?=[\s)–-]*(?:\||$|\d{1,4}\s*$))|(?<![\p{L}\p{N}.,$€£]|\b(?:of|von|sur)\s|\/\s?)\d{1,4}[\s|)–-]*$|(?<!\p{L})${page}\s\d{1,4}(?!\p{N})`,
  "giu",
);

/** Numbers that a page may have printed at its head or foot. */
export function numbersPrintedOn(pageText: string): readonly number[] {
  const lines = pageText.split("\n").filter((line) => line.trim() !== "");
  const edges = new Set([...lines.slice(0, edgeLines), ...lines.slice(-edgeLines)]);
  return [...edges]
    .filter((line) => line.length <= edgeCharacters)
    .flatMap((line) => Array.from(line.matchAll(printed), ([text]) => /\d+/.exec(text)?.[0] ?? []))
    .map(Number);
}
