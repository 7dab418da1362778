import { RagctlError } from "../../core/errors.ts";
import type { TableSchema } from "../../tables/schema.ts";
import { guardSelect, isAllowedFunction, maxCharacters } from "./guard.ts";

/**
 * Adapts string literals to the case of the data: a model writes `'Texas'` for a value `texas`; not where a
 * statement changes the case itself.
 */
export function storedCase(schema: readonly TableSchema[]): (sql: string) => string {
  const stored = new Map<string, string>();
  for (const value of schema.flatMap(({ columns }) => columns.flatMap(({ values }) => values))) {
    const key = value.toLowerCase();
    stored.set(key, stored.has(key) && stored.get(key) !== value ? "" : value);
  }
  return (sql) => {
    if (/\b(?:lower|upper)\s*\(/i.test(sql)) return sql;
    return sql.replaceAll(/'((?:[^']|'')*)'/g, (written, inner: string) => {
      const value = stored.get(inner.replaceAll("''", "'").toLowerCase()) ?? "";
      return value === "" ? written : `'${value.replaceAll("'", "''")}'`;
    });
  };
}

/** A date column compared with a date that is less exact, such as a month: `ordered = '2026-03'`. */
const datePart =
  /(?<![\w."'])((?:[a-z_]\w*\.)?"?([a-z_]\w*)"?)\s*(=|<>|!=)\s*'(\d{4}(?:-\d\d(?:-\d\d)?)?)'/gi;

/** A statement in which a date column that equals a month, a year or a day equals any time in it. */
export function withDateParts(sql: string, schema: readonly TableSchema[]): string {
  const dates = new Set(
    schema.flatMap(({ columns }) => columns.flatMap(({ name, type }) => (type === "date" ? [name] : []))),
  );
  return sql.replace(datePart, (written, column: string, name: string, sign: string, date: string) =>
    dates.has(name.toLowerCase()) ? `${column} ${sign === "=" ? "" : "NOT "}LIKE '${date}%'` : written,
  );
}

/**
 * The names of the columns that an expression's value is made of, in lower case: not those of its conditions
 * and windows.
 */
export function valueColumns(node: unknown): readonly string[] {
  if (typeof node !== "object" || node === null) return [];
  const { cond: _, over: __, ...parts } = node as Readonly<Record<string, unknown>>;
  const { type, column, operator = "+" } = parts;
  if (type === "column_ref" && typeof column === "string") return [column.toLowerCase()];
  return /^[-+*/%]$/.test(String(operator)) ? Object.values(parts).flatMap(valueColumns) : [];
}

/**
 * Refuses sums over text cells: SQLite would use the leading digits of each, `52` of `52.400,00`. @throws
 * TOOL_REFUSED
 */
export function refuseTextSums(
  ast: unknown,
  schema: readonly TableSchema[],
  tables: readonly string[],
): void {
  const columns = schema.filter(({ name }) => tables.includes(name)).flatMap(({ columns: own }) => own);
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, name, args } = node as Readonly<Record<"type" | "name" | "args", unknown>>;
    if (type === "aggr_func" && /^(?:sum|avg|total)$/i.test(String(name))) {
      const used = new Set(valueColumns(args));
      const text = columns.find((column) => column.type === "text" && used.has(column.name.toLowerCase()));
      if (text !== undefined)
        throw new RagctlError(
          "TOOL_REFUSED",
          `column ${text.title} cannot be summed: its cells are text, such as “${text.values[0] ?? ""}”`,
          {
            hint: "use one number format and one unit in the column",
          },
        );
    }
    Object.values(node).forEach(visit);
  };
  visit(ast);
}

/** A statement that may run, and what is known of it. */
export interface SqlStatement {
  readonly sql: string;
  readonly run: string;
  readonly tables: readonly string[];
  /** Null where only SQLite can read it. */
  readonly ast: unknown;
}

/** Without comments, outside of quotation marks. */
const withoutComments = (sql: string): string =>
  sql.replace(
    /('(?:[^']|'')*'|"(?:[^"]|"")*")|--[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g,
    (_, quoted?: string) => quoted ?? " ",
  );

/** Words of SQL before a parenthesis that call nothing. */
const clauses = new Set(
  "all and as between by case cross else except exists filter from having in inner intersect is join left like limit materialized not offset on or order outer over partition recursive right select then union using values when where with".split(
    " ",
  ),
);

/**
 * A statement that the guard's parser cannot read, for tables in memory only: their process holds nothing
 * else, SQLite prepares only one statement, and runs it only if it reads. @throws TOOL_REFUSED for functions
 * that are not on the list, and for what is SQLite's own
 */
function readBySqlite(sql: string, known: readonly string[]): SqlStatement {
  const bare = sql.replace(/'(?:[^']|'')*'/g, "''").replaceAll('"', "");
  const own = new Set(
    [...bare.matchAll(/([\p{L}_][\p{L}\p{N}_]*)\s*\([^()]*\)\s*as\s*\(/giu)].map(([, name = ""]) =>
      name.toLowerCase(),
    ),
  );
  const refused = [...bare.matchAll(/([\p{L}_][\p{L}\p{N}_]*)\s*(?=\()/gu)]
    .map(([, name = ""]) => name.toLowerCase())
    .find((name) => !clauses.has(name) && !own.has(name) && !isAllowedFunction(name));
  const internal = /(?<![\p{L}\p{N}_])(?:sqlite_|pragma_)\w*/iu.exec(bare)?.[0];
  const what = internal ?? (refused === undefined ? undefined : `the function ${refused}`);
  if (what !== undefined)
    throw new RagctlError("TOOL_REFUSED", `${what} is not allowed`, {
      hint: "only the tables of the schema are read",
    });
  const words = new Set(bare.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
  return { sql, run: sql, tables: known.filter((name) => words.has(name.toLowerCase())), ast: null };
}

/**
 * The statement of a model over tables in memory, as the guard lets it run, or where its parser cannot read
 * it, as SQLite does. @throws TOOL_REFUSED, TOOL_INVALID
 */
export function statementOf(written: string, known: readonly string[]): SqlStatement {
  // A longer one is refused by the guard.
  const sql = written.length > maxCharacters ? written : withoutComments(written).trim().replace(/;\s*$/, "");
  try {
    return guardSelect(sql, "sqlite", known);
  } catch (error) {
    if (!(error instanceof RagctlError) || error.code !== "TOOL_INVALID" || sql === "") throw error;
    return readBySqlite(sql, known);
  }
}
