import { decodeXML } from "entities";
import { listed } from "../../../core/plural.ts";
import { isJson } from "../../json.ts";
import { countWarning } from "../blocks.ts";

/** Formats of data whose texts have characters as `\u00f6`. */
const backslashed = new Set("json jsonc json5 jsonl ndjson geojson yaml yml toml properties log".split(" "));
const marked = new Set("xml xsd xsl xslt wsdl rss atom plist csproj".split(" "));

/** `\u00f6`, two of them for a character above the first plane, and YAML's and TOML's `\U0001f600`, `\xf6`. */
const escaped = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([\s\S]))/g;
/** What colours a text on a terminal, behind the escape character. */
const colour = /\u001b\[[\d;]{0,20}m/g;

/** Characters that would end a text or begin an escape, or be seen by nobody, stay as they are written. */
const isPlain = (sign: string): boolean => /[^\p{C}"'\\\s]/u.test(sign);

function withoutBackslashes(text: string, extension: string): string {
  const hasBytes = extension === "yaml" || extension === "yml";
  const decoded = text.replace(
    escaped,
    (whole, short?: string, long?: string, byte?: string, _other?: string) => {
      if (byte !== undefined && !hasBytes) return whole;
      const code = Number.parseInt(short ?? long ?? byte ?? "", 16);
      if (Number.isNaN(code) || code > 0x10_ff_ff) return whole;
      const sign = short === undefined ? String.fromCodePoint(code) : String.fromCharCode(code);
      // Halves of a pair are kept until both are there; the escape character until its colour is.
      return isPlain(sign) || (code >= 0xd8_00 && code <= 0xdf_ff) || code === 0x1b || code === 0xa0
        ? sign
        : whole;
    },
  );
  return decoded
    .replace(colour, "")
    .replace(/\u001b/g, "\\u001b")
    .replace(/\p{Cs}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

/** A text with the characters that it refers to. Entities that a file defines stay, and what would end a line. */
const resolved = (text: string): string =>
  text.replace(/&#?\w{1,8};/g, (whole) => {
    const sign = decodeXML(whole);
    return /[\p{C}\n\r]/u.test(sign) ? whole : sign;
  });

/** XML with its references resolved, but for sections of CDATA, which have none. */
function withoutReferences(text: string): string {
  const [first = "", ...sections] = text.split("<![CDATA[");
  const others = sections.map((section) => {
    const end = section.indexOf("]]>");
    return end < 0 ? section : section.slice(0, end) + resolved(section.slice(end));
  });
  return [resolved(first), ...others].join("<![CDATA[");
}

/** Data in text with the characters in their place that its format writes by numbers or names. */
export function withCharacters(text: string, extension: string): string {
  if (backslashed.has(extension)) return text.includes("\\") ? withoutBackslashes(text, extension) : text;
  return marked.has(extension) && text.includes("&") ? withoutReferences(text) : text;
}

/** The warning for lines of JSON lines that are no JSON. */
export function invalidJsonWarnings(extension: string, lines: readonly string[]): readonly string[] {
  if (extension !== "jsonl" && extension !== "ndjson") return [];
  const broken = lines.flatMap((line, at) => (line.trim() === "" || isJson(line) ? [] : [at + 1]));
  return countWarning(broken.length, "line", `read as text, being no valid JSON: ${listed(broken, 5)}`);
}
