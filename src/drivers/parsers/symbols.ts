import { codePoint } from "dingbat-to-unicode";
import type { Block, ParsedContent, Parser } from "../../core/documents/document.ts";
import { trimEndOf } from "../../core/text.ts";

const empty = "☐";
const ticks = "☑☒🗹🗷🗵⮽";
const anyBallot = new RegExp(`([${empty}${ticks}])`, "u");

/** A text with its ballot boxes as `[ ]` and `[x]`, which is how form controls are written. */
function ticked(text: string): string {
  if (!anyBallot.test(text)) return text;
  return text.split(anyBallot).reduce((before, part, at) => {
    if (at % 2 === 1) {
      const above = trimEndOf(before, /[ \t]/);
      const gap = above === "" || above.endsWith("\n") ? before.slice(above.length) : " ";
      return `${above}${gap}${part === empty ? "[ ]" : "[x]"}`;
    }
    const rest = at === 0 ? part : part.replace(/^[ \t]+/, "");
    return at === 0 || rest === "" || rest.startsWith("\n") ? before + rest : `${before} ${rest}`;
  }, "");
}

function tickedBlock(block: Block): Block {
  if (block.kind === "code" || !anyBallot.test(block.text)) return block;
  const { table, text } = block;
  const rows = table && { table: { ...table, rows: table.rows.map((row) => row.map(ticked)) } };
  return { ...block, text: ticked(text), ...rows };
}

/** A parser whose ballot boxes are read as form controls are, code left as it is. */
export const withCheckboxes = ({ id, parse }: Parser): Parser => ({
  id,
  async parse(bytes, file): Promise<ParsedContent> {
    const content = await parse(bytes, file);
    const { blocks, pageTexts } = content;
    const pages = pageTexts && { pageTexts: pageTexts.map((page) => ({ ...page, text: ticked(page.text) })) };
    return { ...content, blocks: blocks.map(tickedBlock), ...pages };
  },
});

/** Signs of symbol fonts that are boxes there, and bullets or ornaments elsewhere. */
const boxes: Readonly<Record<string, string>> = Object.fromEntries([
  ...[..."□◻⬜🞎🞏🞐❑❒🗆"].map((sign) => [sign, empty]),
  ["⌧", "☒"],
]);

/** The first of the private characters under which programs write those of a symbol font. */
const privateFrom = 0xf000;

/**
 * Text in a symbol font as what it shows: `þ` in Wingdings is a ticked box, `m` in Symbol a μ. Undefined where
 * the font is not one of them.
 */
export function symbolText(font: string, text: string): string | undefined {
  if (!/^(?:wingdings(?: [23])?|webdings|symbol)$/i.test(font)) return undefined;
  const signs = [...text].map((sign) => {
    const code = sign.codePointAt(0) ?? 0;
    const isPrivate = code >= privateFrom && code <= privateFrom + 0xff;
    const shown = codePoint(font, isPrivate ? code - privateFrom : code)?.string ?? (isPrivate ? "" : sign);
    return boxes[shown] ?? shown;
  });
  return signs.join("");
}
