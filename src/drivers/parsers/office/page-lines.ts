import type { Block } from "../../../core/documents/document.ts";
import { squeeze } from "../blocks.ts";
import { normalizeHeading } from "../page/line-text.ts";

/** Stands in a line of a page header or footer for a number that differs from page to page. */
export const pageNumberMark = "\ufdd4";

/** The parts of a line between its tabs, without those that give a page's number. */
export const lineParts = (line: string): string[] =>
  line
    .split(/[\t\n]/)
    .filter((part) => !part.includes(pageNumberMark) && /[\p{L}\p{N}]/u.test(part))
    .map(squeeze);

/** Lines of the page headers and footers of a document. */
export interface PageLines {
  readonly above: readonly string[];
  readonly below: readonly string[];
}

/** The blocks of a document between what its page headers and footers say and no block does, each once. */
export function withPageLines(blocks: readonly Block[], { above, below }: PageLines): readonly Block[] {
  const said = normalizeHeading(blocks.map(({ text }) => text).join(" "));
  const block = (lines: readonly string[]): Block[] => {
    const own = [...new Set(lines)].filter((line) => line !== "" && !said.includes(normalizeHeading(line)));
    return own.length === 0 ? [] : [{ kind: "paragraph", text: own.join("\n"), pages: [] }];
  };
  return [...block(above), ...blocks, ...block(below)];
}
