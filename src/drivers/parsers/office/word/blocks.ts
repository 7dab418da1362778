import type { Block, Table } from "../../../../core/documents/document.ts";
import { squeeze, tableBlock } from "../../blocks.ts";
import { type Cell, layOut } from "../../grid.ts";
import { markPrefix } from "./prepare.ts";

/** The part of mammoth's document tree that is read. */
export interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly value?: string;
  readonly name?: string;
  readonly styleName?: string | null;
  readonly font?: string | null;
  readonly numbering?: { readonly level?: string | number; readonly isOrdered?: boolean } | null;
  readonly checked?: boolean;
  readonly altText?: string;
  readonly breakType?: string;
  readonly noteType?: string;
  readonly noteId?: string;
  readonly commentId?: string;
  readonly authorName?: string;
  readonly body?: readonly Node[];
  readonly colSpan?: number;
  readonly rowSpan?: number;
  readonly isHeader?: boolean;
}

export interface Story {
  readonly root: Node;
  note(type: string, id: string): Node | undefined;
  comment(id: string): Node | undefined;
  /** Blocks of a chart by its relation. */
  chart(relation: string): readonly Block[];
}

const monospaced =
  /^(courier|consolas|menlo|monaco|lucida console|source code|fira (code|mono)|jetbrains mono|dejavu sans mono|cascadia|roboto mono|ubuntu mono|andale mono)/i;
const codeSigns = /[{}();=<>[\]_]/;

/** What is found while a paragraph's text is put together. */
interface Found {
  text: string;
  heading: number | undefined;
  code: boolean;
  item: { readonly level: number; readonly label: string } | undefined;
  plainFont: boolean;
  readonly pictures: string[];
  readonly charts: string[];
  readonly notes: { readonly type: string; readonly id: string }[];
  readonly comments: string[];
}

function readMark(name: string, found: Found): void {
  const [kind = "", ...rest] = name.slice(markPrefix.length).split(":");
  if (kind === "head") found.heading = Number(rest[0]);
  else if (kind === "code") found.code = true;
  else if (kind === "chart") found.charts.push(rest.join(":"));
  else if (kind === "item") found.item = { level: Number(rest[0]), label: rest.slice(1).join(":") };
}

/** Blocks of a Word story in order, notes after the paragraph that points at them. */
export function storyBlocks(story: Story): { readonly blocks: readonly Block[]; readonly pictures: number } {
  const blocks: Block[] = [];
  const numbers = new Map<string, number>();
  let items: string[] = [];
  let code: { lines: string[]; styled: boolean } | undefined;
  let pictures = 0;

  const push = (kind: Block["kind"], text: string, level?: number) => {
    if (text.trim() !== "") blocks.push({ kind, text, pages: [], ...(level === undefined ? {} : { level }) });
  };
  const flush = () => {
    if (items.length > 0) push("list", items.join("\n"));
    items = [];
    if (code !== undefined) {
      const text = code.lines.join("\n").trimEnd();
      const isCode = code.styled || codeSigns.test(text);
      if (isCode) push("code", text);
      else for (const line of code.lines) push("paragraph", squeeze(line));
    }
    code = undefined;
  };
  const read = (node: Node, found: Found, inMonospace = false): void => {
    const mono =
      inMonospace || (node.type === "run" && typeof node.font === "string" && monospaced.test(node.font));
    if (node.type === "text") {
      found.text += node.value ?? "";
      if (!mono && (node.value ?? "").trim() !== "") found.plainFont = true;
    } else if (node.type === "tab") found.text += "\t";
    else if (node.type === "break") found.text += node.breakType === "line" ? "\n" : " ";
    else if (node.type === "checkbox") found.text += node.checked === true ? "[x] " : "[ ] ";
    else if (node.type === "image") {
      // What the program guessed by itself is marked by it; the mark says nothing.
      found.pictures.push(
        squeeze(
          (node.altText ?? "").replace(
            /(Description automatically generated|AI-generated content may be incorrect)\.?/gi,
            "",
          ),
        ),
      );
    } else if (node.type === "bookmarkStart" && node.name?.startsWith(markPrefix) === true)
      readMark(node.name, found);
    else if (node.type === "noteReference") {
      const [type, id] = [node.noteType ?? "", node.noteId ?? ""];
      const number = numbers.get(`${type}/${id}`) ?? numbers.size + 1;
      numbers.set(`${type}/${id}`, number);
      found.text += `[${number}]`;
      found.notes.push({ type, id });
    } else if (node.type === "commentReference") found.comments.push(node.commentId ?? "");
    else for (const child of node.children ?? []) read(child, found, mono);
  };
  const fresh = (): Found => ({
    text: "",
    heading: undefined,
    code: false,
    item: undefined,
    plainFont: false,
    pictures: [],
    charts: [],
    notes: [],
    comments: [],
  });
  const plainText = (nodes: readonly Node[]): string => {
    const found = fresh();
    for (const node of nodes) {
      read(node, found);
      found.text += " ";
    }
    return squeeze(found.text);
  };
  /** A cell's or note's paragraphs as one line; what they point at is added to `found`. */
  const cellText = (nodes: readonly Node[], found: Found): string =>
    nodes
      .map((node): string => {
        if (node.type !== "paragraph") return cellText(node.children ?? [], found);
        const own = fresh();
        read(node, own);
        found.notes.push(...own.notes);
        found.comments.push(...own.comments);
        found.charts.push(...own.charts);
        pictures += own.pictures.length;
        const text = squeeze(`${own.text} ${own.pictures.join(" ")}`);
        return own.item === undefined || text === "" ? text : `${own.item.label || "-"} ${text}`;
      })
      .filter((text) => text !== "")
      .join(" ");
  const after = (found: Found) => {
    if (found.charts.length + found.notes.length + found.comments.length > 0) flush();
    for (const chart of found.charts) blocks.push(...story.chart(chart));
    for (const { type, id } of found.notes) {
      const text = plainText(story.note(type, id)?.body ?? []);
      if (text !== "") push("footnote", `[${numbers.get(`${type}/${id}`) ?? "?"}] ${text}`);
    }
    for (const id of found.comments) {
      const comment = story.comment(id);
      const text = plainText(comment?.body ?? []);
      if (text !== "")
        push("footnote", `Comment${comment?.authorName ? ` by ${comment.authorName}` : ""}: ${text}`);
    }
  };
  const table = (node: Node) => {
    flush();
    const found = fresh();
    const rows = (node.children ?? []).filter((row) => row.type === "tableRow");
    const [only] = rows.length === 1 ? (rows[0]?.children ?? []) : [];
    // A table of one cell is a frame around what it holds.
    if (only !== undefined && rows[0]?.children?.length === 1) {
      for (const child of only.children ?? []) visit(child);
      flush();
      return;
    }
    const cells = rows.map((row) =>
      (row.children ?? []).map(
        (cell): Cell => ({
          text: cellText(cell.children ?? [], found),
          rows: cell.rowSpan ?? 1,
          columns: cell.colSpan ?? 1,
        }),
      ),
    );
    const marked = rows.findIndex((row) => row.isHeader !== true);
    const laid: Table = layOut(cells, marked > 0 ? marked : undefined);
    if (laid.rows.length > 0) blocks.push(tableBlock(laid, []));
    after(found);
  };
  const paragraph = (node: Node) => {
    const found = fresh();
    read(node, found);
    const text = found.text
      .replace(/\u00ad/g, "")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .trim();
    const label = found.item?.label ?? "";
    const isCode =
      found.code ||
      (text !== "" && !found.plainFont && found.item === undefined && found.heading === undefined);
    const add = text !== "" && isCode;
    if (!add) {
      if (found.item === undefined || found.heading !== undefined || code !== undefined) flush();
    } else if (items.length > 0) flush();
    if (add) {
      code ??= { lines: [], styled: false };
      code.lines.push(found.text.replace(/\t/g, "  "));
      code.styled ||= found.code;
    } else if (found.heading !== undefined && text !== "" && found.heading <= 6)
      push("heading", squeeze(`${label} ${text}`), found.heading);
    else if (found.item !== undefined && text !== "") {
      const bare = text.replace(/\n/g, " ");
      items.push(
        `${"  ".repeat(found.item.level)}${label === "" || /^\[[ x]\]/.test(bare) ? "-" : label} ${bare}`,
      );
    } else if (/^caption$/i.test(node.styleName ?? "")) push("caption", squeeze(text));
    else push("paragraph", text);
    pictures += found.pictures.length;
    for (const alt of found.pictures) {
      if (alt !== "") {
        flush();
        push("picture", alt);
      }
    }
    after(found);
  };
  const visit = (node: Node): void => {
    if (node.type === "paragraph") paragraph(node);
    else if (node.type === "table") table(node);
    else for (const child of node.children ?? []) visit(child);
  };
  visit(story.root);
  flush();
  return { blocks, pictures };
}
