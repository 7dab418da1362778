import { quoteName, safeName } from "../../../tables/names.ts";
import { baseNameOf, type Relation } from "../../../tables/relation.ts";

/** Most relations that are joined; SQLite allows five hundred. */
const mostMembers = 400;

/** Names and kinds of the columns, which relations must share to be joined. */
const shapeOf = ({ schema }: Relation): string =>
  JSON.stringify(
    schema.columns.map(({ name, type, unit }) => [name, type === "integer" ? "real" : type, unit]),
  );

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];

/** The words that all texts begin with. */
function commonStart(texts: readonly string[]): readonly string[] {
  const [first = [], ...others] = texts.map(wordsOf);
  const length = first.findIndex((word, at) => others.some((words) => words[at] !== word));
  return length < 0 ? first : first.slice(0, length);
}

/** What relations have in common: their sheet, the beginning of their files' names, or their folder. */
function nameFor(members: readonly Relation[]): string {
  const sheets = new Set(members.map(({ place }) => place.sheet));
  const stems = members.map(({ place }) => baseNameOf(place.source));
  const folders = new Set(members.map(({ place }) => place.source.split(/[\\/]/).at(-2) ?? ""));
  const [sheet = ""] = sheets.size === 1 ? sheets : [];
  const [folder = ""] = folders.size === 1 ? folders : [];
  const start = commonStart(stems);
  return [sheet, start.join(" "), folder].find((name) => name !== "") ?? "tables";
}

function unionOf(members: readonly [Relation, ...Relation[]], taken: Set<string>): Relation {
  const [first] = members;
  const name = safeName(`${nameFor(members)} all`, "all", taken);
  const rows = members.flatMap(({ loaded }) => loaded.rows);
  const columns = first.schema.columns.map((column, at) => {
    const own = members.flatMap(({ schema }) => schema.columns[at] ?? []);
    return {
      ...column,
      type: own.some(({ type }) => type === "real") ? ("real" as const) : column.type,
      values: [...new Set(own.flatMap(({ values }) => values))],
    };
  });
  return {
    ...first,
    schema: {
      ...first.schema,
      name,
      title: `${members.length} tables with the same columns`,
      columns,
      rowCount: rows.length,
    },
    loaded: { name, columns, rows },
    members: members.map(({ schema }) => schema.name),
  };
}

/** For relations that share all their columns, one more each that has the rows of all. */
export function unionsOf(relations: readonly Relation[]): readonly Relation[] {
  const taken = new Set(relations.map(({ schema }) => schema.name));
  const own = relations.filter(({ totalsOf, schema }) => totalsOf === undefined && schema.columns.length > 1);
  return [...Map.groupBy(own, shapeOf).values()].flatMap((members) => {
    const [first, ...others] = members;
    return first === undefined || others.length === 0 || members.length > mostMembers
      ? []
      : [unionOf([first, ...others], taken)];
  });
}

/** The statement that makes a union a view, with document, table and row of each row before its columns. */
export function viewSql({ schema, members = [] }: Relation, relations: readonly Relation[]): string {
  const parts = relations
    .filter((relation) => members.includes(relation.schema.name))
    .map(({ schema: { name }, place }) => {
      const literals = [place.source, name].map((text) => `'${text.replaceAll("'", "''")}'`);
      const columns = schema.columns.map((column) => quoteName(column.name));
      return `SELECT ${literals[0]} AS _document, ${literals[1]} AS _table, rowid AS _row, ${columns.join(", ")} FROM ${quoteName(name)}`;
    });
  return `CREATE VIEW ${quoteName(schema.name)} AS ${parts.join(" UNION ALL ")}`;
}
