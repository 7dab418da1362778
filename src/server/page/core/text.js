import { english } from "../text/en.js";
import { vietnamese } from "../text/vi.js";

/** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
const dictionaries = { en: english, vi: vietnamese };

/** Languages of the page, as people who read them call them. */
export const languages = { en: "English", vi: "Tiếng Việt" };

const kept = localStorage.getItem("language");
const wanted = kept ?? navigator.language.slice(0, 2);
/** Code of the language that is shown. */
export const language = Object.hasOwn(dictionaries, wanted) ? wanted : "en";
document.documentElement.lang = language;

/** The text of a key, with `{name}` replaced; a key that is missing shows itself. @param {string} key @param {Readonly<Record<string, unknown>>} values */
export function t(key, values = {}) {
  const text = dictionaries[language]?.[key] ?? dictionaries.en?.[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, /** @type {string} */ name) => String(values[name] ?? ""));
}

/** Changes the language; the page is drawn anew. @param {string} code */
export function setLanguage(code) {
  localStorage.setItem("language", code);
  location.reload();
}

const numbers = new Intl.NumberFormat(language);
const oneDigit = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

/** @param {number} value */
export const number = (value) => numbers.format(value);
/** @param {string} iso */
export const date = (iso) => dates.format(new Date(iso));

/** Milliseconds in the unit that people read. @param {number} ms */
export function duration(ms) {
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${numbers.format(Math.round(ms))} ms`;
  if (ms < 120_000) return `${oneDigit.format(ms / 1000)} s`;
  return `${oneDigit.format(ms / 60_000)} min`;
}

/** Bytes in the unit that people read; decimal, as file managers count. @param {number} bytes */
export function size(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${oneDigit.format(bytes / 1000 ** power)} ${units[power]}`;
}
