import { contentTerms, words } from "../../../../language/terms.ts";

/** A row of a table: what it is about, and what it says of that. */
export interface TableRow {
  readonly label: readonly string[];
  readonly rest: ReadonlySet<string>;
  /** Whether its label ends as that of a field of a form does: `Departure: | Quayside`. */
  readonly isField: boolean;
}

/** A table with the words that may belong to any of its rows: those of its header and of rows without a label. */
export interface Table {
  readonly rows: readonly TableRow[];
  readonly shared: ReadonlySet<string>;
}

const isRow = (line: string): boolean => line.includes(" | ");

function tableOf(lines: readonly string[]): Table {
  const rows = lines.map((line) => {
    const [label = "", ...rest] = line.split(" | ");
    const isField = label.trimEnd().endsWith(":");
    return { label: contentTerms(label), rest: new Set(words(rest.join(" "))), isField, line };
  });
  const unlabelled = rows.filter(({ label }) => label.length === 0).map(({ line }) => line);
  return {
    rows: rows.filter(({ label }) => label.length > 0),
    shared: new Set(words([lines[0] ?? "", ...unlabelled].join("\n"))),
  };
}

/** The lines of the tables of a text, each table a run of rows. */
function runsOf(text: string): readonly (readonly string[])[] {
  const runs: string[][] = [];
  let before = "";
  for (const line of text.split("\n")) {
    if (isRow(line)) {
      if (!isRow(before)) runs.push([]);
      runs.at(-1)?.push(line);
    }
    before = line;
  }
  return runs;
}

/** The tables of a text. */
export const tablesOf = (text: string): readonly Table[] => runsOf(text).map(tableOf);

/** The rows of a text as they stand, without the first one of each table, which heads it. */
export const rowsOf = (text: string): readonly string[] => runsOf(text).flatMap((run) => run.slice(1));

/** The lines of a text outside its tables. */
export const proseOf = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !isRow(line))
    .join("\n");
