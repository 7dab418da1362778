import type { SourceFile, Table } from "../../../core/documents/document.ts";
import { readBytes } from "../../../drivers/parsers/process/read-bytes.ts";

/** Largest file of records that is read, in bytes. */
const maxBytes = 32 * 1024 * 1024;
/** Most rows and columns of a table of records. */
const limits = { rows: 100_000, columns: 500 } as const;
/** How deep objects in records become columns, named `address.city`. */
const depth = 3;

/** Whether a file may hold records in JSON. */
export const isRecords = ({ format, name }: { readonly format: string; readonly name: string }): boolean =>
  format === "data" && /\.(?:json|jsonl|ndjson)$/i.test(name);

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of a record as texts; those of objects in it by their path. */
function fieldsOf(
  value: Fields,
  path: readonly string[] = [],
): readonly (readonly [name: string, text: string])[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const name = [...path, key];
    if (isRecord(member) && name.length < depth) return fieldsOf(member, name);
    const isList = Array.isArray(member) && member.every((item) => typeof item !== "object");
    const text =
      member === null
        ? ""
        : isList
          ? member.join(", ")
          : typeof member === "object"
            ? JSON.stringify(member)
            : String(member);
    return [[name.join("."), text] as const];
  });
}

/** Records with the number of their line, or of their place in a list. */
type Numbered = readonly (readonly [number: number, fields: Fields])[];

function tableOf(records: Numbered, caption: string): (Table & { readonly caption?: string }) | null {
  const rows = records.slice(0, limits.rows).map(([, fields]) => new Map(fieldsOf(fields)));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))].slice(0, limits.columns);
  if (rows.length < 2 || names.length === 0) return null;
  return {
    rows: [names, ...rows.map((row) => names.map((name) => row.get(name) ?? ""))],
    headerRows: 1,
    rowNumbers: records.slice(0, limits.rows).map(([number]) => number),
    ...(caption === "" ? {} : { caption }),
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

/** Records in JSON as tables: the lists of a file, or its lines. @throws SOURCE_* */
export async function recordTables(file: SourceFile) {
  const text = new TextDecoder().decode(await readBytes(file, maxBytes));
  const whole = parsed(text);
  const lines = (): Numbered =>
    text.split("\n").flatMap((line, at) => {
      const value = line.trim().startsWith("{") ? parsed(line) : undefined;
      return isRecord(value) ? [[at + 1, value] as const] : [];
    });
  const lists = whole === undefined ? [["", lines()] as const] : listsIn(whole, []);
  return lists.map(([caption, records]) => tableOf(records, caption)).filter((table) => table !== null);
}
