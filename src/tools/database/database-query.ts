import type { Tool } from "../../core/answers/tool.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { z } from "../../core/schema.ts";
import { toolConfigs } from "../../core/tool-config.ts";
import { asksForFigure } from "../../tables/query/figures.ts";
import { supportingRowsSql, toSql } from "../../tables/query/query.ts";
import { readTableQuery } from "../../tables/query/read.ts";
import { describeResult, resultText } from "../../tables/query/tell.ts";
import type { TableSchema } from "../../tables/schema.ts";
import { fewRows, type Rows } from "../../tables/schema.ts";
import { readConfig } from "../config.ts";
import type { ToolDrivers, ToolRow } from "../drivers.ts";
import { guardSelect } from "./guard.ts";
import { resultData } from "./result.ts";
import type { QueryLimits, SqlSource } from "./source.ts";
import { refuseTextSums, storedCase, withDateParts } from "./statement.ts";
import { writeSql } from "./write-sql.ts";

type Settings = z.infer<typeof toolConfigs.database_query>;

async function openSource(
  row: ToolRow,
  settings: Settings,
  limits: QueryLimits,
  drivers: ToolDrivers,
): Promise<SqlSource> {
  if (settings.path !== undefined)
    return (await import("./sqlite-source.ts")).sqliteSource(settings.path, settings.tables, limits);
  if (settings.url === undefined && settings.url_secret === undefined)
    return (await import("./sheets.ts")).sheetSource(() => drivers.sheets());
  const url = settings.url ?? drivers.secret(settings.url_secret ?? "");
  if (url === undefined || !URL.canParse(url)) {
    throw new RagctlError(
      "CONFIG_INVALID",
      `the tool ${row.name}: the secret ${settings.url_secret} holds no database address`,
      {
        hint: "set the environment variable of that name to postgresql://user:password@host/database",
      },
    );
  }
  return (await import("./postgres.ts")).postgresSource({
    url,
    schemaName: settings.schema,
    tables: settings.tables,
  });
}

/** A database to query, with its registry row. */
interface Database {
  readonly row: ToolRow;
  readonly settings: Settings;
  readonly limits: QueryLimits;
  readonly source: SqlSource;
  readonly drivers: ToolDrivers;
}

/**
 * The tables that may be queried; an unreadable one is skipped and logged. @throws TOOL_FAILED if none is
 * left
 */
async function readSchema({ row, source }: Database, { signal, log }: Run): Promise<readonly TableSchema[]> {
  const skipped: string[] = [];
  const schema = await source.schema(signal, (table, reason) => {
    skipped.push(`; ${table} cannot be read (${reason})`);
    log.warn(`${row.name}: ${table} in ${source.name} skipped: ${reason}`);
  });
  if (schema.length > 0) return schema;
  throw new RagctlError(
    "TOOL_FAILED",
    `${source.name} has no tables to query${skipped.slice(0, 3).join("")}`,
    {
      hint: "ingest a spreadsheet, or set the tool's config.path or config.url",
    },
  );
}

/** The rows behind a figure; null if they cannot be fetched, since the figure is valid without them. */
async function basisOf(
  read: () => Promise<{ readonly rows: Rows }>,
  { signal, log }: Run,
): Promise<Rows | null> {
  try {
    return (await read()).rows;
  } catch (error) {
    signal.throwIfAborted();
    log.event("basis-not-read", { reason: asRagctlError(error).message });
    return null;
  }
}

/** Runs the statement; if the database rejects it, it is rewritten once, given the error. */
async function answer(database: Database, question: string, run: Run) {
  const { settings, source, limits, drivers } = database;
  const { signal } = run;
  const schema = await readSchema(database, run);
  const known = schema.map(({ name }) => name);
  const withCase = storedCase(schema);
  // A real database may hold its dates in another form.
  const isSheets = source.dialect === "sqlite" && settings.path === undefined;
  const adapted = (sql: string): string => (isSheets ? withDateParts(withCase(sql), schema) : withCase(sql));
  const execute = async (
    written: string,
    producedBy: "template" | "model",
    attempts: number,
    most: QueryLimits = limits,
  ) => {
    const home = source.dialect === "postgresql" ? settings.schema : "main";
    const guarded = guardSelect(adapted(written), source.dialect, known, home);
    // A real database declares its column types.
    if (isSheets) refuseTextSums(guarded.ast, schema, guarded.tables);
    return {
      ...guarded,
      producedBy,
      attempts,
      told: null,
      rows: await source.query(guarded.run, most, signal),
    };
  };
  const query = readTableQuery(question, schema);
  if (query !== null) {
    const done = await execute(toSql(query), "template", 1);
    const few = { ...limits, rows: Math.min(limits.rows, fewRows) };
    const behind = supportingRowsSql(query);
    const basis = behind === null ? null : await basisOf(() => execute(behind, "template", 1, few), run);
    return { ...done, told: describeResult(query, withoutNothing(done.rows), basis) };
  }
  const model = await drivers.model();
  if (model === null) {
    throw new RagctlError(
      "TOOL_FAILED",
      "the question matches no template, and there is no model to write SQL",
      {
        hint: "name the column and a value as in the table, or download a model with `ragctl models pull`",
      },
    );
  }
  const sql = await writeSql(question, schema, source.dialect, model, null, signal);
  try {
    return await execute(sql, "model", 1);
  } catch (error) {
    if (!(error instanceof RagctlError) || !["TOOL_INVALID", "TOOL_REFUSED"].includes(error.code))
      throw error;
    const failed = { sql, error: error.message };
    return execute(await writeSql(question, schema, source.dialect, model, failed, signal), "model", 2);
  }
}

/** Drops the single row of nulls that a sum, an average or an extreme returns for no rows. */
function withoutNothing(rows: Rows): Rows {
  const [only, ...others] = rows.rows;
  const isNothing = others.length === 0 && only?.every((cell) => cell === null);
  return isNothing ? { ...rows, rows: [] } : rows;
}

/**
 * Queries the database and shows the rows with their source. If a model's query matches none, that says
 * nothing about the tables.
 */
async function findRows(database: Database, question: string, run: Run): ReturnType<Tool["call"]> {
  const { sql, tables, rows: all, producedBy, attempts, told } = await answer(database, question, run);
  const rows = withoutNothing(all);
  const isGuess = rows.rows.length === 0 && producedBy === "model";
  const places = isGuess ? [] : await database.source.provenance(sql, tables, database.limits, run.signal);
  const text = told ?? resultText(question, rows, sql);
  const count =
    rows.rows.length === 0 ? "no rows" : `${rows.rows.length} of ${rows.rows.length + rows.omitted} rows`;
  return {
    message: `${count} by SQL of ${producedBy === "model" ? "the model" : "a template"}`,
    findings: places.map(({ source, section }) => ({ text, source, section, contentType: "table" })),
    data: resultData({ sql, tables }, { produced_by: producedBy, attempts }, rows, places),
  };
}

const defaultDescription =
  "Looks up, counts, adds up, averages and compares values in tables, spreadsheets and databases: how many, total, average, highest, lowest, and which rows meet a condition.";
const defaultExamples = [
  "How many pumps are rated above 150 PSI?",
  "What is the average price per supplier?",
  "Which item has the lowest stock?",
  "What is the total of all invoices in March?",
  "List the equipment installed in building B",
];
const parameters = {
  type: "object",
  properties: {
    question: {
      type: "string",
      maxLength: 2000,
      description: "the question about the tables, in plain words",
    },
  },
  required: [],
  additionalProperties: false,
};

/**
 * Answers questions from tables by read-only SQL: a SQLite file, a PostgreSQL database, or the sheets of
 * ingested documents if the row names neither. Templates write the SQL of simple questions, the model the
 * rest.
 */
export default async function open(row: ToolRow, drivers: ToolDrivers): Promise<Tool> {
  const settings = readConfig(row, toolConfigs.database_query);
  const limits: QueryLimits = {
    rows: settings.row_limit,
    timeoutMs: settings.timeout_ms,
    bytes: settings.max_bytes,
    cellCharacters: settings.max_cell_characters,
  };
  const asksSheets = [settings.path, settings.url, settings.url_secret].every((place) => place === undefined);
  const source = await openSource(row, settings, limits, drivers);

  /** A question for plain rows opens the spreadsheets only if it is close enough to the tool. */
  async function answers(question: string, isNear: boolean, { signal }: Run): Promise<boolean> {
    if (!isNear && !asksForFigure(question)) return false;
    return readTableQuery(question, await source.schema(signal, () => {})) !== null;
  }

  return {
    type: "database_query",
    description: settings.description ?? defaultDescription,
    examples: settings.examples ?? defaultExamples,
    parameters,
    // An external database is asked for its schema only when it is called.
    ...(asksSheets ? { answers } : {}),
    async call(call, question, run) {
      const { question: own } = call.arguments;
      const asked = typeof own === "string" && own.trim() !== "" ? own : question;
      return findRows({ row, settings, limits, source, drivers }, asked, run);
    },
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}
