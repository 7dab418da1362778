import { RagctlError } from "../../core/errors.ts";
import type { TableSchema } from "./source.ts";

/** Adapts string literals to the case of the data: a model writes `'Texas'` for a value `texas`. */
export function storedCase(schema: readonly TableSchema[]): (sql: string) => string {
  const stored = new Map<string, string>();
  for (const value of schema.flatMap(({ columns }) => columns.flatMap(({ values }) => values))) {
    const key = value.toLowerCase();
    stored.set(key, stored.has(key) && stored.get(key) !== value ? "" : value);
  }
  return (sql) =>
    sql.replaceAll(/'((?:[^']|'')*)'/g, (written, inner: string) => {
      const value = stored.get(inner.replaceAll("''", "'").toLowerCase()) ?? "";
      return value === "" ? written : `'${value.replaceAll("'", "''")}'`;
    });
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
  const namesIn = (node: unknown): readonly string[] => {
    if (typeof node !== "object" || node === null) return [];
    const { type, column } = node as { readonly type?: unknown; readonly column?: unknown };
    const own = type === "column_ref" && typeof column === "string" ? [column.toLowerCase()] : [];
    return [...own, ...Object.values(node).flatMap(namesIn)];
  };
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, name, args } = node as Readonly<Record<"type" | "name" | "args", unknown>>;
    if (type === "aggr_func" && /^(?:sum|avg|total)$/i.test(String(name))) {
      const used = new Set(namesIn(args));
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
