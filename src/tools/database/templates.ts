import { plainNumber } from "../calculator/numbers.ts";
import { type Matched, matchQuestion, namedBy, nameStems, telling, type ValueMatch } from "./match.ts";
import { type Column, numeric, type TableSchema } from "./source.ts";

/** How a question wants its rows put together. */
type Wanted = "count" | "sum" | "avg" | "max" | "min" | "rows";

const forms: readonly (readonly [Wanted, RegExp])[] = [
  ["avg", /\b(average|mean|avg|on average)\b|trung bình/i],
  ["sum", /\b(total|sum|altogether|combined|overall)\b|tổng/i],
  [
    "max",
    /\b(highest|largest|biggest|maximum|max|most|greatest|longest|tallest|latest|newest|heaviest|fastest|top)\b|\bmost \w+|cao nhất|lớn nhất|nhiều nhất/i,
  ],
  [
    "min",
    /\b(lowest|smallest|minimum|min|least|fewest|shortest|cheapest|oldest|lightest)\b|thấp nhất|nhỏ nhất|ít nhất/i,
  ],
  ["count", /\b(how many|number of|count)\b|bao nhiêu/i],
];

const comparisons: readonly (readonly [string, RegExp])[] = [
  [">=", /\b(?:at least|no less than|minimum of)\s+(?:\p{Sc}\s*)?([\d.,]*\d)/iu],
  ["<=", /\b(?:at most|up to|no more than|maximum of)\s+(?:\p{Sc}\s*)?([\d.,]*\d)/iu],
  [
    ">",
    /(?:\b(?:more than|over|above|greater than|exceed(?:s|ing)?|larger than|higher than|longer than)|>)\s*(?:\p{Sc}\s*)?([\d.,]*\d)/iu,
  ],
  [
    "<",
    /(?:\b(?:less than|under|below|fewer than|smaller than|lower than|shorter than)|<)\s*(?:\p{Sc}\s*)?([\d.,]*\d)/iu,
  ],
];

const quoted = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

interface Candidate {
  readonly table: TableSchema;
  readonly columns: readonly { readonly column: Column; readonly by: readonly string[] }[];
  readonly tableNamed: boolean;
  /** Words that no column, value or table of it explains. */
  readonly unexplained: readonly string[];
  /** Whether every value names a row of it, such as a state in the table of states. */
  readonly valuesAreRows: boolean;
}

function candidate(table: TableSchema, matched: Matched): Candidate | null {
  if (!matched.values.every(({ places }) => places.some((place) => place.table === table.name))) return null;
  const columns = table.columns
    .map((column) => ({ column, by: namedBy(column, table, matched.stems) }))
    .filter(({ by }) => by.length > 0);
  const own = nameStems(table.name);
  const tableNamed =
    own.some((word) => matched.stems.includes(word)) ||
    (own.length > 1 && own.slice(0, 1).some((word) => matched.stems.includes(word)));
  const explained = new Set([...columns.flatMap(({ by }) => by), ...(tableNamed ? own : [])]);
  const valueColumns = new Set(
    matched.values.flatMap(({ places }) =>
      places.filter((place) => place.table === table.name).flatMap((place) => nameStems(place.column)),
    ),
  );
  const unexplained = matched.stems.filter(
    (word) => telling(word) && !explained.has(word) && !valueColumns.has(word) && !own.includes(word),
  );
  const label = labelOf(table)?.name;
  const valuesAreRows = matched.values.every(({ places }) =>
    places.some((place) => place.table === table.name && place.column === label),
  );
  return { table, columns, tableNamed, unexplained, valuesAreRows };
}

/** The column that names a row: the one called after its table, else one called name, else the first text. */
function labelOf(table: TableSchema): Column | undefined {
  const own = nameStems(table.name);
  const texts = table.columns.filter((column) => !numeric(column));
  return (
    texts.find(
      (column) =>
        nameStems(column.name).includes("name") && nameStems(column.name).some((word) => own.includes(word)),
    ) ??
    texts.find((column) => nameStems(column.name).some((word) => own.includes(word))) ??
    texts.find((column) => nameStems(column.name).includes("name")) ??
    texts[0]
  );
}

const placed = /\b(?:in|at|from|by|through|within|inside|across|under|via|on)\s+(?:the\s+)?$/i;

/**
 * A condition per value, each on a column of its own: the one that names the row, or after `in`, `from`, … another; never one that is
 * asked for while there is a choice. Null where two values can only stand in one column.
 */
function conditionsFor(
  question: string,
  values: readonly ValueMatch[],
  table: TableSchema,
  asked: readonly Column[],
): readonly { readonly column: string; readonly sql: string }[] | null {
  const label = labelOf(table)?.name;
  const taken = new Set<string>();
  const conditions: { readonly column: string; readonly sql: string }[] = [];
  for (const { phrase, places } of values) {
    const at = question.toLowerCase().indexOf(phrase);
    const elsewhere = placed.test(question.slice(0, Math.max(0, at)));
    const cost = ({ column }: { readonly column: string }): number =>
      (asked.some(({ name }) => name === column) ? 2 : 0) + (elsewhere === (column === label) ? 1 : 0);
    const [place] = places
      .filter((found) => found.table === table.name && !taken.has(found.column))
      .toSorted((x, y) => cost(x) - cost(y));
    if (place === undefined) return null;
    taken.add(place.column);
    conditions.push({ column: place.column, sql: `${quoted(place.column)} = ${literal(place.value)}` });
  }
  return conditions;
}

function comparison(question: string, column: Column | undefined): string | null {
  for (const [sign, pattern] of comparisons) {
    const number = plainNumber(pattern.exec(question)?.[1] ?? "");
    if (number !== null && column !== undefined) return `${quoted(column.name)} ${sign} ${number}`;
  }
  return null;
}

/** What the SELECT takes; null where the question asks for something else. */
function selection(
  wanted: Wanted,
  { table, columns, tableNamed }: Candidate,
  where: string,
  question: string,
  free: readonly Column[],
  alone: boolean,
): string | null {
  const from = `FROM ${quoted(table.name)}${where}`;
  const measured = free.find(numeric) ?? null;
  const label = labelOf(table);
  if (wanted === "count") {
    const [asked] = free;
    if (asked !== undefined && numeric(asked) && !tableNamed) return `SELECT ${quoted(asked.name)} ${from}`;
    return tableNamed || (columns.length > 0 && where !== "") ? `SELECT count(*) ${from}` : null;
  }
  if (wanted === "sum" || wanted === "avg")
    return measured === null ? null : `SELECT ${wanted}(${quoted(measured.name)}) ${from}`;
  if (wanted === "max" || wanted === "min") {
    if (free.filter(numeric).length > 1 || !(tableNamed || alone)) return null;
    // "the population of the largest state" ranks by something else than what it asks for.
    const ranksAnother =
      /\b(?:of|in|for|does|is|are) (?:the )?(?:highest|lowest|largest|smallest|biggest|greatest|oldest|newest)\b/i.test(
        question,
      ) && measured !== null;
    if (ranksAnother && tableNamed) return null;
    const ranked = measured ?? free.find((column) => column.type === "date") ?? onlyMeasure(table);
    if (ranked === null) return null;
    const name = quoted(ranked.name);
    const others = free.filter((column) => column !== ranked && !numeric(column));
    const asksWhat =
      /^\s*(?:what|how)(?:'s| is| was| are)?\s+(?:the\s+)?(?:highest|largest|biggest|maximum|lowest|smallest|minimum|most|least)\b/i.test(
        question,
      );
    const byName = nameStems(ranked.title).some((word) => nameStems(question).includes(word));
    if (others.length === 0 && asksWhat && byName && !tableNamed) return `SELECT ${wanted}(${name}) ${from}`;
    const shown = others.length > 0 ? others : label === undefined ? [ranked] : [label];
    const condition = `${name} = (SELECT ${wanted}(${name}) ${from})`;
    return `SELECT ${[...new Set([...shown, ranked])].map((column) => quoted(column.name)).join(", ")} FROM ${quoted(table.name)}${where === "" ? " WHERE " : `${where} AND `}${condition}`;
  }
  if (where === "") return null;
  const shown = free.length > 0 ? free : tableNamed && label !== undefined ? [label] : [];
  const once =
    shown.every((column) => !numeric(column)) ||
    (label !== undefined && where.includes(` ${quoted(label.name)} = `));
  return shown.length === 0
    ? null
    : `SELECT ${once ? "DISTINCT " : ""}${[...new Set(shown)].map((column) => quoted(column.name)).join(", ")} ${from}`;
}

/** The one number of a table that says how big a row is. */
function onlyMeasure(table: TableSchema): Column | null {
  const numbers = table.columns.filter(
    (column) => numeric(column) && !/(^|_)(id|no|number|code|year|zip)$/i.test(column.name),
  );
  return numbers.length === 1 ? (numbers[0] ?? null) : null;
}

/**
 * SQL for the plain cases, without a model: count, sum, average, largest, smallest, or columns of the rows that a value of the question
 * picks. Null unless one table explains every telling word of the question.
 */
export function templateSql(question: string, tables: readonly TableSchema[]): string | null {
  const matched = matchQuestion(question, tables);
  const wanted = forms.find(([, pattern]) => pattern.test(question))?.[0] ?? "rows";
  if (/\b(not|no|without|except|than the|neither|never|per|each|average of the|other than)\b/i.test(question))
    return null;
  // Two superlatives rank two things, one inside the other.
  if (
    (
      question.match(
        /\b(?:highest|lowest|largest|smallest|biggest|longest|shortest|most|least|greatest|fewest|tallest|maximum|minimum)\b/gi,
      ) ?? []
    ).length > 1
  )
    return null;
  const fitting = tables
    .map((table) => candidate(table, matched))
    .filter(
      (entry) =>
        entry !== null &&
        entry.unexplained.length === 0 &&
        (entry.tableNamed || (entry.columns.length > 0 && (entry.valuesAreRows || tables.length === 1))),
    )
    .filter((entry) => entry !== null);
  const rank = (entry: Candidate): number =>
    Number(entry.tableNamed) * 4 + entry.columns.length * 2 + Number(entry.valuesAreRows);
  const found = fitting.toSorted((a, b) => rank(b) - rank(a));
  // Two tables that explain the question equally well are no answer.
  if (found[0] !== undefined && found[1] !== undefined && rank(found[0]) === rank(found[1])) return null;
  for (const entry of found) {
    const valueColumns = conditionsFor(
      question,
      matched.values,
      entry.table,
      entry.columns.map(({ column }) => column),
    );
    if (valueColumns === null) continue;
    const free = entry.columns
      .map(({ column }) => column)
      .filter((column) => !valueColumns.some(({ column: name }) => name === column.name));
    const compared = comparison(question, free.find(numeric) ?? undefined);
    if (matched.numbers.length > (compared === null ? 0 : 1)) continue;
    const conditions = [...valueColumns.map(({ sql }) => sql), ...(compared === null ? [] : [compared])];
    const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
    const asked =
      compared === null ? free : free.filter((column) => !compared.startsWith(`${quoted(column.name)} `));
    const sql = selection(
      compared !== null && (wanted === "max" || wanted === "min") ? "rows" : wanted,
      entry,
      where,
      question,
      asked,
      tables.length === 1,
    );
    if (sql !== null) return sql;
  }
  return null;
}
