import { quotedIfNeeded } from "../../tables/names.ts";
import { type Column, isNumeric, type TableSchema } from "../../tables/schema.ts";

/** A GBNF literal. */
const text = (value: string): string =>
  `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
const any = (names: readonly string[]): string =>
  names.length === 0 ? '"0"' : names.map((name) => text(name)).join(" | ");

/** Rules for SELECTs over one table: only its own columns can be named, so they always match. */
function tableRules(table: TableSchema, index: number): readonly string[] {
  const names = (keep: (column: Column) => boolean): readonly string[] =>
    table.columns.filter(keep).map(({ name }) => quotedIfNeeded(name));
  const numbers = names(isNumeric);
  const t = `t${index}`;
  const aggregates = numbers.length === 0 ? "" : ` | ("sum" | "avg" | "max" | "min") "(" ${t}num ")"`;
  return [
    `${t} ::= "SELECT " ("DISTINCT ")? ${t}item (", " ${t}item){0,3} " FROM ${quotedIfNeeded(table.name).replaceAll('"', '\\"')}" ${t}where? ${t}tail?`,
    `${t}one ::= "SELECT " ${t}item " FROM ${quotedIfNeeded(table.name).replaceAll('"', '\\"')}" ${t}where? ${t}tail?`,
    `${t}item ::= ${t}col | "count(*)" | "count(" ${t}col ")"${aggregates}`,
    `${t}where ::= " WHERE " ${t}cond ((" AND " | " OR ") ${t}cond){0,3}`,
    `${t}cond ::= ${t}col (" = " | " <> ") string | ${t}col " LIKE " string | ${t}col (" IN (" | " NOT IN (" | " = (" ) one ")"${numbers.length === 0 ? "" : ` | ${t}num compare (number | "(" one ")")`}`,
    `${t}tail ::= (" GROUP BY " ${t}col (" HAVING count(*)" compare number)?)? (" ORDER BY " ${t}item (" DESC" | " ASC"))? (" LIMIT " [1-9] [0-9]?)?`,
    `${t}col ::= ${any(names(() => true))}`,
    ...(numbers.length === 0 ? [] : [`${t}num ::= ${any(numbers)}`]),
  ];
}

/** A join of two tables, columns qualified. */
function joinRules(tables: readonly TableSchema[]): readonly string[] {
  const qualified = (keep: (column: Column) => boolean): readonly string[] =>
    tables.flatMap((table) =>
      table.columns
        .filter(keep)
        .map((column) => `${quotedIfNeeded(table.name)}.${quotedIfNeeded(column.name)}`),
    );
  return [
    `joined ::= "SELECT " ("DISTINCT ")? qitem (", " qitem){0,3} " FROM " table (" JOIN " table " ON " qcol " = " qcol){1,2} qwhere? qtail?`,
    `qitem ::= qcol | "count(*)" | ("count" | "sum" | "avg" | "max" | "min") "(" qcol ")"`,
    `qwhere ::= " WHERE " qcond ((" AND " | " OR ") qcond){0,3}`,
    `qcond ::= qcol compare (number | string | "(" one ")") | qcol (" IN (" | " NOT IN (") one ")"`,
    `qtail ::= (" GROUP BY " qcol)? (" ORDER BY " qitem (" DESC" | " ASC"))? (" LIMIT " [1-9] [0-9]?)?`,
    `table ::= ${any(tables.map(({ name }) => quotedIfNeeded(name)))}`,
    `qcol ::= ${any(qualified(() => true))}`,
  ];
}

/** GBNF grammar for exactly one SELECT over the tables and columns of a schema. */
export function sqlGrammar(tables: readonly TableSchema[]): string {
  const singles = tables.map((_, index) => `t${index}`);
  return [
    `root ::= ${[...singles, ...(tables.length > 1 ? ["joined"] : [])].join(" | ")}`,
    `one ::= ${singles.map((name) => `${name}one`).join(" | ")}`,
    ...tables.flatMap(tableRules),
    ...(tables.length > 1 ? joinRules(tables) : []),
    'compare ::= " = " | " <> " | " > " | " < " | " >= " | " <= "',
    'number ::= "-"? [0-9]{1,12} ("." [0-9]{1,6})?',
    `string ::= "'" ([^'\\n\\\\] | "''"){1,80} "'"`,
  ].join("\n");
}
