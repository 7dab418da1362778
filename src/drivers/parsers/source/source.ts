import { extname } from "node:path";
import type { ParsedContent, Parser } from "../../../core/documents/document.ts";
import { recordTables } from "../../../tables/records.ts";
import { decodeBeginning } from "../beginning.ts";
import { contentOf } from "../blocks.ts";
import { invalidJsonWarnings, withCharacters } from "./escapes.ts";
import { marksByGrammar } from "./grammar.ts";
import { codeBlocks } from "./outline.ts";
import { marksByRule } from "./rules.ts";

/** A line longer than this was written by a program for another, characters. */
const longLine = 64 * 1024;

/** A warning for lines that a citation of them says little of. */
function longLines(lines: readonly string[]): readonly string[] {
  const long = lines.findIndex(({ length }) => length > longLine);
  return long < 0
    ? []
    : [
        `line ${long + 1} has ${lines[long]?.length} characters, like a minified file; it is cited as one line`,
      ];
}

async function parse(bytes: Uint8Array, { name }: { readonly name: string }): Promise<ParsedContent> {
  const { text: raw, warnings } = await decodeBeginning(bytes, name);
  const extension = extname(name).slice(1).toLowerCase();
  const broken = invalidJsonWarnings(extension, raw.split("\n"));
  const text = withCharacters(raw, extension);
  const lines = text.split("\n");
  const long = longLines(lines);
  const marks =
    long.length > 0 ? [] : ((await marksByGrammar(extension, text)) ?? marksByRule(extension, lines));
  const { warnings: left, ...records } = await recordTables(extension, raw);
  const told = [...warnings, ...broken, ...long, ...left];
  // People look for code by its path.
  return contentOf(name, codeBlocks(text, marks), { title: name, warnings: told, ...records });
}

/**
 * Parses source code and data in text: every line, in parts by definition, key or section. Characters that data
 * writes by their numbers are shown; nothing else is resolved or expanded, so neither YAML aliases nor XML
 * entities can grow.
 */
export default (): Parser => ({ id: "source", parse });
