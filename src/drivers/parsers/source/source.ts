import { extname } from "node:path";
import type { ParsedContent, Parser } from "../../../core/documents/document.ts";
import { beginningOf, unread } from "../beginning.ts";
import { requireText } from "../blocks.ts";
import { decode } from "../decode.ts";
import { marksByGrammar } from "./grammar.ts";
import { type Mark, outlined } from "./outline.ts";
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

const marksOf = async (extension: string, text: string, lines: readonly string[]): Promise<readonly Mark[]> =>
  (await marksByGrammar(extension, text)) ?? marksByRule(extension, lines);

async function parse(bytes: Uint8Array, { name }: { readonly name: string }): Promise<ParsedContent> {
  const read = beginningOf(bytes);
  const { text, warnings } = await decode(read, name);
  const lines = text.split("\n");
  const long = longLines(lines);
  const marks = long.length > 0 ? [] : await marksOf(extname(name).slice(1).toLowerCase(), text, lines);
  return {
    // People look for code by its path.
    title: name,
    blocks: requireText(outlined(text, marks), name),
    pageCount: 0,
    pagesWithoutText: [],
    warnings: [...warnings, ...unread(bytes, read), ...long],
  };
}

/**
 * Parses source code and data in text: every line unchanged, in parts by definition, key or section. Nothing
 * is resolved or expanded, so neither YAML aliases nor XML entities can grow.
 */
export default (): Parser => ({ id: "source", parse });
