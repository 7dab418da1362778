/**
 * Unicode noncharacters, which no text contains. They mark raised and lowered text while a paragraph is
 * assembled, because its meaning depends on the text before and after it.
 */
const raisedMarks = ["\ufdd0", "\ufdd1"] as const;
const loweredMarks = ["\ufdd2", "\ufdd3"] as const;

/** Raised or lowered text, by the HTML tag for it. */
export type Rise = "sup" | "sub" | undefined;

/** The mark that begins or ends raised or lowered text, for readers that meet the two ends separately. */
export function raisedMark(rise: Rise, side: "begin" | "end"): string {
  if (rise === undefined) return "";
  return (rise === "sup" ? raisedMarks : loweredMarks)[side === "begin" ? 0 : 1];
}

/** Text wrapped in the marks of raised or lowered text; `resolveMarks` resolves them. */
export function markRaised(rise: Rise, text: string): string {
  return text === "" ? "" : raisedMark(rise, "begin") + text + raisedMark(rise, "end");
}

const raisedSigns = new Map([..."0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻−⁻–⁻=⁼(⁽)⁾nⁿiⁱ".matchAll(/(.)(.)/gu)].map(pair));
const loweredSigns = new Map([..."0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋−₋–₋=₌(₍)₎".matchAll(/(.)(.)/gu)].map(pair));

function pair([, plain = "", risenSign = ""]: RegExpExecArray): readonly [string, string] {
  return [plain, risenSign];
}

/**
 * The text in Unicode superscript or subscript characters; undefined where one of its characters has no such
 * form.
 */
function inSigns(text: string, signs: ReadonlyMap<string, string>): string | undefined {
  const written = [...text].map((sign) => signs.get(sign));
  return written.includes(undefined) ? undefined : written.join("");
}

/**
 * What precedes the mark of a note: a word, a closing sign, or any number except the bases of powers, 2 and
 * 10.
 */
const noted = /(?:\p{L}{3}|[.,;:!?)%”"’']|\d{2}|[013-9]|(?![x×])\p{L}\d)$/u;
/**
 * After these a raised number is an exponent: powers of two and ten, units and functions of three letters.
 */
const powered =
  /(?:(?<![\p{L}\d.,])(?:10|2)|[x×·*]\s?(?:10|2)|(?<!\p{L})(?:feet|foot|inch|inches|mile|miles|yards?|met(?:er|re)s?|kilomet(?:er|re)s?|sin|cos|tan|log))$/iu;
/** Numbers of notes: `1`, `1,2`, `1–3`, `1)`, `2a`. */
const noteNumbers = /^([1-9]\d{0,2}[a-z]?(?:[,;–-]\s?[1-9]\d{0,2}[a-z]?){0,9})\)?$/;
/** What would change the number or the name before it: a number, or an expression. */
const expression = /^(?:[+−–-]?\d|[+−–-][a-z]|[a-z][+−–-][\da-z])/i;
/** Longest raised text that can be an exponent, characters. */
const longestExponent = 12;
/** Characters before raised text that decide its meaning. */
const reach = 40;

/**
 * A raised number as text, so that it does not merge with the text before it: a note becomes `[1]`, an
 * exponent `m²` or `10¹¹`. Other raised text is unchanged.
 */
export function resolveRaised(before: string, text: string): string {
  const own = text.trim();
  if (before === "" || /\s$/.test(before) || !expression.test(own)) return text;
  const end = before.slice(-reach);
  const numbers = noteNumbers.exec(own)?.[1];
  if (numbers !== undefined && noted.test(end) && !powered.test(end)) return `[${numbers}]`;
  const signs = inSigns(own, raisedSigns);
  if (signs !== undefined) return signs;
  if (own.length > longestExponent) return ` ${own}`;
  return /^[\p{L}\d.,]+$/u.test(own) ? `^${own}` : `^(${own})`;
}

/** Lowered text, unchanged as in `H2O` unless its digits would join the digits next to it. */
function lowered(before: string, text: string, after: string): string {
  const joins = (/\d$/.test(before) && /^\d/.test(text)) || (/\d$/.test(text) && /^\d/.test(after));
  return joins ? (inSigns(text, loweredSigns) ?? `_(${text})`) : text;
}

/**
 * Raised text in a paragraph: after a blank or at the beginning, a note and an exponent cannot be
 * distinguished.
 */
function raisedIn(before: string, text: string, after: string, isBehindLowered: boolean): string {
  const stands = before === "" ? /^\d/.test(after) : /\s$/.test(before) || isBehindLowered;
  return (stands && inSigns(text.trim(), raisedSigns)) || resolveRaised(before, text);
}

const anyMark = /[\ufdd0-\ufdd3]/g;
const fraction = /(\d?)\ufdd0\s?(\d{1,3})\s?\ufdd1\s?[/⁄]\s?\ufdd2\s?(\d{1,3})\s?\ufdd3/g;

/** Resolves raised and lowered parts of a text so that figures keep their meaning. */
export function resolveMarks(text: string): string {
  if (!/[\ufdd0-\ufdd3]/.test(text)) return text;
  const whole = text
    // Programs cut one exponent into several runs.
    .replace(/\ufdd1\ufdd0|\ufdd3\ufdd2/g, "")
    .replace(fraction, (_, digit: string, over: string, under: string) =>
      digit === "" ? `${over}/${under}` : `${digit} ${over}/${under}`,
    );
  let settled = "";
  let end = 0;
  let lastLowered = -1;
  for (const match of whole.matchAll(/[\ufdd0\ufdd2]([^\ufdd0-\ufdd3]*)[\ufdd1\ufdd3]/g)) {
    const [part, inner = ""] = match;
    settled += whole.slice(end, match.index).replace(anyMark, "");
    const isBehindLowered = lastLowered === match.index;
    end = match.index + part.length;
    const before = settled.slice(-reach);
    const after = whole.charAt(end);
    if (part.startsWith(raisedMarks[0])) settled += raisedIn(before, inner, after, isBehindLowered);
    else {
      settled += lowered(before, inner, after);
      lastLowered = end;
    }
  }
  return settled + whole.slice(end).replace(anyMark, "");
}
