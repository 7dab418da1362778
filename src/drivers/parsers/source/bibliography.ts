import { squeeze } from "../blocks.ts";
import { type BibliographyEntry, inWords, type ReadEntry } from "./entry.ts";
import { latexText } from "./latex.ts";

/** A word, a sign, or the beginning of a value in braces or quotes. */
const token = /\s*(?:([{"])|([=,#})])|([^\s={}"#,)]{1,400}))/y;

/** The place of the brace or quote that closes the one before a place. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text[at];
    if (depth === 0 && sign === (text[from - 1] === "{" ? "}" : '"')) return at;
    depth += Number(sign === "{") - Number(sign === "}");
  }
  throw new Error("a value has no end");
}

/** A sign of an entry, a word between them, or a value without its braces or quotes. */
type Token = Readonly<Record<"sign" | "word" | "value", string | undefined>>;

function* tokensOf(text: string, from: number): Generator<Token> {
  token.lastIndex = from;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [, open, sign, word] = found;
    if (sign === "}" || sign === ")") return;
    const start = token.lastIndex;
    if (open !== undefined) token.lastIndex = closing(text, start) + 1;
    yield { sign, word, value: open && text.slice(start, token.lastIndex - 1) };
  }
  throw new Error("it has no end");
}

/** The key of an entry, and its fields in raw LaTeX; `texts`: those that names stand for. */
function rawEntry(text: string, from: number, texts: ReadonlyMap<string, string>) {
  const groups: Token[][] = [[]];
  for (const each of tokensOf(text, from))
    if (each.sign === ",") groups.push([]);
    else groups.at(-1)?.push(each);
  const fields = groups.flatMap(([name, equals, ...values]) => {
    if (equals?.sign !== "=") return [];
    if (values.some(({ sign }) => sign === "=")) throw new Error("a comma is missing");
    const parts = values.map(({ word = "", value }) => value ?? texts.get(word.toLowerCase()) ?? word);
    return [[name?.word?.toLowerCase() ?? "", parts.join("")] as const];
  });
  return { key: groups[0]?.[1] === undefined ? groups[0]?.[0]?.word : undefined, fields };
}

/** A value as it is printed. */
const printed = (value: string): string =>
  squeeze(latexText(value).replace(/\\[A-Za-z]{1,40}[ \t]{0,5}(?=\{)|[{}]/g, "")).replace(/~/g, " ");

/** Opens a reader of the entries of a BibTeX file, which may name texts that later ones use. */
export async function openBibtex(): Promise<ReadEntry> {
  const texts = new Map<string, string>();
  return (text) => {
    const [head = "", type = ""] = /^\s*@([A-Za-z]{1,40})\s*[{(]/.exec(text) ?? [];
    const kind = type.toLowerCase();
    if (kind === "comment" || kind === "preamble") return undefined;
    const { key, fields } = rawEntry(text, head.length, texts);
    if (kind !== "string")
      return {
        name: key ?? kind,
        fields: [["type", kind], ...fields.map(([name, value]) => [name, printed(value)] as const)],
      };
    for (const [name, value] of fields) texts.set(name, value);
    return undefined;
  };
}

/** Reads a reference of RIS. */
export function readRis(text: string): BibliographyEntry {
  const fields = [...text.matchAll(/^([A-Z][A-Z\d]) {2}- ?(.*)$/gm)]
    .map(([, tag = "", value = ""]) => [inWords(tag), value.trim()] as const)
    .filter(([, value]) => value !== "");
  const title = fields.find(([name]) => name === "title") ?? fields.find(([name]) => name === "id");
  if (title === undefined) throw new Error("it has no title");
  return { name: title[1], fields };
}
