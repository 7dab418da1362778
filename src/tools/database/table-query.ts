import type { ToolResult } from "../../core/answers/tool.ts";
import { asRagctlError, type RagctlError } from "../../core/errors.ts";
import { lazy, lruBySize, type Recent } from "../../core/lazy.ts";
import { closestMatch } from "../../core/nearest.ts";
import type { Run } from "../../core/run.ts";
import { assignUniqueNames, type Relation, relationsOf } from "../../tables/relation.ts";
import type { SheetTable } from "../../tables/schema.ts";
import { type DescribeOptions, describeTables } from "./describe-tables.ts";
import { type PlaceReader, placesOf } from "./relations/places.ts";
import { unionsOf, viewSql } from "./relations/unions.ts";
import { type Clean, findingOf, resultData, rowsText } from "./result.ts";
import type { Provenance, QueryLimits } from "./source.ts";
import { openSqlite, type SqliteProcess } from "./sqlite.ts";
import { refuseTextSums, type SqlStatement, statementOf, storedCase, withDateParts } from "./statement.ts";

/** The tables of one document. */
export interface TableSource {
  /** Changes with its content. */
  readonly key: string;
  /** Null where it cannot be read. */
  read(): Promise<readonly SheetTable[] | null>;
}

/** Relations of documents that were asked before, by the key of their source. */
export type TableMemory = Recent<string, readonly Relation[]>;

/** Most cells that are remembered. */
const rememberedCells = 2_000_000;

const cellsOf = (relations: readonly Relation[]): number =>
  relations.reduce((sum, { schema }) => sum + schema.rowCount * schema.columns.length, 0);

/** Remembers relations, so that a document's tables are not read again for each question. */
export const openTableMemory = (): TableMemory => lruBySize(rememberedCells, cellsOf);

/** What limits a query over tables, and how it shows their cells. */
export interface TableQueryOptions {
  readonly clean: Clean;
  readonly limits?: Partial<QueryLimits>;
  readonly memory?: TableMemory;
}

/** The result of a statement; of one that was not run, the reason and what there is instead. */
export interface SqlTableAnswer extends Pick<ToolResult, "message" | "findings" | "data"> {
  readonly isOk: boolean;
  /** For the model that wrote the statement. */
  readonly text: string;
}

/** Tables of documents that a model may ask by SQL. */
export interface SqlTables extends AsyncDisposable {
  /** The tables as text for a prompt; "" if there are none. */
  describe(question: string, options: Omit<DescribeOptions, "clean">): Promise<string>;
  /** Runs one SELECT. Throws only if the run was ended. */
  run(sql: string, run: Run): Promise<SqlTableAnswer>;
}

const defaults: QueryLimits = { rows: 50, timeoutMs: 10_000, bytes: 6000, cellCharacters: 300 };
/** Most cells of all tables; those of further documents are left out. */
const maxCells = 4_000_000;

interface Opened {
  /** Tables, and views over several of them. */
  readonly relations: readonly Relation[];
  /** Documents whose tables were too many. */
  readonly omitted: number;
  readonly sqlite: SqliteProcess;
  /** Adapts literals of a statement to the case of the data. */
  readonly withCase: (sql: string) => string;
}

async function relationsIn({ key, read }: TableSource, memory: TableMemory | undefined) {
  const known = memory?.get(key);
  if (known !== undefined) return known;
  const tables = await read();
  if (tables === null) return [];
  const relations = tables.flatMap((table) => relationsOf(table, { isLenient: true }));
  memory?.set(key, relations);
  return relations;
}

async function open(sources: readonly TableSource[], { memory }: TableQueryOptions): Promise<Opened> {
  const found: Relation[] = [];
  let [cells, omitted] = [0, 0];
  for (const source of sources) {
    const own = cells > maxCells ? [] : await relationsIn(source, memory);
    cells += cellsOf(own);
    if (cells > maxCells) omitted += 1;
    else found.push(...own);
  }
  const tables = assignUniqueNames(found);
  const unions = unionsOf(tables);
  const relations = [...tables, ...unions];
  const data = {
    tables: tables.map(({ loaded }) => loaded),
    views: unions.map((union) => viewSql(union, tables)),
  };
  const withCase = storedCase(relations.map(({ schema }) => schema));
  return { relations, omitted, withCase, sqlite: openSqlite("the database", data) };
}

/** What a model needs to know to mend a statement that failed. */
function helpFor(error: RagctlError, relations: readonly Relation[], sql: string): string {
  const [, column] = /no such column: "?(?:\w+\.)?([^"\s)]+)/.exec(error.message) ?? [];
  const [, table] = /(?:there is no table|no such table:) ([^\s)]+)/.exec(error.message) ?? [];
  const names = relations.map(({ schema }) => schema.name);
  if (table !== undefined) {
    const near = closestMatch(table, names);
    return near === undefined ? `The tables are ${names.slice(0, 30).join(", ")}.` : `Did you mean ${near}?`;
  }
  if (column === undefined) return error.hint ?? "";
  const words = new Set(sql.toLowerCase().match(/\w+/g));
  const used = relations.filter(({ schema }) => words.has(schema.name));
  const own = used.length > 0 ? used : relations;
  const near = closestMatch(
    column,
    own.flatMap(({ schema }) => schema.columns.map(({ name }) => name)),
  );
  const all = own.map(({ schema }) => `${schema.name}(${schema.columns.map(({ name }) => name).join(", ")})`);
  return `${near === undefined ? "" : `Did you mean ${near}? `}There are ${all.slice(0, 4).join("; ")}.`;
}

/** The places of the rows that a statement reads; of all rows of its tables where they cannot be told. */
async function sourcesOf(
  statement: SqlStatement,
  relations: readonly Relation[],
  read: PlaceReader,
  run: Run,
): Promise<readonly Provenance[]> {
  try {
    return await placesOf(statement, relations, read);
  } catch (error) {
    run.signal.throwIfAborted();
    run.log.event("rows-not-told", { reason: asRagctlError(error).message });
    return placesOf({ ...statement, ast: null }, relations, read);
  }
}

async function answer(
  { relations, sqlite, withCase }: Opened,
  written: string,
  options: TableQueryOptions,
  run: Run,
): Promise<SqlTableAnswer> {
  const limits = { ...defaults, ...options.limits };
  const schema = relations.map((relation) => relation.schema);
  const statement = statementOf(
    withDateParts(withCase(written), schema),
    schema.map(({ name }) => name),
  );
  refuseTextSums(statement.ast, schema, statement.tables);
  const rows = await sqlite.query(statement.run, limits, run.signal);
  const read: PlaceReader = (sql, most) => sqlite.query(sql, { ...limits, ...most }, run.signal);
  const places = await sourcesOf(statement, relations, read, run);
  const text = rowsText(rows, statement, relations, options.clean);
  return {
    isOk: true,
    text,
    message: `${rows.rows.length} of ${rows.rows.length + rows.omitted} rows by SQL of the model`,
    findings: places.length === 0 ? [] : [findingOf(`${statement.sql}\n${text}`, places)],
    data: resultData(statement, { produced_by: "model" }, rows, places),
  };
}

/** Opens tables of documents for the statements of a model; they are read on first use. */
export function openTableQuery(sources: readonly TableSource[], options: TableQueryOptions): SqlTables {
  const held: { database?: Opened } = {};
  // An attempt that fails, or whose run is ended, is made again.
  const opened = lazy(async (): Promise<Opened> => {
    held.database = await open(sources, options);
    return held.database;
  });
  return {
    async describe(question, given) {
      const { relations, omitted } = await opened();
      if (relations.length === 0) return "";
      const text = describeTables(relations, question, { ...given, clean: options.clean });
      return omitted === 0 ? text : `${text}\nThe tables of ${omitted} more documents are too large to load.`;
    },
    async run(sql, run) {
      const database = await opened();
      try {
        return await answer(database, sql, options, run);
      } catch (cause) {
        run.signal.throwIfAborted();
        const error = asRagctlError(cause);
        const text = `${error.message}. ${helpFor(error, database.relations, sql)}`.trim();
        return { isOk: false, text, message: error.message, findings: [], data: { sql, error: error.code } };
      }
    },
    async [Symbol.asyncDispose]() {
      await held.database?.sqlite[Symbol.asyncDispose]();
    },
  };
}
