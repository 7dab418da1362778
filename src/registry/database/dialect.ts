/**
 * The SQL of the registry is what SQLite and PostgreSQL both understand, except for what is translated here:
 * - parameters: `?` and `:name` become `$1`, `$2`, …, the same number for the same name;
 * - `:name IS NULL` marks the parameter as text, which PostgreSQL cannot infer;
 * - names with capitals (`AS documentId`) are quoted, since PostgreSQL would fold them;
 * - `lower(…)`, which in SQLite folds only A to Z, becomes the schema's function `nocase(…)`, which does the
 *   same whatever the collation of the database;
 * - in migrations: types, JSON checks, and keywords that only SQLite has; a comment that begins with
 *   `PostgreSQL:` is run on PostgreSQL only, and text between the comments `SQLite` and `end` is left out.
 * The schema of PostgreSQL brings `json_each(text)` for arrays of text (migrations/baseline/company.ts).
 * Columns that ignore case in SQLite are therefore compared and sorted by `lower(…)` in every statement.
 */
export interface Translation {
  readonly text: string;
  /** The parameters in order: a name, or an index into the values given. */
  readonly parameters: readonly (string | number)[];
}

/** A value that both engines store. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

/** Literals and quoted names are matched first, so that nothing within them is taken for something else. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|::|\?|:[A-Za-z_]\w*|[A-Za-z_]\w*/g;

/** A statement of the registry for PostgreSQL. */
export function translate(sql: string): Translation {
  const parameters: (string | number)[] = [];
  const numbered = (parameter: string | number): string => {
    const known = parameters.indexOf(parameter);
    return `$${known >= 0 ? known + 1 : parameters.push(parameter)}`;
  };
  let given = 0;
  const text = sql.replace(tokens, (token, offset: number) => {
    if (token === "?") return numbered(given++);
    if (/^:\w/.test(token)) {
      const isAsked = sql.startsWith(" IS NULL", offset + token.length);
      return `${numbered(token.slice(1))}${isAsked ? "::text" : ""}`;
    }
    if (token === "lower" && sql[offset + token.length] === "(") return "nocase";
    return /^[a-z]\w*[A-Z]/.test(token) ? `"${token}"` : token;
  });
  return { text, parameters };
}

/** Types of SQLite's strict tables, and the words of a table that PostgreSQL does not have. */
const definitions: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A comment for SQLite.
  [/\/\* PostgreSQL:([^*]*)\*\//g, "$1"],
  [/\bTEXT\b/g, 'TEXT COLLATE "C"'],
  [/\bINTEGER\b/g, "BIGINT"],
  [/\bREAL\b/g, "DOUBLE PRECISION"],
  [/\bBLOB\b/g, "BYTEA"],
  [/\)\s*STRICT(?:\s*,\s*WITHOUT\s+ROWID)?/g, ")"],
  [/\bjson_valid\((\w+)\)/g, "$1::json IS NOT NULL"],
  [/\blower\(/g, "nocase("],
  // The order in which jobs came ends every index of SQLite; here it is a column.
  [/\bON jobs \(([a-z_ ,]+)\)/gi, "ON jobs ($1, rowid)"],
];

/** Ends a part of a migration for one engine only. */
const end = "/* end */";

/**
 * Translates a migration for PostgreSQL. @throws Error for SQL without a translation: write it so that both
 * understand it, e.g. a unique index on `lower(name)` for a name that ignores case
 */
export function translateMigration(migration: string): string {
  const [head = "", ...rest] = migration.split("/* SQLite */");
  // The text between the two marks is for SQLite only.
  const sql = head + rest.map((part) => part.slice(part.indexOf(end) + end.length)).join("");
  const foreign =
    /\bCOLLATE\s+NOCASE\b|\bAUTOINCREMENT\b|\bINSERT\s+OR\b|\bjson_(?:object|extract|group_array)\b|\bstrftime\b/i.exec(
      sql,
    );
  if (foreign !== null) throw new Error(`a migration says ${foreign[0]}, which only SQLite understands`);
  return definitions.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), sql);
}

/** Values in the order of a translation's parameters. @throws Error for a name that was not given */
export function bindParameters({ parameters }: Translation, given: readonly unknown[]): readonly SqlValue[] {
  const [first] = given;
  const isNamed =
    given.length === 1 && typeof first === "object" && first !== null && !(first instanceof Uint8Array);
  const named = isNamed ? new Map<string | number, unknown>(Object.entries(first)) : new Map(given.entries());
  return parameters.map((parameter) => {
    const value = named.get(parameter);
    if (value === undefined && named.has(parameter)) return null;
    if (typeof value === "string") return value.replaceAll("\0", "\uFFFD");
    if (typeof value === "number" || typeof value === "bigint" || value === null) return value;
    if (value instanceof Uint8Array) return value;
    throw new TypeError(`the parameter ${parameter} of a statement is ${typeof value}`);
  });
}
