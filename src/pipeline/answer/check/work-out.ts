import type { Message } from "../../../core/answers/answer.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Passage } from "../../../core/retrieval.ts";
import { z } from "../../../core/schema.ts";
import { quantitiesIn } from "../../../language/quantities.ts";
import { normalize } from "../../../language/terms.ts";
import { datesIn, sameDate } from "../../../language/time/dates.ts";
import type { Question } from "../question.ts";
import type { Checked, UntiedValue } from "./checked.ts";
import { isResult } from "./derive/operations.ts";
import { evidenceOf } from "./evidence.ts";
import { checkValue } from "./holds.ts";
import { type Value, valuesOf } from "./values.ts";
import { reasonOf } from "./verdict.ts";

/** Computes an expression of numbers, units, dates and durations; null if it has no value. */
export type Calculate = (expression: string) => string | null;

/** How a reader worked out a value: an expression, and where its operands are. */
const working = z.object({
  value: z.string(),
  expression: z.string(),
  operands: z.array(z.object({ value: z.string(), passage: z.int() })),
});
const workings = z.object({ workings: z.array(working) });
type Working = z.infer<typeof working>;

const workingsSchema: JsonObject = {
  type: "object",
  properties: {
    workings: {
      type: "array",
      items: {
        type: "object",
        properties: {
          value: { type: "string" },
          expression: { type: "string" },
          operands: {
            type: "array",
            items: {
              type: "object",
              properties: { value: { type: "string" }, passage: { type: "integer" } },
              required: ["value", "passage"],
              additionalProperties: false,
            },
          },
        },
        required: ["value", "expression", "operands"],
        additionalProperties: false,
      },
    },
  },
  required: ["workings"],
  additionalProperties: false,
};

/** Dates and numbers can be worked out; names and codes cannot. */
const canBeWorkedOut = ({ value: { kind }, elsewhere }: UntiedValue): boolean =>
  (kind === "number" || kind === "date") && elsewhere.length === 0;

/** The question to the reader: how it worked out these values of its answer. */
function requestFor(untied: readonly UntiedValue[], { text, sentences }: Checked): Message {
  const lines = untied.map(
    ({ value, sentence }) => `- ${value.text}, in: ${sentences[sentence]?.text ?? ""}`,
  );
  return {
    role: "user",
    text: `These values of your answer are in no passage that it cites:
${lines.join("\n")}

Your answer was:
${text}

For each value that you worked out, give the value as listed, the expression, and every operand with the number of the passage that has it; 0 if the question has it or it is the date of today. Write numbers with a decimal point and without thousands separators, dates as YYYY-MM-DD, durations as "10 days" or "2 weeks": (96 - 37.5), 2021-04-12 - 10 days. Leave out values that you did not work out.
Reply with JSON alone: {"values": [{"value": "…", "expression": "…", "operands": [{"value": "…", "passage": 1}]}]}`,
  };
}

/** Numbers that an expression may have although no passage has them: of percentages, units of time and means. */
const constants: ReadonlySet<number> = new Set([
  0, 1, 2, 4, 7, 10, 12, 24, 30, 52, 60, 100, 360, 365, 1000, 1e6,
]);

/** The dates and numbers of an expression. */
const partsOf = (expression: string): readonly Value[] =>
  valuesOf(expression).filter(({ kind }) => kind === "number" || kind === "date");

const isSame = (one: Value, other: Value): boolean =>
  one.kind === "date" && other.kind === "date"
    ? one.readings.some((left) => other.readings.some((right) => sameDate(left, right)))
    : one.kind === "number" &&
      other.kind === "number" &&
      one.quantity.readings.some((reading) => other.quantity.readings.includes(reading));

/** Whether an expression has operands only that its passages have, that count a list or are constants. */
function hasItsOperands(
  { expression, operands }: Working,
  passages: readonly Passage[],
  asked: Question,
): boolean {
  const found = operands.flatMap(({ value, passage }) => {
    const cited = passages.filter(({ marker }) => marker === passage).map((each) => evidenceOf(each, asked));
    return valuesOf(value).filter((each) => checkValue(each, value, cited, asked) !== "no");
  });
  return partsOf(expression).every(
    (part) =>
      found.some((each) => isSame(part, each)) ||
      (part.kind === "number" &&
        (part.quantity.readings.some((reading) => constants.has(reading)) ||
          part.quantity.readings[0] === operands.length)),
  );
}

/** Whether the value of an expression is the value of the answer, rounded as that is. */
function isValueOf(result: string, value: Value): boolean {
  if (value.kind === "date")
    return datesIn(result).dates.some((readings) =>
      readings.some((reading) => value.readings.some((own) => sameDate(own, reading))),
    );
  const [number] = quantitiesIn(normalize(result));
  if (value.kind !== "number" || number === undefined) return false;
  const { quantity } = value;
  const results = number.readings.flatMap((reading) =>
    quantity.unit === "%" ? [reading, reading * 100] : [reading],
  );
  return results.some((each) =>
    isResult({ ...quantity, unit: "" }, { value: each, unit: "" }, [quantity.scale]),
  );
}

/** What a check needs to ask how values were worked out. */
export interface WorkingOut {
  readonly passages: readonly Passage[];
  readonly question: Question;
  readonly calculate: Calculate;
  /** Asks the reader for JSON of this schema, after all that it was told so far. */
  readonly ask: (messages: readonly Message[], schema: JsonObject) => Promise<string>;
}

function read(reply: string): readonly Working[] {
  try {
    return workings.safeParse(JSON.parse(reply)).data?.workings ?? [];
  } catch {
    return [];
  }
}

/** Checked sentences with ties for values whose working is right. */
function withWorkings(checked: Checked, found: ReadonlyMap<UntiedValue, Working>, asked: Question): Checked {
  const untied = checked.untied.filter((each) => !found.has(each));
  const sentences = checked.sentences.map((verdict, at) => {
    const own = [...found].filter(([{ sentence }]) => sentence === at);
    if (own.length === 0) return verdict;
    const ways = own.map(([, { expression }]) => expression);
    const derivation = [verdict.derivation ?? "", ...ways].filter((way) => way !== "").join("; ");
    const left = untied.filter(({ sentence }) => sentence === at);
    if (verdict.support !== "partial" || verdict.rule === "citation") return { ...verdict, derivation };
    const [first] = left;
    return first === undefined
      ? { ...verdict, support: "supported" as const, rule: "number", reason: "", derivation }
      : {
          ...verdict,
          rule: first.value.kind,
          reason: reasonOf(left, verdict.markers, asked.notes.judged),
          derivation,
        };
  });
  return { ...checked, sentences, untied };
}

/**
 * Asks the reader once how it worked out all values without a tie, and computes its expressions: a value is tied if its
 * expression has it as its result and each operand is in the passage named for it. What the reader does not show stays untied.
 */
export async function requestDerivations(
  checked: Checked,
  { passages, question, calculate, ask }: WorkingOut,
): Promise<Checked> {
  const open = checked.untied.filter(canBeWorkedOut);
  if (open.length === 0) return checked;
  const shown = read(await ask([requestFor(open, checked)], workingsSchema));
  const found = new Map<UntiedValue, Working>();
  for (const each of open) {
    const way = shown.find((candidate) => {
      const isOwn = valuesOf(candidate.value).some((value) => isSame(value, each.value));
      const result =
        isOwn && hasItsOperands(candidate, passages, question) ? calculate(candidate.expression) : null;
      return result !== null && isValueOf(result, each.value);
    });
    if (way !== undefined) found.set(each, way);
  }
  return withWorkings(checked, found, question);
}
