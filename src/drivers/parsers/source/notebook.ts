import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { z } from "../../../core/schema.ts";
import { trimEndOf } from "../../../core/text.ts";
import { contentOf, countWarning, damagedFile, titleFromName } from "../blocks.ts";
import { decode, withoutTerminalCodes } from "../decode.ts";
import html from "../markup/html.ts";
import markdown from "../markup/markdown.ts";

/** Most characters of one output that are read. */
const mostOutput = 4_000;

/** Text as notebooks have it, whole or line by line. */
const text = z.union([z.string(), z.array(z.string())]).catch("");
const output = z.object({
  output_type: z.string().catch(""),
  text,
  /** Of the formats before 4, in place of `data`. */
  html: text,
  data: z.record(z.string(), z.unknown()).catch({}),
  ename: z.string().catch(""),
  evalue: z.string().catch(""),
});
const cell = z.object({
  cell_type: z.string(),
  source: text,
  /** Of the formats before 4, in place of `source`. */
  input: text,
  level: z.number().catch(1),
  outputs: z.array(output).catch([]),
});
const notebook = z.object({ cells: z.array(cell) });
/** Of the formats before 4. */
const worksheets = z.object({ worksheets: z.array(notebook) });
type Cell = z.infer<typeof cell>;
type Output = z.infer<typeof output>;

const whole = (lines: z.infer<typeof text>): string => (typeof lines === "string" ? lines : lines.join(""));

/** What a program prints as a terminal shows it: a line that was written over, as by a bar, once. */
const printed = (lines: string): string =>
  withoutTerminalCodes(lines)
    .split("\n")
    .map((line) => trimEndOf(line, /\r/).split("\r").at(-1) ?? "")
    .join("\n");

/** What stands for an object that is shown in another form. */
const standsFor = /^<[^<>]{1,200}>$/;

/** The blocks of a text by the parser of its format; none where it is a picture alone. */
const blocksBy = async (parser: Parser, content: string, name: string): Promise<readonly Block[]> =>
  (await parser.parse(new TextEncoder().encode(content), { name }).catch(() => undefined))?.blocks ?? [];

const codeOf = (code: string): Block => ({ kind: "code", text: code, pages: [] });

/** An output as blocks: as plain text, else in the richest form that is text; none for pictures. */
async function outputBlocks(own: Output, name: string) {
  const form = (type: string): string => whole(text.parse(own.data[type]));
  const error = [own.ename, own.evalue].filter((part) => part !== "").join(": ");
  const plain = printed(whole(own.text) || form("text/plain") || error).trim();
  if (plain !== "" && !standsFor.test(plain))
    return { blocks: [codeOf(plain.slice(0, mostOutput).toWellFormed())], isCut: plain.length > mostOutput };
  const read = async (parser: Parser, rich: string) => ({
    blocks: await blocksBy(parser, rich.slice(0, mostOutput).toWellFormed(), name),
    isCut: rich.length > mostOutput,
  });
  const marked = form("text/markdown");
  if (marked !== "") return await read(markdown(), marked);
  const page = form("text/html") || whole(own.html);
  if (page !== "") return await read(html(), page);
  const data = own.data["application/json"];
  const last = plain || form("text/latex") || (data === undefined ? "" : JSON.stringify(data));
  return {
    blocks: last === "" ? [] : [codeOf(last.slice(0, mostOutput).toWellFormed())],
    isCut: last.length > mostOutput,
  };
}

/** What a cell says itself. */
async function written(
  { cell_type: type, source, input, level }: Cell,
  name: string,
): Promise<readonly Block[]> {
  const own = whole(source) || whole(input);
  if (own.trim() === "") return [];
  if (type === "markdown") return await blocksBy(markdown(), own, name);
  if (type === "heading")
    return [{ kind: "heading", text: own.trim(), level: Math.min(6, Math.max(1, level)), pages: [] }];
  return [codeOf(own.trimEnd())];
}

async function parse(bytes: Uint8Array, { name }: { readonly name: string }): Promise<ParsedContent> {
  const decoded = await decode(bytes, name);
  const blocks: Block[] = [];
  let [cut, silent] = [0, 0];
  for (const [index, own] of cellsOf(decoded.text, name).entries()) {
    const results = await Promise.all(own.outputs.map((each) => outputBlocks(each, name)));
    cut += results.filter(({ isCut }) => isCut).length;
    silent += results.filter((result) => result.blocks.length === 0).length;
    const place = { unit: "cell", number: index + 1 } as const;
    const all = [...(await written(own, name)), ...results.flatMap((result) => result.blocks)];
    blocks.push(...all.map((block) => ({ ...block, place })));
  }
  const title = blocks.find(({ kind }) => kind === "heading")?.text ?? titleFromName(name);
  const warnings = [
    ...countWarning(cut, "output", `read up to the first ${mostOutput} characters`),
    ...countWarning(silent, "output", "skipped: without text, as a picture"),
  ];
  return contentOf(name, blocks, { title, warnings: [...decoded.warnings, ...warnings] });
}

/** @throws SOURCE_DAMAGED */
function cellsOf(json: string, name: string): readonly Cell[] {
  try {
    const book: unknown = JSON.parse(json);
    const older = worksheets.safeParse(book).data?.worksheets.flatMap(({ cells }) => cells);
    return notebook.safeParse(book).data?.cells ?? older ?? notebook.parse(book).cells;
  } catch (error) {
    throw damagedFile(name, "a Jupyter notebook", error);
  }
}

/** Parses Jupyter notebooks (nbformat 3 and 4): text and code by cell, and the outputs that are text. */
export default (): Parser => ({ id: "notebook", parse });
