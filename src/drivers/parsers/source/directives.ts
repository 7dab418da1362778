import { readRows } from "../office/sheets/delimited.ts";
import { type NotebookPage, type SourceRow, takeTable } from "./page.ts";

/** Explicit markup of reStructuredText: its indentation, and what it says. */
const explicit = /^( {0,40})\.\.(?:[ \t]+(\S.*))?$/;
/** A directive: its name, and the words behind it. */
const directive = /^([\w.:+-]{1,80})::(?:[ \t]+(\S.*)?)?$/;
/** Explicit markup that is no comment: notes, targets, substitutions. */
const named = /^(?:\[[^\]]{1,80}\]|_|\|[^|]{1,80}\|)/;
/** An option of a directive. */
const option = /^\s{1,40}:([\w-]{1,80}):(?:[ \t]+(\S.*)?)?$/;

/** The index behind the lines below a line that are indented further. */
function bodyEnd(lines: readonly string[], at: number, indent: number): number {
  let end = at + 1;
  for (let next = end; next < lines.length; next++) {
    const line = lines[next] ?? "";
    if (line.trim() === "") continue;
    if (line.search(/\S/) <= indent) break;
    end = next + 1;
  }
  return end;
}

/** The rows of a list of lists: `* - ` begins a row, `- ` in the same column a cell. */
function listRows(lines: readonly string[], from: number, end: number): readonly SourceRow[] {
  const rows: { readonly cells: string[]; readonly number: number }[] = [];
  const first = lines.slice(from, end).find((line) => line.trim() !== "") ?? "";
  const column = /^\s*\*\s+(?=-)/.exec(first)?.[0].length ?? 0;
  for (let at = from; at < end && column > 0; at++) {
    const line = lines[at] ?? "";
    const [before, text] = [line.slice(0, column), line.slice(column + 1).trim()];
    const isCell = line[column] === "-" && /^\s*(?:\*\s*)?$/.test(before);
    if (isCell && before.includes("*")) rows.push({ cells: [], number: at + 1 });
    const cells = rows.at(-1)?.cells;
    cells?.push(isCell ? text : `${cells.pop() ?? ""} ${line.trim()}`.trim());
  }
  return rows;
}

/** The rows of delimited text in lines. */
function delimitedRows(
  lines: readonly string[],
  from: number,
  end: number,
  mark: string,
): readonly SourceRow[] {
  // A blank before a quote is not the cell's.
  const own = lines.slice(from, end).map((line) => line.trim().replace(/,[ \t]{1,40}"/g, ',"'));
  const { rows, lines: numbers } = readRows(own.join("\n"), mark, end - from);
  return rows.map((cells, at) => ({ cells, number: from + (numbers[at] ?? 1) }));
}

/** Makes the lines of a directive a table, where they have rows. */
function takeDirective(page: NotebookPage, at: number, end: number, { name, title }: Explicit): void {
  const options = new Map<string, string>();
  let from = at + 1;
  for (; from < end; from++) {
    const [, key, value = ""] = option.exec(page.lines[from] ?? "") ?? [];
    if (key === undefined) break;
    options.set(key, value);
  }
  const mark = (options.get("delim") ?? ",").replace("tab", "\t");
  const header = options.get("header") ?? "";
  const rows =
    name === "list-table"
      ? listRows(page.lines, from, end)
      : [...delimitedRows([header], 0, 1, mark), ...delimitedRows(page.lines, from, end, mark)];
  const heads = Number(options.get("header-rows") ?? 0) + Number(header !== "");
  takeTable(page, [at, end], rows, heads, title);
}

/** A directive with a table, or a comment, which has no name. */
interface Explicit {
  readonly indent: number;
  readonly name: string;
  readonly title: string;
}

/** The directive or the comment that a line begins; undefined for other lines. */
function explicitIn(line: string, next: string): Explicit | undefined {
  const [whole, indent = "", said = ""] = explicit.exec(line) ?? [];
  const [, name = "", title = ""] = directive.exec(said) ?? [];
  const isTable = name === "list-table" || name === "csv-table";
  if (whole === undefined || named.test(said) || (name !== "" && !isTable)) return undefined;
  // Without words or a line directly below it, a comment has no lines at all.
  const isEmpty = said === "" && next.trim() === "";
  return { indent: isEmpty ? Number.POSITIVE_INFINITY : indent.length, name, title };
}

/** Takes the tables of directives out of a page, and the comments. */
export function readDirectives(page: NotebookPage): void {
  const { lines } = page;
  for (let at = 0; at < lines.length; at++) {
    const found = explicitIn(lines[at] ?? "", lines[at + 1] ?? "");
    if (found === undefined) continue;
    const end = bodyEnd(lines, at, found.indent);
    if (found.name === "") lines.fill("", at, end);
    else takeDirective(page, at, end, found);
    at = end - 1;
  }
}
