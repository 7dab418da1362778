import { english } from "../text/en.js";
import { vietnamese } from "../text/vi.js";

/** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
const dictionaries = { en: english, vi: vietnamese };

/** Languages of the page by their own names. */
export const languages = { en: "English", vi: "Tiếng Việt" };

const kept = localStorage.getItem("language");
const wanted = kept ?? navigator.language.slice(0, 2);
/** Code of the page's language. */
export const language = Object.hasOwn(dictionaries, wanted) ? wanted : "en";
document.documentElement.lang = language;

/**
 * How dates and numbers are written: as the browser does, unless the reader chose a language that is not the browser's.
 */
const locale =
  kept === null
    ? navigator.language
    : (navigator.languages.find((each) => each.slice(0, 2) === language) ?? language);
const numbers = new Intl.NumberFormat(locale);
const oneDigit = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const times = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
const plurals = new Intl.PluralRules(language);

/**
 * The text of a key; a key that is missing shows itself. `{name}` becomes the value, `{name:page|pages}` the number with the noun
 * in its form for one or for several.
 * @param {string} key
 * @param {Readonly<Record<string, unknown>>} values
 */
export function t(key, values = {}) {
  const text = dictionaries[language]?.[key] ?? dictionaries.en?.[key] ?? key;
  return text.replace(
    /\{(\w{1,40})(?::([^{}]{1,80}))?\}/g,
    (_, /** @type {string} */ name, /** @type {string | undefined} */ forms) =>
      forms === undefined ? String(values[name] ?? "") : counted(Number(values[name]), forms),
  );
}

/** @param {number} count @param {string} forms */
function counted(count, forms) {
  const [one = "", several = one] = forms.split("|");
  return `${numbers.format(count)} ${plurals.select(count) === "one" ? one : several}`;
}

/** A text that ends a sentence: the server's errors have no full stop. @param {string} text */
export const withStop = (text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Saves the language and reloads the page in it. @param {string} code */
export function setLanguage(code) {
  localStorage.setItem("language", code);
  location.reload();
}

/** @param {number} value */
export const number = (value) => numbers.format(value);
/** A point in time. @param {string} iso */
export const date = (iso) => times.format(new Date(iso));
/** A calendar day, `2026-03-01`. @param {string} iso */
export const day = (iso) => days.format(new Date(iso));

/** Milliseconds in a readable unit. @param {number} ms */
export function duration(ms) {
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${numbers.format(Math.round(ms))} ms`;
  if (ms < 120_000) return `${oneDigit.format(ms / 1000)} s`;
  return `${oneDigit.format(ms / 60_000)} min`;
}

/** Bytes in a readable decimal unit, as file managers show them. @param {number} bytes */
export function size(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${oneDigit.format(bytes / 1000 ** power)} ${units[power]}`;
}
