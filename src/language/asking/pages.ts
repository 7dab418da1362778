import {
  alternatives,
  conjunctions,
  isSyllabic,
  languages,
  parseWords,
  rangeConnectors,
} from "../languages.ts";

/** Names of pages, plural first, as they are longer. */
const page = `(?:${alternatives(({ pages }) => pages?.several)}|${alternatives(({ pages }) => pages?.one)})`;

const tens = languages.flatMap(({ numbers }) => parseWords(numbers?.tens));
const cardinals = languages.map(({ numbers }) => parseWords(numbers?.small));
const ordinals = languages.map(({ pages }) => parseWords(pages?.ordinals));

/** Word → number: `two`, `second`; the tens precede them: `twenty-second`. */
const units = new Map(
  [...cardinals, ...ordinals].flatMap((list) => list.map((word, at) => [word, at] as const)),
);
const ten = tens.join("|");

/** Longest span whose pages count as named individually. */
const longestSpan = 50;

/** Digits, possibly with grouped thousands (`1,234`), but not a year. */
const digits = String.raw`(?:[1-9][.,]\d{3}(?![.,]?\d)|(?!(?:19|20)\d\d(?!\d))\d{1,4}(?!\d))`;
const inWords = `(?:(?:(?:${ten})[\\s-])?(?:${cardinals.flat().join("|")})|${ten})(?!\\p{L})`;
const number = `(?:${digits}|${inWords})`;
const until = rangeConnectors();
const joining = String.raw`(?<!\p{L})(?:${conjunctions()}|${until})(?!\p{L})`;
/** One or several numbers, each optionally with a name: `page 3 to page 10`. */
const list = (of: string, name = page): string =>
  String.raw`${of}(?:\s?(?:[,&](?:\s?${joining})?|[–-]|${joining})\s?(?:(?:${name})\s)?${of}){0,9}`;

const scales = languages.flatMap(({ numbers }) => Object.keys(numbers?.scales ?? {})).join("|");
/** After a number that is a quantity, or part of another number or word. */
const other = String.raw`[\p{L}\p{N}%]|[.,]\d|[-–]\p{L}|\s(?:${scales})(?!\p{L})|\s?(?:[mµcdk]?m|[mk]g|[kmgt]b|ml|ft|px|pt|%|°|€)(?![\p{L}\p{N}])`;

const others = alternatives(({ pages }) => pages?.others);
const numbered = alternatives(({ pages }) => pages?.numbered);
const behind = new RegExp(
  String.raw`(?<!\p{L})(?<!(?<!\p{L})(?:${others})[\s-])(?<name>${page})\s?(?:(?:${numbered}|#)\s?)?(?:\(\s?(?<inside>${list(number)})\s?\)|(?<open>${list(number)})(?!${other}))`,
  "giu",
);
/** After the name of a page without a number. */
const lone = String.raw`(?!\p{L}|\s\(?\d)`;
/** Ordinals before the name of a page in the same language. */
const ordinal = languages
  .flatMap(({ pages }) =>
    pages?.ordinals === undefined
      ? []
      : String.raw`(?:\d{1,3}(?=(?:${pages.ordinalEnds})\s(?:${pages.one}|${pages.several})${lone})|(?:(?:${ten})[\s-])?(?:${parseWords(pages.ordinals).join("|")})(?=[nrsm]?\s(?:${pages.one}|${pages.several})${lone}))`,
  )
  .join("|");
const before = new RegExp(String.raw`(?<![\p{L}\p{N}.,-])(?:${ordinal})`, "giu");
const shortNames = (isInSyllables: boolean): string =>
  languages
    .flatMap(({ syllables = false, pages }) => (syllables === isInSyllables ? (pages?.short ?? []) : []))
    .join("|");
const shortened = (name: string): RegExp =>
  new RegExp(
    String.raw`(?<![\p{L}.])(?<!\p{N}\s?)(?:${name})\s?(?!0)(${list(digits, name)})(?!${other})`,
    "gu",
  );
/** Abbreviated: `p.`; in a text in syllables that is not a page, nor are its abbreviations elsewhere. */
const abbreviation = shortened(shortNames(false));
const syllabicAbbreviation = shortened(shortNames(true));
const several = new RegExp(`^(?:${alternatives(({ pages }) => pages?.several)})$`, "iu");
/** The singular of page, in languages with a different plural. */
const single = new RegExp(
  `^(?:${alternatives(({ pages }) => (pages?.several === undefined ? undefined : pages.one))})$`,
  "iu",
);
const proper = new RegExp(
  String.raw`(?<=[\p{L}\p{N},]\s)(?:${alternatives(({ pages }) => pages?.proper)})(?!\p{L})`,
  "gu",
);
/** Before the first and the last page of a span: `between pages`. */
const between = new RegExp(
  String.raw`(?<!\p{L})(?:${alternatives(({ pages }) => pages?.between)})(?:\s\p{L}{2,4})?\s$`,
  "iu",
);
/** Longest such phrase, in characters. */
const longestBetween = 20;
/**
 * Two numbers with a comma between them, the second of which counts what follows: `On page 5, 12 people …`.
 */
const aside = new RegExp(String.raw`^(${number}),\s(?:${number})$`, "iu");
const clauseEnd = /^\s*(?:$|[.,;:?!)])/u;
const each = new RegExp(
  `(?<until>(?:[–-]|(?<!\\p{L})(?:${until}))\\s?(?:${page}\\s|\\p{L}\\.\\s)?)?(?<at>${number})`,
  "giu",
);
const front = new RegExp(`(?<!\\p{L})(?:${alternatives(({ pages }) => pages?.front)})(?!\\p{L})`, "iu");

/** `1,234` → 1234; `twenty-first` → 21. */
function numberOf(text: string): number {
  if (/^\d/.test(text)) return Number(text.replace(/[.,]/, ""));
  const [first = "", last = ""] = text.toLowerCase().split(/[\s-]/);
  const unit = units.get(last === "" ? first : last) ?? 0;
  return tens.includes(first) ? (tens.indexOf(first) + 2) * 10 + unit : unit;
}

/** All pages from the first to the last, or only these two if there are too many. */
function spanOf([first = 0, last = 0]: readonly number[]): readonly number[] {
  const between = last - first < longestSpan ? Math.max(0, last - first - 1) : 0;
  return [first, ...Array.from({ length: between }, (_, at) => first + 1 + at), last];
}

/** `3, 5 and 7` and `3-5` → the pages. */
function pagesOf(text: string): readonly number[] {
  const found: number[] = [];
  for (const { groups } of text.matchAll(each)) {
    const last = numberOf(groups?.["at"] ?? "");
    const first = groups?.["until"] === undefined ? last : (found.at(-1) ?? last);
    found.push(...spanOf([first, last]).slice(1, -1), last);
  }
  return found;
}

/**
 * Numbers after the name of a page, unless that is part of another name. The plural needs several numbers, or
 * one that nothing follows: a door slides 5 times.
 */
function pagesBehind(text: string): readonly number[] {
  const taken = new Set(Array.from(text.matchAll(proper), ({ index }) => index));
  return [...text.matchAll(behind)].flatMap(({ 0: all, index, groups }) => {
    const [name, open] = [groups?.["name"] ?? "", groups?.["open"] ?? ""];
    const isEnd = clauseEnd.test(text.slice(index + all.length));
    const one = isEnd || !single.test(name) ? undefined : aside.exec(open)?.[1];
    const found = pagesOf(groups?.["inside"] ?? one ?? open);
    const isNoPage = taken.has(index) || (found.length < 2 && several.test(name) && !isEnd);
    const isSpan = between.test(text.slice(Math.max(0, index - longestBetween), index));
    return isNoPage ? [] : isSpan && found.length === 2 ? spanOf(found) : found;
  });
}

/** Distinct page numbers in a question: `page 5`, `pages 30-35`, `p. 5`, `the second page`, `cover page`. */
export function pageNumbersInQuestion(question: string): readonly number[] {
  const text = question.normalize("NFC");
  const abbreviated = text.matchAll(isSyllabic(text) ? syllabicAbbreviation : abbreviation);
  const named = [
    ...pagesBehind(text),
    ...Array.from(abbreviated, ([, numbers = ""]) => pagesOf(numbers)).flat(),
    ...Array.from(text.matchAll(before), ([at]) => numberOf(at)),
  ];
  return [...new Set([...named.filter((at) => at > 0), ...(front.test(text) ? [1] : [])])];
}

/** Lines at either end of a page, up to a length in characters, that may have its number. */
const edgeLines = 2;
const edgeCharacters = 60;

/** A number at the start or end of a line, or after a name of pages. */
const printed = new RegExp(
  String.raw`^[\s|(–-]*\d{1,4}(?=[\s)–-]*(?:\||$|\d{1,4}\s*$))|(?<![\p{L}\p{N}.,$€£]|\b(?:of|von|sur)\s|\/\s?)\d{1,4}[\s|)–-]*$|(?<!\p{L})${page}\s\d{1,4}(?!\p{N})`,
  "giu",
);

/** Candidates for the number printed at the top or bottom of a page. */
export function printedPageNumbers(pageText: string): readonly number[] {
  const lines = pageText.split("\n").filter((line) => line.trim() !== "");
  const edges = new Set([...lines.slice(0, edgeLines), ...lines.slice(-edgeLines)]);
  return [...edges]
    .filter((line) => line.length <= edgeCharacters)
    .flatMap((line) => Array.from(line.matchAll(printed), ([text]) => /\d+/.exec(text)?.[0] ?? []))
    .map(Number);
}
