import { z } from "../../core/schema.ts";
import { plainWords } from "../../language/words.ts";
import { type GlossaryEntries, glossaryWords } from "../retrieve/glossary.ts";

const phrases = z.array(z.string().min(1)).min(1);
const phrase = (text: string): string => plainWords(text).join(" ");
/** Labels of lines in the words of `plainWords`; with `*` for any words at the end. */
const labels = phrases.transform((lines): readonly string[] =>
  lines.map((line) => (line.endsWith("*") ? `${phrase(line)} *` : phrase(line))),
);

const item = z.strictObject({
  asked: phrases,
  lines: labels,
  /** Lines of which one is added if the statement also has it. */
  beside: labels.default([]),
  /** Formula for a statement without the line. */
  else: z.string().optional(),
  positive: z.boolean().default(false),
});

const schema = z.strictObject({
  statements: z.record(z.string(), z.strictObject({ knownBy: phrases, items: z.record(z.string(), item) })),
  measures: z.array(
    z.strictObject({
      name: z.string().min(1),
      asked: phrases,
      of: z.string().min(1),
      unit: z.enum(["amount", "ratio", "percent"]),
    }),
  ),
});

/** How a measure is shown: as money, as a plain number, or in percent. */
export type MeasureUnit = z.infer<typeof schema>["measures"][number]["unit"];

/** A measure that a question can ask for. */
export interface Measure {
  readonly name: string;
  /** Formula: names of lines, `avg(line)`, `change(line)`, numbers, + - * / and parentheses. */
  readonly of: string;
  readonly unit: MeasureUnit;
}

/** A line of a statement, with the labels that identify it. */
export type StatementItem = z.infer<typeof item> & { readonly statement: string };

/** The entries, indexed for matching questions and statements. */
export interface MeasureBook {
  /** By their names in questions, in the words of `plainWords`. */
  readonly asked: ReadonlyMap<string, Measure>;
  /** Statement lines by their names in formulas. */
  readonly items: ReadonlyMap<string, StatementItem>;
  /** A page of a statement has a line of `knownBy`; `titles` are in the form of `running` of the glossary. */
  readonly statements: ReadonlyMap<string, Readonly<Record<"knownBy" | "titles", readonly string[]>>>;
}

/**
 * Parses the entries of a file. `kinds`: the glossary's kinds of pages, which have the names of statements.
 * @throws ZodError
 */
export function parseMeasures(content: unknown, kinds: GlossaryEntries["kinds"]): MeasureBook {
  const { statements, measures } = schema.parse(content);
  const items = Object.entries(statements).flatMap(([statement, { items: own }]) =>
    Object.entries(own).map(([name, entry]) => [name, { ...entry, statement }] as const),
  );
  const asked = [
    ...items.flatMap(([name, entry]) =>
      entry.asked.map(
        (text) => [phrase(text), { name: entry.asked[0] ?? name, of: name, unit: "amount" }] as const,
      ),
    ),
    ...measures.flatMap(({ asked: texts, ...measure }) =>
      texts.map((text) => [phrase(text), measure] as const),
    ),
  ];
  return {
    asked: new Map(asked),
    items: new Map(items),
    statements: new Map(
      Object.entries(statements).map(([name, { knownBy }]) => [
        name,
        { knownBy, titles: (kinds[name] ?? []).map(glossaryWords) },
      ]),
    ),
  };
}
