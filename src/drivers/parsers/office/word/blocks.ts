import type { Block } from "../../../../core/documents/document.ts";
import { type BlockWriter, blockWriter } from "../../block-writer.ts";
import { squeeze } from "../../blocks.ts";
import type { GridCell } from "../../grid.ts";
import { markRaised, type Rise, resolveMarks } from "../../raised.ts";
import { altText } from "../pictures.ts";
import { markPrefix } from "./prepare.ts";

/** The part of mammoth's document tree that is read. */
export interface WordNode {
  readonly type: string;
  readonly children?: readonly WordNode[];
  readonly value?: string;
  readonly name?: string;
  readonly styleName?: string | null;
  readonly font?: string | null;
  readonly verticalAlignment?: string;
  readonly numbering?: { readonly level?: string | number; readonly isOrdered?: boolean } | null;
  readonly checked?: boolean;
  readonly altText?: string;
  readonly breakType?: string;
  readonly noteType?: string;
  readonly noteId?: string;
  readonly commentId?: string;
  readonly authorName?: string;
  readonly body?: readonly WordNode[];
  readonly colSpan?: number;
  readonly rowSpan?: number;
  readonly isHeader?: boolean;
}

/** A part of the document with text, which Word calls a story, and the parts it refers to. */
export interface Story {
  readonly root: WordNode;
  note(type: string, id: string): WordNode | undefined;
  comment(id: string): WordNode | undefined;
  /** Blocks of a chart, a diagram or an inserted document by its relation. */
  part(relation: string): readonly Block[];
}

const monospaced =
  /^(courier|consolas|menlo|monaco|lucida console|source code|fira (code|mono)|jetbrains mono|dejavu sans mono|cascadia|roboto mono|ubuntu mono|andale mono)/i;
const codeSigns = /[{}();=<>[\]_]/;

/** The content of a paragraph or a cell. */
interface Content {
  text: string;
  heading: number | undefined;
  /** Whether its style is one for code. */
  code: boolean;
  item: { readonly level: number; readonly label: string } | undefined;
  /** Whether some of its text is in a proportional face. */
  plainFont: boolean;
  readonly pictures: string[];
  /** Relations of other parts whose content is inserted there. */
  readonly parts: string[];
  readonly notes: { readonly type: string; readonly id: string }[];
  readonly comments: string[];
}

/** A story being read. */
interface Walk {
  readonly story: Story;
  readonly out: BlockWriter;
  /** Numbers of notes by type and id, in the order of their first mark. */
  readonly numbers: Map<string, number>;
  /** The code that may still grow. */
  code: { readonly lines: string[]; styled: boolean } | undefined;
  pictures: number;
}

const newContent = (): Content => ({
  text: "",
  heading: undefined,
  code: false,
  item: undefined,
  plainFont: false,
  pictures: [],
  parts: [],
  notes: [],
  comments: [],
});

/** Ends the list and the code that may still grow. */
function flush(walk: Walk): void {
  const { out, code } = walk;
  walk.code = undefined;
  out.end();
  if (code === undefined) return;
  const text = code.lines.join("\n").trimEnd();
  if (code.styled || codeSigns.test(text)) out.add("code", text);
  else for (const line of code.lines) out.add("paragraph", squeeze(line));
}

function readMark(name: string, content: Content): void {
  const [kind, ...rest] = name.slice(markPrefix.length).split(":");
  if (kind === "head") content.heading = Number(rest[0]);
  else if (kind === "code") content.code = true;
  else if (kind === "part") content.parts.push(rest.join(":"));
  else if (kind === "item") content.item = { level: Number(rest[0]), label: rest.slice(1).join(":") };
}

function readReference(
  { numbers }: Walk,
  { noteType: type = "", noteId: id = "" }: WordNode,
  content: Content,
): void {
  const number = numbers.get(`${type}/${id}`) ?? numbers.size + 1;
  numbers.set(`${type}/${id}`, number);
  content.text += `[${number}]`;
  content.notes.push({ type, id });
}

function readText({ value = "" }: WordNode, content: Content, inMonospace: boolean): void {
  content.text += value;
  if (!inMonospace && value.trim() !== "") content.plainFont = true;
}

const isMonospaced = ({ type, font }: WordNode) =>
  type === "run" && typeof font === "string" && monospaced.test(font);

const isMark = ({ type, name }: WordNode): boolean =>
  type === "bookmarkStart" && name?.startsWith(markPrefix) === true;

/** Word's names for raised and lowered runs. */
const rises: Readonly<Record<string, Rise>> = { superscript: "sup", subscript: "sub" };

/** The text for a tab, a break or a box; undefined for other nodes. */
function signOf({ type, breakType, checked }: WordNode): string | undefined {
  if (type === "tab") return "\t";
  if (type === "break") return breakType === "line" ? "\n" : " ";
  return type === "checkbox" ? `[${checked === true ? "x" : " "}] ` : undefined;
}

/** Adds the content of a node to `content`. */
function read(walk: Walk, node: WordNode, content: Content, inMonospace = false): void {
  const { type } = node;
  const sign = signOf(node);
  if (type === "text") readText(node, content, inMonospace);
  else if (sign !== undefined) readText({ type, value: sign }, content, false);
  else if (type === "image") content.pictures.push(altText(node.altText ?? ""));
  else if (isMark(node)) readMark(node.name ?? "", content);
  else if (type === "noteReference") readReference(walk, node, content);
  else if (type === "commentReference") content.comments.push(node.commentId ?? "");
  else {
    const before = content.text;
    readChildren(walk, node, content, inMonospace || isMonospaced(node));
    content.text =
      before + markRaised(rises[node.verticalAlignment ?? ""], content.text.slice(before.length));
  }
}

function readChildren(walk: Walk, node: WordNode, content: Content, inMonospace: boolean): void {
  for (const child of node.children ?? []) read(walk, child, content, inMonospace);
}

/** The text of a note or a comment on one line. */
function plainText(walk: Walk, nodes: readonly WordNode[]): string {
  const content = newContent();
  for (const node of nodes) {
    read(walk, node, content);
    content.text += " ";
  }
  return squeeze(content.text);
}

/** The text of a paragraph in a cell; what it points at is added to the table's content. */
function cellParagraph(walk: Walk, node: WordNode, table: Content): string {
  const content = newContent();
  read(walk, node, content);
  table.notes.push(...content.notes);
  table.comments.push(...content.comments);
  table.parts.push(...content.parts);
  walk.pictures += content.pictures.length;
  const text = squeeze(`${content.text} ${content.pictures.join(" ")}`);
  return content.item === undefined || text === "" ? text : `${content.item.label || "-"} ${text}`;
}

function cellText(walk: Walk, nodes: readonly WordNode[], table: Content): string {
  return nodes
    .map((node) =>
      node.type === "paragraph"
        ? cellParagraph(walk, node, table)
        : cellText(walk, node.children ?? [], table),
    )
    .filter((text) => text !== "")
    .join(" ");
}

/** Adds the other parts, notes and comments that a paragraph or a table points at. */
function addReferences(walk: Walk, { parts, notes, comments }: Content): void {
  const { story, out, numbers } = walk;
  if (parts.length + notes.length + comments.length > 0) flush(walk);
  for (const part of parts) out.blocks.push(...story.part(part));
  for (const { type, id } of notes) {
    const text = plainText(walk, story.note(type, id)?.body ?? []);
    if (text !== "") out.add("footnote", `[${numbers.get(`${type}/${id}`) ?? "?"}] ${text}`);
  }
  for (const id of comments) {
    const comment = story.comment(id);
    const text = plainText(walk, comment?.body ?? []);
    const by = comment?.authorName ? ` by ${comment.authorName}` : "";
    if (text !== "") out.add("footnote", `Comment${by}: ${text}`);
  }
}

function addTable(walk: Walk, node: WordNode): void {
  flush(walk);
  const rows = (node.children ?? []).filter((row) => row.type === "tableRow");
  const [cell, ...others] = rows.length === 1 ? (rows[0]?.children ?? []) : [];
  // A table of one cell is a frame around what it holds.
  if (cell !== undefined && others.length === 0) {
    visitAll(walk, cell.children ?? []);
    flush(walk);
    return;
  }
  const content = newContent();
  const cells = rows.map((row) =>
    (row.children ?? []).map(
      ({ children = [], rowSpan = 1, colSpan = 1 }): GridCell => ({
        text: cellText(walk, children, content),
        rows: rowSpan,
        columns: colSpan,
      }),
    ),
  );
  const headerRows = rows.findIndex((row) => row.isHeader !== true);
  walk.out.table(cells, headerRows > 0 ? headerRows : undefined);
  addReferences(walk, content);
}

function addCode(walk: Walk, content: Content): void {
  walk.out.end();
  walk.code ??= { lines: [], styled: false };
  walk.code.lines.push(content.text.replace(/\t/g, "  "));
  walk.code.styled ||= content.code;
}

function addProse(walk: Walk, text: string, { heading, item }: Content, styleName: string): void {
  if (item === undefined || heading !== undefined || walk.code !== undefined) flush(walk);
  const { out } = walk;
  if (text === "") return;
  if (heading !== undefined && heading <= 6)
    out.add("heading", squeeze(`${item?.label ?? ""} ${text}`), heading);
  else if (item !== undefined)
    out.item(item.level, item.label === "" || /^\[[ x]\]/.test(text) ? "-" : item.label, text);
  else if (/^caption$/i.test(styleName)) out.add("caption", squeeze(text));
  else out.add("paragraph", text);
}

function addParagraph(walk: Walk, node: WordNode): void {
  const content = newContent();
  read(walk, node, content);
  content.text = resolveMarks(content.text);
  const text = content.text
    .replace(/\u00ad/g, "")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
  const isProse = content.plainFont || content.item !== undefined || content.heading !== undefined;
  if (text !== "" && (content.code || !isProse)) addCode(walk, content);
  else addProse(walk, text, content, node.styleName ?? "");
  walk.pictures += content.pictures.length;
  for (const alt of content.pictures.filter((each) => each !== "")) {
    flush(walk);
    walk.out.add("picture", alt);
  }
  addReferences(walk, content);
}

function visit(walk: Walk, node: WordNode): void {
  if (node.type === "paragraph") addParagraph(walk, node);
  else if (node.type === "table") addTable(walk, node);
  else visitAll(walk, node.children ?? []);
}

function visitAll(walk: Walk, nodes: readonly WordNode[]): void {
  for (const node of nodes) visit(walk, node);
}

/** Blocks of a Word story in order, notes after the paragraph that points at them. */
export function storyBlocks(story: Story): { readonly blocks: readonly Block[]; readonly pictures: number } {
  const walk: Walk = {
    story,
    out: blockWriter(),
    numbers: new Map(),
    code: undefined,
    pictures: 0,
  };
  visit(walk, story.root);
  flush(walk);
  return { blocks: walk.out.blocks, pictures: walk.pictures };
}
