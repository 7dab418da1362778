import type {
  Block,
  BlockKind,
  Box,
  ParsedContent,
  Parser,
  Span,
  Table,
} from "../../../core/documents/document.ts";
import { z } from "../../../core/schema.ts";
import { requireText, squeeze, tableBlock, titleFromName, unreadable } from "../blocks.ts";
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

const kinds: Readonly<Record<string, BlockKind>> = {
  title: "heading",
  section_header: "heading",
  caption: "caption",
  footnote: "footnote",
  code: "code",
};
/** Most places one table may have. */
const maxPlaces = 2_000_000;

function tableOf({ data }: z.infer<typeof table>): Table {
  const height = Math.min(data.num_rows, Math.floor(maxPlaces / Math.max(1, data.num_cols)));
  const rows = Array.from({ length: height }, () => Array.from({ length: data.num_cols }, () => ""));
  const spans: Span[] = [];
  const headers = new Set<number>();
  for (const one of data.table_cells) {
    const [top, left] = [one.start_row_offset_idx, one.start_col_offset_idx];
    for (let row = top; row < Math.min(height, top + one.row_span); row++) {
      for (let column = left; column < Math.min(data.num_cols, left + one.col_span); column++) {
        const line = rows[row];
        if (line !== undefined) line[column] = squeeze(one.text);
      }
      if (one.column_header) headers.add(row);
    }
    if (one.row_span > 1 || one.col_span > 1)
      spans.push({ row: top, column: left, rows: one.row_span, columns: one.col_span });
  }
  let headerRows = 0;
  while (headers.has(headerRows)) headerRows++;
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

/** Blocks of a DoclingDocument in the reading order of its body; page furniture is left out. */
function blocksOf(document: Docling): Block[] {
  const blocks: Block[] = [];
  const seen = new Set<string>();
  const lookUp = (ref: string) => {
    const [, list = "", index = ""] = /^#\/(texts|tables|pictures|groups)\/(\d+)$/.exec(ref) ?? [];
    const at = Number(index);
    if (list === "texts") return { list: "texts" as const, item: document.texts[at] };
    if (list === "tables") return { list: "tables" as const, item: document.tables[at] };
    if (list === "pictures") return { list: "pictures" as const, item: document.pictures[at] };
    return list === "groups" ? { list: "groups" as const, item: document.groups[at] } : undefined;
  };
  const add = (kind: BlockKind, content: string, from: Node, level?: number) => {
    if (content.trim() !== "")
      blocks.push({
        kind,
        text: content,
        ...placesOf(document, from),
        ...(level === undefined ? {} : { level }),
      });
  };
  const addText = (item: Text, depth: number) => {
    const content = item.label === "code" ? item.text : item.text.trim();
    if (item.label === "list_item") {
      const line = `${"  ".repeat(depth)}${item.enumerated === true ? item.marker || "1." : "-"} ${squeeze(content)}`;
      const last = blocks.at(-1);
      const places = placesOf(document, item);
      const pages = [...new Set([...(last?.pages ?? []), ...places.pages])];
      if (last?.kind === "list" && content !== "")
        blocks[blocks.length - 1] = { kind: "list", text: `${last.text}\n${line}`, pages };
      else add("list", content === "" ? "" : line, item);
      return;
    }
    const kind = kinds[item.label] ?? "paragraph";
    const mark =
      item.label === "checkbox_selected" ? "[x] " : item.label === "checkbox_unselected" ? "[ ] " : "";
    const level =
      kind !== "heading"
        ? undefined
        : item.label === "title"
          ? 1
          : Math.min(
              6,
              Math.max(
                1,
                (item.level ?? 1) + (document.texts.some(({ label }) => label === "title") ? 1 : 0),
              ),
            );
    add(kind, item.label === "formula" && content !== "" ? `$${content}$` : `${mark}${content}`, item, level);
  };
  // A list's nesting is the nesting of its groups; the walk keeps its own stack so that depth costs no call frames.
  const open: { readonly ref: string; readonly depth: number }[] = document.body.children
    .map(({ $ref }) => ({ ref: $ref, depth: -1 }))
    .reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next.ref)) continue;
    seen.add(next.ref);
    const found = lookUp(next.ref);
    if (
      found?.item === undefined ||
      found.item.content_layer === "furniture" ||
      /^page_(header|footer)$/.test(found.item.label)
    )
      continue;
    const { item, list } = found;
    const inner = list === "groups" && /list/.test(item.label) ? next.depth + 1 : next.depth;
    if (list === "groups" && item.label === "inline") {
      const parts = item.children.flatMap(({ $ref }) => {
        seen.add($ref);
        const part = lookUp($ref);
        return part?.list === "texts" && part.item !== undefined ? [part.item] : [];
      });
      add("paragraph", squeeze(parts.map((part) => part.text).join(" ")), {
        ...item,
        prov: parts.flatMap((part) => part.prov),
      });
      continue;
    }
    if (found.list === "texts" && found.item !== undefined) addText(found.item, Math.max(0, next.depth));
    for (const { $ref } of item.captions) {
      const caption = lookUp($ref);
      if (caption?.list !== "texts" || caption.item === undefined || seen.has($ref)) continue;
      seen.add($ref);
      add("caption", caption.item.text, caption.item);
    }
    if (found.list === "tables" && found.item !== undefined)
      blocks.push({ ...tableBlock(tableOf(found.item), []), ...placesOf(document, found.item) });
    if (found.list === "pictures" && found.item !== undefined)
      for (const annotation of found.item.annotations) add("picture", squeeze(annotation.text ?? ""), item);
    const children = [...item.children, ...item.footnotes].map(({ $ref }) => ({ ref: $ref, depth: inner }));
    open.push(...children.reverse());
  }
  return blocks;
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const { text: json, warnings } = await decode(bytes, file.name);
  let document: Docling;
  try {
    document = schema.parse(JSON.parse(json));
  } catch (error) {
    const cause =
      error instanceof z.ZodError
        ? new Error(
            error.issues
              .map(({ path, message }) => `${path.join(".")}: ${message}`)
              .slice(0, 3)
              .join("; "),
          )
        : error;
    throw unreadable(file.name, "a DoclingDocument", cause);
  }
  const blocks = requireText(blocksOf(document), file.name);
  const title = document.texts.find(({ label }) => label === "title")?.text;
  return {
    title: squeeze(title ?? "") || document.name || titleFromName(file.name),
    blocks,
    pageCount: Object.keys(document.pages).length,
    pagesWithoutText: [],
    warnings,
  };
}

/** Documents that docling has read (DoclingDocument JSON): its reading order, pages, places and table grids. */
export default (): Parser => ({ id: "docling", parse });
