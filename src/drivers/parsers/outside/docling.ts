import type { Block, BlockKind, Box, ParsedContent, Parser, Span } from "../../../core/documents/document.ts";
import { z } from "../../../core/schema.ts";
import { contentOf, damagedFile, squeeze, tableBlock, titleFromName } from "../blocks.ts";
import { decode } from "../decode.ts";

const reference = z.object({ $ref: z.string() });
const provenance = z.object({
  page_no: z.number().int(),
  bbox: z
    .object({
      l: z.number(),
      t: z.number(),
      r: z.number(),
      b: z.number(),
      coord_origin: z.string().optional(),
    })
    .optional(),
});
const node = z.object({
  self_ref: z.string().optional(),
  children: z.array(reference).default([]),
  content_layer: z.string().default("body"),
  label: z.string().default("text"),
  prov: z.array(provenance).default([]),
  captions: z.array(reference).default([]),
  footnotes: z.array(reference).default([]),
});
const text = node.extend({
  text: z.string().default(""),
  level: z.number().optional(),
  enumerated: z.boolean().optional(),
  marker: z.string().optional(),
});
const cell = z.object({
  text: z.string().default(""),
  row_span: z.number().int().default(1),
  col_span: z.number().int().default(1),
  start_row_offset_idx: z.number().int(),
  start_col_offset_idx: z.number().int(),
  column_header: z.boolean().default(false),
});
const table = node.extend({
  data: z.object({
    table_cells: z.array(cell).default([]),
    num_rows: z.number().int(),
    num_cols: z.number().int(),
  }),
});
const picture = node.extend({
  annotations: z.array(z.object({ text: z.string().optional() }).loose()).default([]),
});
const schema = z.object({
  schema_name: z.literal("DoclingDocument"),
  name: z.string().default(""),
  body: node,
  groups: z.array(node).default([]),
  texts: z.array(text).default([]),
  tables: z.array(table).default([]),
  pictures: z.array(picture).default([]),
  pages: z
    .record(
      z.string(),
      z.object({ page_no: z.number().int(), size: z.object({ width: z.number(), height: z.number() }) }),
    )
    .default({}),
});
type Docling = z.infer<typeof schema>;
type Node = z.infer<typeof node>;
type Text = z.infer<typeof text>;

const kinds = new Map<string, BlockKind>([
  ["title", "heading"],
  ["section_header", "heading"],
  ["caption", "caption"],
  ["footnote", "footnote"],
  ["code", "code"],
]);
/** Most places one table may have. */
const maxPlaces = 2_000_000;

/** Rows of a table of `height` rows that a cell covers. */
function* rowsOf(one: z.infer<typeof cell>, height: number): Generator<number> {
  const { start_row_offset_idx: top, row_span: count } = one;
  for (let row = Math.max(0, top); row < Math.min(height, top + count); row++) yield row;
}

/** Writes a cell's text to every place it covers. */
function fillCell(rows: readonly string[][], width: number, one: z.infer<typeof cell>): void {
  const { start_col_offset_idx: left, col_span: count } = one;
  const text = squeeze(one.text);
  for (const row of rowsOf(one, rows.length))
    rows[row]?.fill(text, Math.max(0, left), Math.max(0, Math.min(width, left + count)));
}

function tableOf({ data }: z.infer<typeof table>): NonNullable<Block["table"]> {
  const { num_rows, num_cols, table_cells } = data;
  const height = Math.min(num_rows, Math.floor(maxPlaces / Math.max(1, num_cols)));
  const rows = Array.from({ length: height }, () => Array.from({ length: num_cols }, () => ""));
  for (const one of table_cells) fillCell(rows, num_cols, one);
  const headers = new Set(
    table_cells.filter((one) => one.column_header).flatMap((one) => [...rowsOf(one, height)]),
  );
  let headerRows = 0;
  while (headers.has(headerRows)) headerRows++;
  const spans = table_cells
    .filter((one) => one.row_span > 1 || one.col_span > 1)
    .map(
      (one): Span => ({
        row: one.start_row_offset_idx,
        column: one.start_col_offset_idx,
        rows: one.row_span,
        columns: one.col_span,
      }),
    );
  return {
    rows,
    headerRows: Math.min(headerRows, Math.max(0, height - 1)),
    ...(spans.length === 0 ? {} : { spans }),
  };
}

function placesOf(document: Docling, { prov }: Node): { pages: readonly number[]; boxes?: readonly Box[] } {
  const pages = [...new Set(prov.map(({ page_no }) => page_no))].sort((one, two) => one - two);
  const boxes = pages.flatMap((page): Box[] => {
    const height = document.pages[String(page)]?.size.height;
    const parts = prov.flatMap(({ page_no, bbox }) => (page_no === page && bbox !== undefined ? [bbox] : []));
    if (parts.length === 0) return [];
    const flip = (y: number, origin: string | undefined) =>
      origin === "TOPLEFT" ? y : height === undefined ? undefined : height - y;
    const ys = parts
      .flatMap(({ t, b, coord_origin: origin }) => [flip(t, origin), flip(b, origin)])
      .filter((y) => y !== undefined);
    if (ys.length === 0) return [];
    const round = (value: number) => Math.round(value * 100) / 100;
    return [
      {
        page,
        left: round(Math.min(...parts.map(({ l }) => l))),
        top: round(Math.min(...ys)),
        right: round(Math.max(...parts.map(({ r }) => r))),
        bottom: round(Math.max(...ys)),
      },
    ];
  });
  return { pages, ...(boxes.length === 0 ? {} : { boxes }) };
}

/** A document being read. */
interface Walk {
  readonly document: Docling;
  readonly blocks: Block[];
  /** References that were read; a caption is read with its table, and a reference may be given twice. */
  readonly seen: Set<string>;
  /** Whether a title precedes the section headers. */
  readonly hasTitle: boolean;
}

const entry = <List extends string, Item>(list: List, item: Item | undefined) =>
  item === undefined ? undefined : { list, item };

/** The target of a reference, undefined for a broken one. */
function lookUp({ texts, tables, pictures, groups }: Docling, ref: string) {
  const [, list, index] = /^#\/(texts|tables|pictures|groups)\/(\d+)$/.exec(ref) ?? [];
  const place = Number(index);
  if (list === "texts") return entry(list, texts[place]);
  if (list === "tables") return entry(list, tables[place]);
  if (list === "pictures") return entry(list, pictures[place]);
  return list === "groups" ? entry(list, groups[place]) : undefined;
}
type Entry = NonNullable<ReturnType<typeof lookUp>>;

function add({ document, blocks }: Walk, kind: BlockKind, content: string, from: Node, level?: number): void {
  if (content.trim() === "") return;
  const places = placesOf(document, from);
  blocks.push({ kind, text: content, ...places, ...(level === undefined ? {} : { level }) });
}

/** Adds an item to the list before it, or begins a list. */
function addItem(walk: Walk, item: Text, depth: number): void {
  if (item.text.trim() === "") return;
  const mark = item.enumerated === true ? item.marker || "1." : "-";
  const line = `${"  ".repeat(depth)}${mark} ${squeeze(item.text)}`;
  const last = walk.blocks.at(-1);
  if (last?.kind !== "list") {
    add(walk, "list", line, item);
    return;
  }
  const pages = [...new Set([...last.pages, ...placesOf(walk.document, item).pages])];
  walk.blocks[walk.blocks.length - 1] = { kind: "list", text: `${last.text}\n${line}`, pages };
}

/** Level of a heading: section headers begin at 2 where the document has a title. */
function levelOf({ hasTitle }: Walk, { label, level = 1 }: Text): number {
  return label === "title" ? 1 : Math.min(6, Math.max(1, hasTitle ? level + 1 : level));
}

function textOf({ label, text: written }: Text): string {
  const trimmed = written.trim();
  if (label === "code") return written;
  if (label === "formula") return trimmed === "" ? "" : `$${trimmed}$`;
  const box = { checkbox_selected: "[x] ", checkbox_unselected: "[ ] " }[label] ?? "";
  return `${box}${trimmed}`;
}

function addText(walk: Walk, item: Text, depth: number): void {
  if (item.label === "list_item") {
    addItem(walk, item, depth);
    return;
  }
  const kind = kinds.get(item.label) ?? "paragraph";
  add(walk, kind, textOf(item), item, kind === "heading" ? levelOf(walk, item) : undefined);
}

/** Adds a group of texts on one line as a paragraph. */
function addInline(walk: Walk, group: Node): void {
  const parts = group.children.flatMap(({ $ref }) => {
    walk.seen.add($ref);
    const part = lookUp(walk.document, $ref);
    return part?.list === "texts" ? [part.item] : [];
  });
  const text = squeeze(parts.map((part) => part.text).join(" "));
  add(walk, "paragraph", text, { ...group, prov: parts.flatMap((part) => part.prov) });
}

function addCaptions(walk: Walk, { captions }: Node): void {
  for (const { $ref } of captions) {
    const caption = lookUp(walk.document, $ref);
    if (caption?.list !== "texts" || walk.seen.has($ref)) continue;
    walk.seen.add($ref);
    add(walk, "caption", caption.item.text, caption.item);
  }
}

/** Adds an entry's own text and captions, without nested entries. */
function addEntry(walk: Walk, { list, item }: Entry, depth: number): void {
  const { document, blocks } = walk;
  if (list === "texts") addText(walk, item, Math.max(0, depth));
  addCaptions(walk, item);
  if (list === "tables") blocks.push({ ...tableBlock(tableOf(item), []), ...placesOf(document, item) });
  if (list === "pictures")
    for (const annotation of item.annotations) add(walk, "picture", squeeze(annotation.text ?? ""), item);
}

const isFurniture = ({ content_layer, label }: Node) =>
  content_layer === "furniture" || /^page_(header|footer)$/.test(label);

/** Blocks of a DoclingDocument in the reading order of its body; page furniture is left out. */
function blocksOf(document: Docling): Block[] {
  const hasTitle = document.texts.some(({ label }) => label === "title");
  const walk: Walk = { document, blocks: [], seen: new Set(), hasTitle };
  // A list's nesting is the nesting of its groups; the walk keeps its own stack so that depth costs no call
  // frames.
  const open = document.body.children.map(({ $ref }) => ({ ref: $ref, depth: -1 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (walk.seen.has(next.ref)) continue;
    walk.seen.add(next.ref);
    const target = lookUp(document, next.ref);
    if (target === undefined || isFurniture(target.item)) continue;
    const { list, item } = target;
    if (list === "groups" && item.label === "inline") {
      addInline(walk, item);
      continue;
    }
    addEntry(walk, target, next.depth);
    const depth = list === "groups" && /list/.test(item.label) ? next.depth + 1 : next.depth;
    const inside = [...item.children, ...item.footnotes].map(({ $ref }) => ({ ref: $ref, depth }));
    open.push(...inside.reverse());
  }
  return walk.blocks;
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const { text: json, warnings } = await decode(bytes, file.name);
  let document: Docling;
  try {
    document = schema.parse(JSON.parse(json));
  } catch (error) {
    const issues = error instanceof z.ZodError ? error.issues.slice(0, 3) : [];
    const faults = issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
    throw damagedFile(file.name, "a DoclingDocument", faults === "" ? error : new Error(faults));
  }
  const title = document.texts.find(({ label }) => label === "title")?.text;
  return contentOf(file.name, blocksOf(document), {
    title: squeeze(title ?? "") || document.name || titleFromName(file.name),
    pageCount: Object.keys(document.pages).length,
    warnings,
  });
}

/**
 * Documents that docling has read (DoclingDocument JSON): its reading order, pages, places and table grids.
 */
export default (): Parser => ({ id: "docling", parse });
