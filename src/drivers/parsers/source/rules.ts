import type { Mark } from "./outline.ts";

/** A line that begins a part: its first group gives the depth of the part, its second the name. */
interface Rule {
  readonly pattern: RegExp;
  /** Level of the part, 1 to 6, from what the first group matched; other values are clamped. */
  readonly level: (sign: string) => number;
}

/** Two columns, or a tab, a level. */
const byIndent = (sign: string): number => 1 + Math.floor(sign.replaceAll("\t", "  ").length / 2);

/** A key whose value is in the lines below it; behind it there may be a tag or an anchor. */
const yaml: Rule = {
  pattern:
    /^( {0,4})([\w./-]{1,80}|"[^"]{1,80}"):(?:[ \t]{1,4}[&!][^\s|>#]{1,80}){0,2}[ \t]{0,4}(?:[|>#].*)?$/,
  level: byIndent,
};
const json: Rule = {
  pattern: /^([ \t]{1,4})"([^"]{1,80})"[ \t]{0,4}:[ \t]{0,4}[[{][ \t]{0,4}$/,
  level: byIndent,
};
const table: Rule = { pattern: /^()\[{1,2}([^[\]]{1,120})\]{1,2}[ \t]{0,20}(?:[#;].*)?$/, level: () => 1 };
const xml: Rule = {
  pattern: /^([ \t]{0,4})<([A-Za-z_][\w:.-]{0,80})(?:\s[^<>]{0,400})?>[ \t]{0,4}$/,
  level: byIndent,
};
const sql: Rule = {
  pattern:
    /^()create (?:\w{1,20} ){0,4}(?:table|view|function|procedure|trigger|index|type|schema) (?:if not exists )?([\w."`[\]]{1,120})/i,
  level: () => 1,
};
/** Words by which languages that no grammar is kept of begin a definition. */
const definition: Rule = {
  pattern:
    /^([ \t]{0,8})(?:[a-z@]{1,20} ){0,4}(?:class|interface|struct|enum|trait|protocol|object|module|namespace|extension|message|service|type|def|fn|fun|func|function|sub|defmodule) ([\w.:$]{1,80})/,
  level: byIndent,
};
const asciidoc: Rule = { pattern: /^(={1,6})[ \t]+(\S.*)$/, level: ({ length }) => length };
const org: Rule = { pattern: /^(\*{1,6})[ \t]+(\S.*)$/, level: ({ length }) => length };
const divisions = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph"];
const latex: Rule = {
  pattern:
    /^\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]]{0,300}\])?\{([^{}]{1,300})\}/,
  level: (word) => divisions.indexOf(word) + 1,
};

/** Rules of parts by extension; null for text that has none. */
const rules: Readonly<Record<string, Rule | null>> = {
  ...{ yaml, yml: yaml, json, jsonc: json, json5: json, geojson: json, jsonl: null, ndjson: null, log: null },
  ...{ toml: table, ini: table, cfg: table, conf: table, properties: null, sql },
  ...{ xml, xsd: xml, xsl: xml, xslt: xml, wsdl: xml, rss: xml, atom: xml, plist: xml, csproj: xml },
  ...{ adoc: asciidoc, asciidoc, org, tex: latex, ltx: latex },
};

/** The part that a line begins, with how much of the line says so; undefined for any other line. */
function beginning(rule: Rule, line: string): (Omit<Mark, "line"> & { readonly length: number }) | undefined {
  const [own = "", sign = "", text = ""] = rule.pattern.exec(line) ?? [];
  if (text === "") return undefined;
  return { level: Math.min(6, Math.max(1, rule.level(sign))), text: text.trim(), length: own.length };
}

/**
 * The heading of a marked-up text that a line begins with, by the extension of its file, in lower case
 * without its dot.
 */
export function headingOf(extension: string, line: string): ReturnType<typeof beginning> {
  const rule = rules[extension];
  return rule === undefined || rule === null ? undefined : beginning(rule, line);
}

/**
 * The parts of a text that no grammar is kept of; those of an unknown extension begin as most languages have
 * them.
 */
export function marksByRule(extension: string, lines: readonly string[]): readonly Mark[] {
  const rule = rules[extension] === undefined ? definition : rules[extension];
  if (rule === null) return [];
  if (rule === yaml) return documentMarks(lines);
  return partMarks(rule, lines);
}

/** The parts of YAML; where there are several documents, each is one, under its number. */
function documentMarks(lines: readonly string[]): readonly Mark[] {
  const starts = lines.flatMap((line, at) => (/^---(?:\s|$)/.test(line) ? [at] : []));
  // What stands before the first line of dashes is a document, unless it is a comment.
  const isOpen = lines.slice(0, starts[0]).some((line) => /^[^#%\s]/.test(line));
  const keys = partMarks(yaml, lines);
  if (starts.length + Number(isOpen) < 2) return keys;
  const documents = (isOpen ? [0, ...starts] : starts).map((at, index) => ({
    line: at + 1,
    level: 1,
    text: `document ${index + 1}`,
  }));
  const deeper = keys.map((key) => ({ ...key, level: key.level + 1 }));
  return [...documents, ...deeper].toSorted((one, other) => one.line - other.line);
}

function partMarks(rule: Rule, lines: readonly string[]): readonly Mark[] {
  return lines.flatMap((line, index) => {
    const found = beginning(rule, line);
    return found === undefined ? [] : [{ line: index + 1, level: found.level, text: found.text }];
  });
}
