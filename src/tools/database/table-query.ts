import type { ToolFinding, ToolResult } from "../../core/answers/tool.ts";
import { asRagctlError, type RagctlError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import type { Run } from "../../core/run.ts";
import type { SheetTable } from "../drivers.ts";
import { type DescribeOptions, describeTables } from "./describe-tables.ts";
import { type GuardedSelect, guardSelect } from "./guard.ts";
import { provenanceOf, rowsRead } from "./relations/places.ts";
import { type Relation, relationsOf } from "./relations/relation.ts";
import type { Cell, Provenance, QueryLimits, Rows } from "./source.ts";
import { openSqlite, type SqliteProcess } from "./sqlite.ts";
import { refuseTextSums, storedCase } from "./statement.ts";

/** What limits a query over tables, and how it shows their cells. */
export interface TableQueryOptions {
  /** Text of a document as a prompt may show it; "" where it must not. */
  readonly clean: (text: string) => string;
  readonly limits?: Partial<QueryLimits>;
}

/** The result of a statement; of one that was not run, the reason and what there is instead. */
export interface TableAnswer extends Pick<ToolResult, "message" | "findings" | "data"> {
  readonly isOk: boolean;
  /** For the model that wrote the statement. */
  readonly text: string;
}

/** Tables of documents that a model may ask by SQL. */
export interface TableQuery extends AsyncDisposable {
  /** The tables as text for a prompt; "" if there are none. */
  describe(question: string, options: Omit<DescribeOptions, "clean">): Promise<string>;
  /** Runs one SELECT. Throws only if the run was ended. */
  run(sql: string, run: Run): Promise<TableAnswer>;
}

const defaults: QueryLimits = { rows: 50, timeoutMs: 10_000, bytes: 6000, cellCharacters: 300 };
/** Most cells of all tables; those of further tables are left out. */
const maxCells = 4_000_000;

interface Opened {
  readonly relations: readonly Relation[];
  readonly sqlite: SqliteProcess;
  /** Adapts literals of a statement to the case of the data. */
  readonly withCase: (sql: string) => string;
}

async function open(tables: AsyncIterable<SheetTable>): Promise<Opened> {
  const taken = new Set<string>();
  const relations: Relation[] = [];
  let cells = 0;
  for await (const table of tables) {
    cells += table.rows.reduce((sum, row) => sum + row.length, 0);
    if (cells > maxCells) break;
    relations.push(...relationsOf(table, taken, { isLenient: true }));
  }
  return {
    relations,
    withCase: storedCase(relations.map(({ schema }) => schema)),
    sqlite: openSqlite("the tables", { tables: relations.map(({ loaded }) => loaded) }),
  };
}

/** What a model needs to know to mend a statement that failed. */
function helpFor(error: RagctlError, relations: readonly Relation[], sql: string): string {
  const [, column] = /no such column: "?(?:\w+\.)?([^"\s)]+)/.exec(error.message) ?? [];
  const [, table] = /there is no table (\S+)/.exec(error.message) ?? [];
  const names = relations.map(({ schema }) => schema.name);
  if (table !== undefined) {
    const near = nearest(table, names);
    return near === undefined ? `The tables are ${names.slice(0, 30).join(", ")}.` : `Did you mean ${near}?`;
  }
  if (column === undefined) return error.hint ?? "";
  const used = relations.filter(({ schema }) => new RegExp(`\\b${schema.name}\\b`, "i").test(sql));
  const own = used.length > 0 ? used : relations;
  const near = nearest(
    column,
    own.flatMap(({ schema }) => schema.columns.map(({ name }) => name)),
  );
  const all = own.map(({ schema }) => `${schema.name}(${schema.columns.map(({ name }) => name).join(", ")})`);
  return `${near === undefined ? "" : `Did you mean ${near}? `}There are ${all.slice(0, 4).join("; ")}.`;
}

/** The unit of each column of a result: that of the only column with numbers that its expression names. */
function unitsOf({ ast, tables }: GuardedSelect, relations: readonly Relation[]): readonly string[] {
  const known = relations
    .filter(({ schema }) => tables.includes(schema.name))
    .flatMap(({ schema }) => schema.columns);
  const namesIn = (node: unknown): readonly string[] => {
    if (typeof node !== "object" || node === null) return [];
    const { type, column } = node as { readonly type?: unknown; readonly column?: unknown };
    const own = type === "column_ref" && typeof column === "string" ? [column.toLowerCase()] : [];
    return [...own, ...Object.values(node).flatMap(namesIn)];
  };
  const unitOf = (node: unknown): string => {
    if (/"name":"count"/i.test(JSON.stringify(node))) return "";
    const names = new Set(namesIn(node));
    const units = new Set(known.filter(({ name }) => names.has(name)).map(({ unit }) => unit));
    return units.size === 1 ? ([...units][0] ?? "") : "";
  };
  return Array.isArray(ast["columns"]) ? ast["columns"].map(unitOf) : [];
}

/** A cell as shown: fractions have 12 digits, so that 0.1 + 0.2 is 0.3. */
function cellText(cell: Cell, clean: TableQueryOptions["clean"]): string {
  if (cell === null) return "NULL";
  if (typeof cell === "number") return String(Number.isInteger(cell) ? cell : Number(cell.toPrecision(12)));
  return cell === "" ? "" : clean(cell).replaceAll("|", "¦") || "(withheld)";
}

function resultText(rows: Rows, units: readonly string[], clean: TableQueryOptions["clean"]): string {
  const isPlain = rows.columns.length === units.length;
  const heads = rows.columns.map((name, at) => {
    const unit = isPlain ? (units[at] ?? "") : "";
    const plain = name.replaceAll('"', "");
    return unit === "" ? plain : `${plain} (${unit})`;
  });
  const lines = rows.rows.map((row) => row.map((cell) => cellText(cell, clean)).join(" | "));
  const all = rows.rows.length + rows.omitted;
  const notes = [
    all === 0 ? "no rows" : `${rows.omittedIsExact ? "" : "at least "}${all} ${all === 1 ? "row" : "rows"}`,
    ...(rows.omitted > 0 ? [`the first ${rows.rows.length} are shown`] : []),
    ...(rows.cellsCut > 0 ? [`${rows.cellsCut} long cells were cut`] : []),
  ];
  return [heads.join(" | "), ...lines, `(${notes.join("; ")})`].join("\n");
}

/** One finding of a result, at the place of all its rows. */
function findingOf(text: string, places: readonly Provenance[]): ToolFinding {
  const sources = [...new Set(places.map(({ source }) => source))];
  const section = places.map((place) =>
    sources.length > 1 ? `${place.source}: ${place.section}` : place.section,
  );
  return { text, source: sources.join(", "), section: section.join("; "), contentType: "table" };
}

async function answer(
  { relations, sqlite, withCase }: Opened,
  written: string,
  options: TableQueryOptions,
  run: Run,
): Promise<TableAnswer> {
  const limits = { ...defaults, ...options.limits };
  const schema = relations.map((relation) => relation.schema);
  const known = schema.map(({ name }) => name);
  const guarded = guardSelect(withCase(written), "sqlite", known);
  refuseTextSums(guarded.ast, schema, guarded.tables);
  const rows = await sqlite.query(guarded.run, limits, run.signal);
  const read = await rowsRead(guarded.sql, known, limits, (sql, most) =>
    sqlite.query(sql, most, run.signal),
  ).catch((error: unknown) => {
    run.signal.throwIfAborted();
    run.log.event("rows-not-told", { reason: asRagctlError(error).message });
    return new Map<string, readonly number[]>();
  });
  const places = relations
    .filter((relation) => guarded.tables.includes(relation.schema.name))
    .map((relation) => provenanceOf(relation, read.get(relation.schema.name) ?? null));
  const text = resultText(rows, unitsOf(guarded, relations), options.clean);
  return {
    isOk: true,
    text,
    message: `${rows.rows.length} of ${rows.rows.length + rows.omitted} rows by SQL of the model`,
    findings: places.length === 0 ? [] : [findingOf(`${guarded.sql}\n${text}`, places)],
    data: {
      sql: guarded.sql,
      produced_by: "model",
      columns: rows.columns,
      rows: rows.rows,
      row_count: rows.rows.length,
      omitted_rows: rows.omitted,
      omitted_is_exact: rows.omittedIsExact,
      cut_cells: rows.cellsCut,
      tables: guarded.tables,
      sources: places.map(({ source, section, details }) => ({ source, section, ...details })),
    },
  };
}

/** Opens tables of documents for the statements of a model; they are read on first use. */
export function openTableQuery(
  tables: () => AsyncIterable<SheetTable>,
  options: TableQueryOptions,
): TableQuery {
  const held: { opened?: Promise<Opened> } = {};
  const opened = (): Promise<Opened> => {
    held.opened ??= open(tables());
    return held.opened;
  };
  return {
    async describe(question, given) {
      const { relations } = await opened();
      return relations.length === 0
        ? ""
        : describeTables(relations, question, { ...given, clean: options.clean });
    },
    async run(sql, run) {
      const database = await opened();
      const { relations } = database;
      try {
        return await answer(database, sql, options, run);
      } catch (cause) {
        run.signal.throwIfAborted();
        const error = asRagctlError(cause);
        const text = `${error.message}. ${helpFor(error, relations, sql)}`.trim();
        return { isOk: false, text, message: error.message, findings: [], data: { sql, error: error.code } };
      }
    },
    async [Symbol.asyncDispose]() {
      const started = await held.opened?.catch(() => undefined);
      await started?.sqlite[Symbol.asyncDispose]();
    },
  };
}
