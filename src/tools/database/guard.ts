import { createRequire } from "node:module";
import { RagctlError } from "../../core/errors.ts";
import { lazyMap } from "../../core/lazy.ts";
import type { Dialect } from "./source.ts";

/** The part of the parser used here; its own types describe less than it returns. */
interface SqlParser {
  astify(sql: string, options: { readonly database: string }): unknown;
  sqlify(ast: unknown, options: { readonly database: string }): string;
}

interface Node {
  readonly [member: string]: unknown;
}

/** A read-only statement, and what it reads. */
export interface GuardedSelect {
  /** As written, for display. */
  readonly sql: string;
  /**
   * The statement to run, regenerated from the checked tree, so that the database sees nothing the guard did
   * not.
   */
  readonly run: string;
  /** Tables of the schema, as the schema names them. */
  readonly tables: readonly string[];
  readonly ast: Node;
}

export const maxCharacters = 4000;
const maxDepth = 60;

const sharedFunctions =
  "not exists count sum avg min max total abs round ceil ceiling floor sqrt power mod sign lower upper length trim ltrim rtrim substr substring replace coalesce nullif cast concat group_concat string_agg row_number rank dense_rank lag lead first_value last_value";
/**
 * Functions that may be called: none of them reads files, loads code, waits, or returns a value larger than
 * its arguments.
 */
const functions: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  sqlite: new Set(
    `${sharedFunctions} ifnull iif instr date time datetime julianday strftime unixepoch timediff typeof median pow exp ln log10 trunc ntile percent_rank cume_dist nth_value concat_ws current_date`.split(
      " ",
    ),
  ),
  postgresql: new Set(
    `${sharedFunctions} date_part date_trunc extract to_char to_date to_number age now current_date left right strpos position char_length greatest least array_agg median percentile_cont stddev variance`.split(
      " ",
    ),
  ),
};

/** Whether a statement on SQLite may call a function of this name, in lower case. */
export const isAllowedFunction = (name: string): boolean => functions.sqlite.has(name);

/** The SQL parser of one dialect, loaded on first use. */
const parser = lazyMap((dialect: Dialect): SqlParser => {
  const require = createRequire(import.meta.url);
  // Single-dialect builds of the package, a tenth of its full size; their exports match `SqlParser`.
  const { Parser } = (
    dialect === "sqlite"
      ? require("node-sql-parser/build/sqlite.js")
      : require("node-sql-parser/build/postgresql.js")
  ) as {
    Parser: new () => SqlParser;
  };
  return new Parser();
});

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const refused = (message: string): RagctlError =>
  new RagctlError("TOOL_REFUSED", message, { hint: "only one SELECT over the tables of the schema is run" });

/** Name of a called function, in either form the parser uses: `{ name: [{ value }] }` or a string. */
function functionName(node: Node): string {
  const { name } = node;
  if (typeof name === "string") return name.toLowerCase();
  const parts = isNode(name) && Array.isArray(name["name"]) ? name["name"] : [];
  const schema = isNode(name) ? name["schema"] : undefined;
  if (schema !== undefined && schema !== null) return "";
  return parts
    .map((part: unknown) => (isNode(part) ? String(part["value"]) : ""))
    .join(".")
    .toLowerCase();
}

/** Allowed kinds of syntax tree nodes; all others are refused. */
const allowedTypes: ReadonlySet<string> = new Set(
  `select aggr_func function window_func expr_list column_ref binary_expr unary_expr star default number bigint string single_quote_string
double_quote_string backticks_quote_string bool boolean distinct null case when else cast expr extract interval origin asc desc date time timestamp
window rows on using limit`.split(/\s+/),
);

/**
 * Allowed types of a cast. Others name tables, roles or functions of the server (`regclass`), or parse XML.
 */
const castTypes: ReadonlySet<string> = new Set(
  `int integer int2 int4 int8 smallint bigint real float float4 float8 double numeric decimal text varchar char character nvarchar
date time timestamp timestamptz datetime interval bool boolean`.split(/\s+/),
);

/**
 * Accepts only a single SELECT (or WITH … SELECT) over known tables; checked on the syntax tree, in four
 * steps: the text is one statement, every node is read-only, every function is on the list, and every table
 * is in the schema. `home` is the only schema that may qualify a table. @throws TOOL_REFUSED for a forbidden
 * statement, TOOL_INVALID for invalid SQL
 */
export function guardSelect(
  sql: string,
  dialect: Dialect,
  knownTables: readonly string[],
  home: string = dialect === "postgresql" ? "public" : "main",
): GuardedSelect {
  const text = sql.trim().replace(/;\s*$/, "");
  if (text === "") throw new RagctlError("TOOL_INVALID", "the SQL is empty", { hint: "write one SELECT" });
  if (text.length > maxCharacters)
    throw refused(`the SQL has ${text.length} characters, at most ${maxCharacters} are run`);
  if (text.includes("\0")) throw refused("the SQL holds a NUL character");
  // The parser treats it as an escape and the databases do not: they would run another statement than the one
  // checked.
  if (/\\['"`]/.test(text)) throw refused("the SQL holds a backslash before a quotation mark");
  const [first = ""] = /^\w+/.exec(text) ?? [];
  if (!/^(select|with)$/i.test(first))
    throw refused(`a statement that begins with "${first.slice(0, 20)}" is not run`);
  const unquoted = text.replace(/'(?:[^']|'')*'/g, "''").replace(/"(?:[^"]|"")*"/g, '""');
  if (/--|\/\*|;|#/.test(unquoted)) throw refused("the SQL holds a comment or a second statement");
  const byName = new Map(knownTables.map((name) => [name.toLowerCase(), name]));
  const check = (statement: string): GuardedSelect => {
    const context = { dialect, home, byName, used: new Set<string>() };
    const ast = selectOf(statement, dialect);
    checkNode(ast, context, new Set(), 0);
    const run = sqlOf(dialect === "postgresql" ? (folded(ast, text, byName) as Node) : ast, dialect);
    return { sql: text, run, tables: [...context.used], ast };
  };
  const guarded = check(text);
  // Parses the regenerated text again: it must pass, and be the same statement.
  if (check(guarded.run).run !== guarded.run)
    throw refused("the SQL cannot be written again from what was read");
  return guarded;
}

/** The tree of a text that is one SELECT. */
function selectOf(text: string, dialect: Dialect): Node {
  const parsed = astOf(text, dialect);
  const statements = Array.isArray(parsed) ? parsed : [parsed];
  const [statement] = statements;
  if (statements.length === 1 && isNode(statement) && statement["type"] === "select") return statement;
  throw refused("only a single SELECT is run");
}

/**
 * A tree whose names PostgreSQL finds even though they are quoted when regenerated: tables in the schema's
 * spelling, other names in lower case, as PostgreSQL reads unquoted names, unless `text` quotes them. Columns
 * keep their quotes.
 */
function folded(value: unknown, text: string, byName: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((part) => folded(part, text, byName));
  if (!isNode(value)) return value;
  const fold = (name: string): string => (text.includes(`"${name}"`) ? name : name.toLowerCase());
  const isClause = isNode(value["stmt"]) && isNode(value["name"]);
  return Object.fromEntries(
    Object.entries(value).map(([member, part]) => {
      if (member === "table" && typeof part === "string")
        return [member, byName.get(part.toLowerCase()) ?? fold(part)];
      if (member === "as" && typeof part === "string") return [member, fold(part)];
      if (member === "name" && isClause && isNode(part) && typeof part["value"] === "string")
        return [member, { ...part, value: fold(part["value"]) }];
      return [member, folded(part, text, byName)];
    }),
  );
}

/** Generates the text of a modified tree. */
export function sqlOf(ast: Node, dialect: Dialect): string {
  return parser(dialect).sqlify(ast, { database: dialect });
}

function astOf(text: string, dialect: Dialect): unknown {
  try {
    return parser(dialect).astify(text, { database: dialect });
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message.split("\n")[0]?.slice(0, 160) : String(cause);
    throw new RagctlError("TOOL_INVALID", `the SQL cannot be read (${detail})`, {
      hint: "write one plain SELECT",
      cause,
    });
  }
}

interface Context {
  readonly dialect: Dialect;
  readonly home: string;
  /** Lower case → the schema's spelling. */
  readonly byName: ReadonlyMap<string, string>;
  readonly used: Set<string>;
}

function checkTable(node: Node, context: Context, scope: ReadonlySet<string>): void {
  const name = String(node["table"]);
  const schema = node["db"] ?? node["schema"] ?? "";
  if (schema === "" && scope.has(name.toLowerCase())) return;
  const known = schema === "" || schema === context.home ? context.byName.get(name.toLowerCase()) : undefined;
  if (known === undefined) {
    throw new RagctlError(
      "TOOL_REFUSED",
      `there is no table ${schema === "" ? name : `${String(schema)}.${name}`}`,
      {
        hint: `there are ${[...context.byName.values()].join(", ") || "none"}`,
      },
    );
  }
  context.used.add(known);
}

/**
 * Checks the WITH clauses of a SELECT in order; a name is known after its clause, and inside it only if
 * recursive.
 */
function scopeOf(
  node: Node,
  context: Context,
  outer: ReadonlySet<string>,
  depth: number,
): ReadonlySet<string> {
  const items: readonly unknown[] = Array.isArray(node["with"]) ? node["with"] : [];
  const scope = new Set(outer);
  for (const item of items) {
    if (!isNode(item)) throw refused("the WITH clause cannot be read");
    const named = isNode(item["name"]) ? item["name"]["value"] : item["name"];
    const name = String(named).toLowerCase();
    const own = items.some((other) => isNode(other) && other["recursive"] === true)
      ? new Set([...scope, name])
      : scope;
    checkAll(item["stmt"], context, own, depth + 1);
    scope.add(name);
  }
  return scope;
}

function checkCast(target: unknown): void {
  const type = isNode(target) ? String(target["dataType"]) : "";
  const [first = ""] = type.toLowerCase().split(/[\s(]/);
  if (!castTypes.has(first)) throw refused(`a cast to ${type || "this type"} is not allowed`);
}

function checkAll(value: unknown, context: Context, scope: ReadonlySet<string>, depth: number): void {
  if (Array.isArray(value)) for (const part of value) checkAll(part, context, scope, depth);
  else if (isNode(value)) checkNode(value, context, scope, depth + 1);
}

/** Checks a node itself, without its members. */
function checkKind(node: Node, type: string, context: Context): void {
  if (type !== "" && !allowedTypes.has(type)) throw refused(`${type.toUpperCase()} is not allowed`);
  if ("ast" in node && !(isNode(node["ast"]) && node["ast"]["type"] === "select"))
    throw refused("only SELECT may be nested");
  if (type === "select") checkSelect(node);
  if (type === "function" || type === "aggr_func" || type === "window_func") checkFunction(node, context);
  if (type === "cast") for (const target of [node["target"]].flat()) checkCast(target);
  checkIn(node);
}

function checkNode(node: Node, context: Context, outer: ReadonlySet<string>, depth: number): void {
  if (depth > maxDepth) throw refused(`the SQL nests deeper than ${maxDepth}`);
  const type = typeof node["type"] === "string" ? node["type"].toLowerCase() : "";
  checkKind(node, type, context);
  const scope = type === "select" ? scopeOf(node, context, outer, depth) : outer;
  for (const [member, part] of Object.entries(node)) {
    // The tables of WITH belong to the scope; INTO was checked already.
    if (member === "with" || (member === "into" && type === "select")) continue;
    if (member === "from") checkTables(part, context, scope);
    checkAll(part, context, scope, depth);
  }
}

function checkSelect({ into, for_update: forUpdate, locking_read: lockingRead }: Node): void {
  if (isNode(into) && Object.entries(into).some(([key, value]) => key !== "position" && value !== null))
    throw refused("SELECT INTO is not allowed");
  if ((forUpdate ?? lockingRead ?? null) !== null) throw refused("locking rows is not allowed");
}

function checkFunction(node: Node, { dialect }: Context): void {
  const name = functionName(node);
  if (!functions[dialect].has(name))
    throw refused(`the function ${name === "" ? "called" : name} is not allowed`);
}

/** SQLite reads a bare name after IN as a table. */
function checkIn({ operator, right }: Node): void {
  if (/^(NOT )?IN$/i.test(String(operator)) && !(isNode(right) && right["type"] === "expr_list"))
    throw refused("IN needs a list or a SELECT in parentheses");
}

function checkTables(from: unknown, context: Context, scope: ReadonlySet<string>): void {
  if (!Array.isArray(from)) return;
  for (const item of from)
    if (isNode(item) && typeof item["table"] === "string") checkTable(item, context, scope);
}
