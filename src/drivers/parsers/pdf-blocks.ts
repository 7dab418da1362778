import type { Block } from "../../core/document.ts";
import { tableBlock } from "./blocks.ts";
import type { Page } from "./pdf-furniture.ts";
import type { Line, Region } from "./pdf-lines.ts";
import { isNumeric, readTable } from "./pdf-table.ts";

/** An entry of the document's outline: 1-based page and level. */
export interface OutlineEntry {
  readonly title: string;
  readonly page: number;
  readonly level: number;
}

const bullet = /^(?:[•●▪◦‣∙·■□➢✓*]|[-–—](?=\s)|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)](?=\s))\s*/;
const caption = /^(?:figure|fig\.|table|exhibit|chart)\s+[\dA-Z][\d.\-A-Z]*\s*[:.–—|]/i;
const sectionNumber = /^(?:(?:chapter|section|part|item|appendix|note)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-Z])[.)]?\s+\S/i;

interface Draft {
  kind: Block["kind"];
  text: string;
  pages: number[];
  level?: number;
  size: number;
  /** The paragraph's last line ran to the edge of its region: it may go on elsewhere. */
  open: boolean;
}

interface Style {
  readonly size: number;
  readonly font: string;
}

/** The size and font most characters of the document are set in. */
function bodyStyle(pages: readonly Page[]): Style {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  for (const page of pages) {
    for (const line of page.regions.flat()) {
      const size = Math.round(line.size * 2) / 2;
      sizes.set(size, (sizes.get(size) ?? 0) + line.text.length);
      fonts.set(line.font, (fonts.get(line.font) ?? 0) + line.text.length);
    }
  }
  const most = <T>(counts: Map<T, number>, none: T) =>
    [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [none, 0] as [T, number])[0];
  return { size: most(sizes, 10), font: most(fonts, "") };
}

function normal(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Every word with a hyphen inside, so that a line break at such a hyphen keeps it. */
function hyphenated(pages: readonly Page[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const page of pages) {
    for (const line of page.regions.flat()) {
      for (const [word] of line.text.toLowerCase().matchAll(/\p{L}+(?:-\p{L}+)+/gu)) {
        const parts = word.split("-");
        for (let index = 1; index < parts.length; index++) words.add(`${parts[index - 1]}-${parts[index]}`);
      }
    }
  }
  return words;
}

function join(left: string, right: string, words: ReadonlySet<string>): string {
  if (left.endsWith("\u00ad")) return left.slice(0, -1) + right;
  const head = /(\p{L}+)[-‐]$/u.exec(left)?.[1];
  const tail = /^\p{Ll}+/u.exec(right)?.[0];
  if (head === undefined || tail === undefined) return `${left} ${right}`;
  return words.has(`${head}-${tail}`.toLowerCase()) || /\p{L}-\p{L}+[-‐]$/u.test(left) ? left + right : left.slice(0, -1) + right;
}

/** How far apart lines of one paragraph usually are in this region, points. */
function lineGap(region: Region): number {
  const gaps: number[] = [];
  for (let index = 1; index < region.length; index++) {
    const gap = (region[index]?.y ?? 0) - (region[index - 1]?.y ?? 0);
    if (gap > 0 && gap < 3 * (region[index]?.size ?? 0)) gaps.push(gap);
  }
  gaps.sort((one, two) => one - two);
  return gaps[Math.floor(gaps.length * 0.4)] ?? 0;
}

/**
 * Blocks of a document in reading order:
 * 1. of every region, tables first, then headings, then lines joined to paragraphs and list items;
 * 2. a paragraph that stops without a sentence's end goes on in the next region or page, over anything set smaller between them;
 * 3. heading sizes become levels, largest first; outline entries keep the level the document gives them.
 */
export function buildBlocks(pages: readonly Page[], outline: readonly OutlineEntry[]): Block[] {
  const body = bodyStyle(pages);
  const words = hyphenated(pages);
  const drafts: Draft[] = [];
  const listed = new Map(outline.map((entry) => [`${entry.page}:${normal(entry.title)}`, entry.level]));

  const outlineLevel = (line: Line, page: number): number | undefined => {
    const text = normal(line.text);
    return listed.get(`${page}:${text}`) ?? listed.get(`${page}:${text.replace(/^(?:\d+|[ivx]+)(?=\p{L})/u, "")}`);
  };
  const isHeading = (line: Line, next: Line | undefined, previous: Line | undefined): boolean => {
    const { text } = line;
    const numbered = line.cells.length === 2 && sectionNumber.test(text) && !isNumeric(line.cells[1]?.text ?? "");
    if ((line.cells.length > 1 && !numbered) || text.length > 120 || !/\p{L}{2}/u.test(text) || isNumeric(text)) return false;
    if (line.size > body.size * 1.12) return !/[.;,]$/.test(text) || sectionNumber.test(text);
    if (line.size < body.size * 0.95 || line.font === body.font || /[.,;:]$/.test(text) || bullet.test(text) || caption.test(text))
      return false;
    if (!/^[\p{Lu}\d]/u.test(text) || text.length > 90) return false;
    // Set in another face than the body: a heading when body text follows and it does not stand in the middle of a paragraph.
    const alone = previous === undefined || line.y - previous.y > line.size * 1.45 || previous.font === line.font;
    return alone && next !== undefined && next.y > line.y && (next.font !== line.font || next.y - line.y > line.size * 1.45);
  };

  const continues = (text: string): Draft | undefined => {
    for (let index = drafts.length - 1; index >= 0 && index >= drafts.length - 6; index--) {
      const draft = drafts[index];
      if (draft === undefined || draft.kind === "heading") return undefined;
      if (draft.kind === "paragraph" && draft.size > body.size * 0.93) {
        const unfinished = draft.open && !/[.!?:;]["”’)\]]*$/.test(draft.text);
        return unfinished && (/^[\p{Ll}(]/u.test(text) || /[-‐\u00ad,]$/.test(draft.text)) ? draft : undefined;
      }
    }
    return undefined;
  };
  const addPage = (draft: Draft, page: number) => {
    if (!draft.pages.includes(page)) draft.pages.push(page);
  };

  for (const page of pages) {
    for (const region of page.regions) {
      const gap = lineGap(region);
      const right = region.reduce((most, line) => Math.max(most, line.x1), 0);
      const left = region.reduce((least, line) => Math.min(least, line.x0), Number.POSITIVE_INFINITY);
      let last: Line | undefined;
      let current: Draft | undefined;
      for (let index = 0; index < region.length; index++) {
        const line = region[index];
        if (line === undefined) continue;
        const level = outlineLevel(line, page.number);
        const found = level === undefined ? readTable(region, index) : undefined;
        if (found !== undefined) {
          const block = tableBlock(found.table, [page.number]);
          drafts.push({ ...block, pages: [page.number], size: line.size, open: false });
          index += found.length - 1;
          current = undefined;
          last = region[index];
          continue;
        }
        const previous = last;
        last = line;
        const near = previous !== undefined && line.y > previous.y && line.y - previous.y < Math.max(gap, line.size) * 1.45;
        const stamp = line.y > page.height + 500;
        if (level !== undefined || (!stamp && isHeading(line, region[index + 1], previous))) {
          if (current?.kind === "heading" && near && level === undefined && Math.abs(current.size - line.size) < 0.6) {
            current.text = join(current.text, line.text, words);
            continue;
          }
          current = {
            kind: "heading",
            text: line.text,
            pages: [page.number],
            size: line.size,
            open: false,
            ...(level === undefined ? {} : { level }),
          };
          drafts.push(current);
          continue;
        }
        const open = line.x1 > right - (right - left) * 0.12;
        const item = bullet.test(line.text) && !/^[A-Z]\.\s/.test(line.text);
        const indented = previous !== undefined && line.x0 - previous.x0 > line.size * 0.7 && line.x0 - left < line.size * 4;
        const ended = current !== undefined && !current.open && /[.!?:]["”’)\]]*$/.test(current.text);
        const sameSize = previous !== undefined && Math.abs(previous.size - line.size) <= body.size * 0.12;
        const joins = current !== undefined && near && !item && sameSize && current.kind !== "heading" && !caption.test(line.text);
        if (
          joins &&
          current !== undefined &&
          (current.kind === "list" || (!ended && !(indented && /[.!?:]["”’)\]]*$/.test(current.text))))
        ) {
          current.text = join(current.text, line.text, words);
          current.open = open;
          continue;
        }
        if (item && current?.kind === "list" && previous !== undefined && line.y > previous.y && line.y - previous.y < line.size * 3) {
          current.text += `\n${line.text}`;
          current.open = open;
          continue;
        }
        const earlier = current === undefined && !item && line.size > body.size * 0.93 ? continues(line.text) : undefined;
        if (earlier !== undefined) {
          earlier.text = join(earlier.text, line.text, words);
          earlier.open = open;
          addPage(earlier, page.number);
          current = earlier;
          continue;
        }
        const kind = item ? "list" : caption.test(line.text) ? "caption" : "paragraph";
        current = { kind, text: line.text, pages: [page.number], size: line.size, open };
        drafts.push(current);
      }
    }
  }
  return withLevels(drafts, body.size);
}

function withLevels(drafts: readonly Draft[], bodySize: number): Block[] {
  const round = (size: number) => Math.round(size);
  const sizes = [
    ...new Set(drafts.filter((draft) => draft.kind === "heading" && draft.size > bodySize * 1.12).map((draft) => round(draft.size))),
  ];
  sizes.sort((one, two) => two - one);
  const levelOf = (draft: Draft) => {
    if (draft.level !== undefined) return Math.min(6, draft.level);
    const at = draft.size > bodySize * 1.12 ? sizes.indexOf(round(draft.size)) : sizes.length;
    return Math.min(6, at + 1);
  };
  return drafts.map((draft) => {
    const { text, pages } = draft;
    if (draft.kind === "heading") return { kind: "heading", text, level: levelOf(draft), pages };
    const table = (draft as Draft & Pick<Block, "table">).table; // spread from tableBlock above
    return table === undefined ? { kind: draft.kind, text, pages } : { kind: draft.kind, text, pages, table };
  });
}
