import type { Block } from "../../../core/documents/document.ts";
import { readAligned } from "./aligned-tables.ts";
import { addPlace, continueTable, type Draft, draftOf, finishDrafts } from "./drafts.ts";
import { readTable } from "./figure-tables.ts";
import { isNumeric } from "./figures.ts";
import type { Page } from "./furniture.ts";
import { bullet, caption, join, normal, noteMark, sectionNumber, sentenceEnd } from "./line-text.ts";
import type { Line, Region } from "./lines.ts";
import { ocrFont } from "./pieces.ts";
import { lineGap, type Style, usualFaces } from "./style.ts";

/** An entry of the document's outline: 1-based page and level. */
export interface OutlineEntry {
  readonly title: string;
  readonly page: number;
  readonly level: number;
}

/** Makes blocks of pages that come one by one in order. */
export interface BlockBuilder {
  push(page: Page): void;
  finish(): Block[];
}

const tagLevels: Readonly<Record<string, number>> = {
  Title: 1,
  H: 2,
  H1: 1,
  H2: 2,
  H3: 3,
  H4: 4,
  H5: 5,
  H6: 6,
};

/**
 * Blocks of a document in reading order:
 * 1. of every region, tables first, then headings, then lines joined to paragraphs, list items, code and footnotes;
 * 2. a paragraph that stops without a sentence's end goes on in the next region or page, over anything set smaller between them;
 *    a table goes on on the next page where nothing stands between;
 * 3. heading sizes become levels at the end.
 */
export function openBuilder(outline: readonly OutlineEntry[], style: Style): BlockBuilder {
  const drafts: Draft[] = [];
  const state = { body: style.body() };
  const listed = new Map(outline.map((entry) => [`${entry.page}:${normal(entry.title)}`, entry.level]));

  const givenLevel = (line: Line, page: number): number | undefined => {
    if (line.role !== "") {
      const level = tagLevels[line.role];
      if (level !== undefined && line.text.length <= 200 && /\p{L}/u.test(line.text)) return level;
    }
    if (listed.size === 0) return undefined;
    const text = normal(line.text);
    return (
      listed.get(`${page}:${text}`) ?? listed.get(`${page}:${text.replace(/^(?:\d+|[ivx]+)(?=\p{L})/u, "")}`)
    );
  };
  const isHeading = (
    line: Line,
    next: Line | undefined,
    previous: Line | undefined,
    usual: ReadonlySet<string>,
  ): boolean => {
    const { body } = state;
    const { text } = line;
    const numbered =
      line.cells.length === 2 && sectionNumber.test(text) && !isNumeric(line.cells[1]?.text ?? "");
    if (
      (line.cells.length > 1 && !numbered) ||
      text.length > 120 ||
      !/\p{L}{2}/u.test(text) ||
      isNumeric(text)
    )
      return false;
    // OCR measures type from what the line happens to hold; only clearly larger lines are headings there.
    if (line.font === ocrFont && (line.size < body.size * 1.35 || text.length > 80 || bullet.test(text)))
      return false;
    if (line.size > body.size * 1.12) return !/[.;,]$/.test(text) || sectionNumber.test(text);
    if (line.size < body.size * 0.95 || usual.has(line.font) || line.mono || /[.,;:]$/.test(text))
      return false;
    // An item's mark before a title: larger than the text below it, which is set in the page's own face.
    const isTitle =
      line.size > body.size * 1.04 &&
      next !== undefined &&
      next.size < line.size * 0.97 &&
      usual.has(next.font);
    if (bullet.test(text)) return isTitle && /^\(?\d/.test(text) && text.length <= 80;
    if (caption.test(text) || !/^[\p{Lu}\p{Lo}\d]/u.test(text) || text.length > 90) return false;
    // Set in another face than the body: a heading when body text follows and it does not stand in the middle of a paragraph.
    const alone =
      previous === undefined || line.y - previous.y > line.size * 1.45 || previous.font === line.font;
    return (
      alone &&
      next !== undefined &&
      next.y > line.y &&
      (next.font !== line.font || next.y - line.y > line.size * 1.45)
    );
  };
  const continues = (text: string): Draft | undefined => {
    const { body } = state;
    for (let index = drafts.length - 1; index >= 0 && index >= drafts.length - 6; index--) {
      const draft = drafts[index];
      if (draft === undefined || draft.kind === "heading") return undefined;
      if (draft.kind === "paragraph" && draft.size > body.size * 0.93) {
        const unfinished = draft.open && !sentenceEnd.test(draft.text);
        return unfinished && (/^[\p{Ll}(]/u.test(text) || /[-‐\u00ad,]$/.test(draft.text))
          ? draft
          : undefined;
      }
    }
    return undefined;
  };
  const addTable = (line: Line, page: Page): void => {
    const { table } = line;
    if (table === undefined) return;
    const last = drafts.at(-1);
    const joined =
      last?.table !== undefined && last.pages.at(-1) === page.number - 1
        ? continueTable(last.table, table)
        : undefined;
    if (last !== undefined && joined !== undefined) {
      last.table = joined;
      addPlace(last, line, page);
    } else drafts.push({ ...draftOf("table", line, page, "-"), table });
  };

  const readRegion = (region: Region, page: Page, usual: ReadonlySet<string>): void => {
    const { body } = state;
    const gap = lineGap(region);
    const right = region.reduce((most, line) => Math.max(most, line.x1), 0);
    const left = region.reduce((least, line) => Math.min(least, line.x0), Number.POSITIVE_INFINITY);
    let last: Line | undefined;
    let current: Draft | undefined;
    const grow = (draft: Draft, line: Line, text: string, open: boolean) => {
      draft.text = text;
      draft.open = open;
      addPlace(draft, line, page);
      current = draft;
    };
    const start = (kind: Block["kind"], line: Line, open: boolean, level?: number) => {
      current = draftOf(kind, line, page);
      current.open = open;
      if (level !== undefined) current.level = level;
      drafts.push(current);
    };
    for (let index = 0; index < region.length; index++) {
      const line = region[index];
      if (line === undefined) continue;
      const level = givenLevel(line, page.number);
      const found =
        level === undefined && line.table === undefined
          ? (readTable(region, index) ?? readAligned(region, index))
          : undefined;
      if (line.table !== undefined || found !== undefined) {
        const lines = region.slice(index, index + (found?.length ?? 1));
        const bottom = lines.at(-1);
        const [x0, x1] = [
          Math.min(...lines.map((each) => each.x0)),
          Math.max(...lines.map((each) => each.x1)),
        ];
        addTable(
          found === undefined
            ? line
            : {
                ...line,
                table: found.table,
                x0,
                x1,
                y: line.y - line.size,
                bottom: (bottom?.y ?? line.y) + 2,
              },
          page,
        );
        index += lines.length - 1;
        current = undefined;
        last = bottom;
        continue;
      }
      const previous = last;
      last = line;
      const near =
        previous !== undefined &&
        line.y > previous.y &&
        line.y - previous.y < Math.max(gap, line.size) * 1.45;
      const isStamp = line.y > page.height + 500;
      if (level !== undefined || (!isStamp && isHeading(line, region[index + 1], previous, usual))) {
        const same =
          current?.kind === "heading" &&
          near &&
          Math.abs(current.size - line.size) < 0.6 &&
          (level === undefined || line.role !== "");
        if (current !== undefined && same && current.level === level)
          grow(current, line, join(current.text, line.text, style.hyphenated), false);
        else start("heading", line, false, level);
        continue;
      }
      const open = line.x1 > right - (right - left) * 0.12;
      if ((line.mono && !body.mono) || line.role === "Code") {
        const indent = " ".repeat(Math.max(0, Math.round((line.x0 - left) / (line.size * 0.6))));
        if (current?.kind === "code" && near)
          grow(current, line, `${current.text}\n${indent}${line.text}`, false);
        else {
          start("code", line, false);
          if (current !== undefined) current.text = `${indent}${line.text}`;
        }
        continue;
      }
      const isNote =
        line.size < body.size * 0.93 &&
        line.y > page.height * 0.55 &&
        noteMark.test(line.text) &&
        line.cells.length < 3;
      if (isNote || line.role === "Note" || line.role === "FENote") {
        if (!isNote && current?.kind === "footnote" && near)
          grow(current, line, join(current.text, line.text, style.hyphenated), open);
        else start("footnote", line, open);
        continue;
      }
      const item = bullet.test(line.text) && !/^[A-Z]\.\s/.test(line.text);
      const isCaption = caption.test(line.text) || (line.role === "Caption" && current?.kind !== "caption");
      const indented =
        previous !== undefined && line.x0 - previous.x0 > line.size * 0.7 && line.x0 - left < line.size * 4;
      const ended = current !== undefined && !current.open && sentenceEnd.test(current.text);
      const sameSize =
        previous !== undefined &&
        Math.abs(previous.size - line.size) <= body.size * (line.font === ocrFont ? 0.3 : 0.12);
      const joins =
        near && !item && sameSize && !isCaption && current?.kind !== "heading" && current?.kind !== "code";
      const breaks = ended || (indented && current !== undefined && sentenceEnd.test(current.text));
      if (joins && current !== undefined && (current.kind === "list" || !breaks)) {
        grow(current, line, join(current.text, line.text, style.hyphenated), open);
        continue;
      }
      if (
        item &&
        current?.kind === "list" &&
        previous !== undefined &&
        line.y > previous.y &&
        line.y - previous.y < line.size * 3
      ) {
        grow(current, line, `${current.text}\n${line.text}`, open);
        continue;
      }
      const earlier =
        current === undefined && !item && line.size > body.size * 0.93 ? continues(line.text) : undefined;
      if (earlier !== undefined) grow(earlier, line, join(earlier.text, line.text, style.hyphenated), open);
      else start(item ? "list" : isCaption ? "caption" : "paragraph", line, open);
    }
  };

  return {
    push(page) {
      state.body = style.body();
      const usual = usualFaces(page, state.body);
      for (const region of page.regions) readRegion(region, page, usual);
      const loose = { pages: [page.number], size: state.body.size, open: false, boxes: [] };
      for (const text of page.pictures)
        drafts.push({ ...loose, pages: [page.number], kind: "picture", text });
      for (const text of page.notes) drafts.push({ ...loose, pages: [page.number], kind: "paragraph", text });
    },
    finish: () => finishDrafts(drafts, style.body().size),
  };
}
