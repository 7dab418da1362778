import type { DocumentTable } from "../core/documents/document.ts";
import { plural } from "../core/plural.ts";

/** Most rows and columns of a table of records; the rest is counted in a warning. */
const limits = { rows: 100_000, columns: 500 } as const;
/** Longest YAML that is read as records, in characters: its reader takes a second for a megabyte. */
const longestYaml = 2 ** 20;
/** How deep objects in records become columns, named `address.city`. */
const depth = 3;

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value of a text; undefined for none. */
function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** A value as the text of a cell. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The fields of a record as texts; those of objects in it by their path. */
const fieldsOf = (value: Fields, path: readonly string[] = []): readonly (readonly [string, string])[] =>
  Object.entries(value).flatMap(([key, member]) => {
    const name = [...path, key];
    return isRecord(member) && name.length < depth
      ? fieldsOf(member, name)
      : [[name.join("."), cellOf(member)] as const];
  });

/** Records with the number of their line, or of their place in a list. */
type Numbered = readonly (readonly [number: number, fields: Fields])[];

/** Tables of records, and what was left out of them. */
interface RecordTables {
  readonly tables: readonly DocumentTable[];
  readonly warnings: readonly string[];
}

function tableOf([caption, records]: readonly [caption: string, Numbered]): RecordTables {
  const taken = records.slice(0, limits.rows);
  const rows = taken.map(([, fields]) => new Map(fieldsOf(fields)));
  const all = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const names = all.slice(0, limits.columns);
  if (rows.length < 2 || names.length === 0) return { tables: [], warnings: [] };
  const where = caption === "" ? "the records" : caption;
  const left = (count: number, most: number, noun: string): readonly string[] =>
    count <= most ? [] : [`the table of ${where} has only the first ${most} of ${plural(count, noun)}`];
  const table = {
    rows: [names, ...rows.map((row) => names.map((name) => row.get(name) ?? ""))],
    headerRows: 1,
    rowNumbers: taken.map(([number]) => number),
    ...(caption === "" ? {} : { caption }),
  };
  return {
    tables: [table],
    warnings: [...left(records.length, limits.rows, "record"), ...left(all.length, limits.columns, "column")],
  };
}

/** The lists of records in a value, by their path; only lists of which all members are objects. */
function listsIn(value: unknown, path: readonly string[]): readonly (readonly [caption: string, Numbered])[] {
  if (Array.isArray(value)) {
    const records = value.filter(isRecord).map((item, at) => [at + 1, item] as const);
    return records.length === value.length ? [[path.join("."), records]] : [];
  }
  return isRecord(value) && path.length < depth
    ? Object.entries(value).flatMap(([key, member]) => listsIn(member, [...path, key]))
    : [];
}

/** The records of lines of JSON. */
const linesIn = (text: string): Numbered =>
  text.split("\n").flatMap((line, at) => {
    const value = line.trim().startsWith("{") ? parsed(line, JSON.parse) : undefined;
    return isRecord(value) ? [[at + 1, value] as const] : [];
  });

/** What a text of an extension holds; undefined for nothing that can be read. */
async function contentOf(extension: string, text: string): Promise<unknown> {
  if (/^(?:json|jsonl|ndjson)$/.test(extension)) return parsed(text, JSON.parse);
  if (!/^ya?ml$/.test(extension) || text.length > longestYaml) return undefined;
  const { parse } = await import("yaml");
  return parsed(text, (written) => parse(written, { maxAliasCount: 0, logLevel: "silent" }));
}

/** Records in JSON or YAML as tables: the lists of a file, or the lines of JSON; none for another format. */
export async function recordTables(
  extension: string,
  text: string,
): Promise<Partial<RecordTables> & Pick<RecordTables, "warnings">> {
  const whole = await contentOf(extension, text);
  const isLines = whole === undefined && /^(?:json|jsonl|ndjson)$/.test(extension);
  const lists = isLines ? [["", linesIn(text)] as const] : listsIn(whole, []);
  const found = lists.map(tableOf);
  const tables = found.flatMap((each) => each.tables);
  const warnings = found.flatMap((each) => each.warnings);
  return tables.length === 0 ? { warnings } : { tables, warnings };
}
