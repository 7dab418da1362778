import type { LanguageModel, Message } from "../../core/answers/answer.ts";
import { findQuestionValues, nameRoots } from "../../tables/query/match.ts";
import type { Cell, TableSchema } from "../../tables/schema.ts";
import type { Dialect } from "./source.ts";
import { sqlGrammar } from "./sql-grammar.ts";

/** Most tables in a prompt; the most relevant ones are chosen. */
const shownTables = 8;
const maxTokens = 200;

const shown = (cell: Cell): string =>
  typeof cell === "string" ? `'${cell.length > 40 ? `${cell.slice(0, 39)}…` : cell}'` : String(cell);

/** A table as described to the model: names, types, units and rows. */
function schemaText(table: TableSchema): string {
  const columns = table.columns.map(({ name, title, type, unit }) => {
    const words = title.toLowerCase() === name || unit !== "" ? unit : title;
    return `${name} ${type}${words === "" ? "" : ` (${words})`}`;
  });
  const samples = table.samples.map((row) => `  (${row.map(shown).join(", ")})`);
  return [
    `${table.name}(${columns.join(", ")}) -- ${table.title === table.name ? "" : `${table.title}, `}${table.rowCount} rows`,
    ...samples,
  ].join("\n");
}

/** The tables closest to the question by their names, columns and values, in schema order. */
function relevantTables(
  question: string,
  tables: readonly TableSchema[],
  limit = shownTables,
): readonly TableSchema[] {
  if (tables.length <= limit) return tables;
  const { reading, roots, values } = findQuestionValues(question, tables);
  const score = (table: TableSchema): number =>
    values.filter(({ places }) => places.some((place) => place.table === table.name)).length * 3 +
    new Set(
      [table.title, ...table.columns.map(({ title }) => title)]
        .flatMap((name) => nameRoots(name, reading))
        .filter((word) => roots.includes(word)),
    ).size;
  const best = new Set(tables.toSorted((a, b) => score(b) - score(a)).slice(0, limit));
  return tables.filter((table) => best.has(table));
}

/**
 * Asks the model for one SELECT, under a grammar of the schema; `failed` is the previous attempt and why it
 * was rejected.
 */
export async function writeSql(
  question: string,
  tables: readonly TableSchema[],
  dialect: Dialect,
  model: LanguageModel,
  failed: { readonly sql: string; readonly error: string } | null,
  signal: AbortSignal,
): Promise<string> {
  const chosen = relevantTables(question, tables);
  const found = findQuestionValues(question, chosen).values.flatMap(({ places }) =>
    places.map(({ table, column, value }) => `${shown(value)} is a value of ${table}.${column}`),
  );
  const messages: Message[] = [
    {
      role: "system",
      text: `You write one ${dialect === "sqlite" ? "SQLite" : "PostgreSQL"} SELECT statement that answers the question from these tables. Write the shortest statement that is right.\n\n${chosen.map(schemaText).join("\n")}`,
    },
    {
      role: "user",
      text: [
        ...(found.length === 0 ? [] : [found.slice(0, 12).join("\n")]),
        `Question: ${question.slice(0, 2000)}`,
      ].join("\n"),
    },
  ];
  if (failed !== null) {
    messages.push(
      { role: "assistant", text: failed.sql },
      { role: "user", text: `That failed: ${failed.error}\nWrite another statement.` },
    );
  }
  let sql = "";
  for await (const event of model.generate(
    messages,
    { temperature: 0, maxTokens, grammar: sqlGrammar(chosen) },
    signal,
  )) {
    if (event.type === "text-delta") sql += event.text;
  }
  // A model without grammars may wrap its statement in a code block.
  return (/```(?:sql)?([\s\S]*?)```/i.exec(sql)?.[1] ?? sql).trim();
}
