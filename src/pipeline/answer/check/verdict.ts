import type { SentenceVerdict } from "../../../core/answers/answer.ts";
import type { Notes } from "../../../language/schema/notes.ts";
import type { Statement } from "../statements.ts";
import type { Contradiction, UntiedValue } from "./checked.ts";
import type { Tied } from "./tie.ts";
import type { Value } from "./values.ts";

/** What was found out about a statement. */
export interface Findings extends Pick<Tied, "held" | "derived" | "derivations"> {
  readonly contradiction: Contradiction | null;
  readonly untied: readonly UntiedValue[];
  /** A marker that refers to no passage; undefined if all do. */
  readonly absent: number | undefined;
  readonly say: Notes["judged"];
}

const whereOf = (markers: readonly number[]): string => markers.map((marker) => `[${marker}]`).join("");

/** The strongest kind of values; `word` for none. */
const ruleOf = (values: readonly Value[]): string =>
  (["date", "number", "code", "name"] as const).find((kind) => values.some((value) => value.kind === kind)) ??
  "word";

/** Why a statement is marked: its values without a tie, and where they are instead. */
export function reasonOf(
  untied: readonly UntiedValue[],
  markers: readonly number[],
  say: Notes["judged"],
): string {
  const where = whereOf(markers);
  const texts = (of: readonly UntiedValue[]): string =>
    [...new Set(of.map(({ value }) => value.text))].join(", ");
  const away = untied.filter(({ elsewhere, isOtherUnit }) => elsewhere.length > 0 && !isOtherUnit);
  const others = untied.filter(({ isOtherUnit }) => isOtherUnit);
  const absent = untied.filter((each) => !away.includes(each) && !others.includes(each));
  return [
    ...(absent.length === 0 ? [] : [say.absent(texts(absent), where)]),
    ...(others.length === 0 ? [] : [say.otherUnit(texts(others), where)]),
    ...away.map(({ value, elsewhere }) => say.elsewhere(value.text, whereOf(elsewhere), where)),
  ].join("; ");
}

/** The verdict on a statement. Words are the reader's: without a value there is nothing to hold against the passages. */
export function verdictOf({ bare, markers }: Statement, findings: Findings): SentenceVerdict {
  const { contradiction, untied, absent, say, held, derived, derivations } = findings;
  const values = [...held, ...derived];
  const base = {
    text: bare,
    markers,
    ...(derivations.length === 0 ? {} : { derivation: derivations.join("; ") }),
  };
  if (contradiction !== null) {
    const { value, marker, quote } = contradiction;
    const reason = `${say.otherValue(value, `[${marker}]`)}: “${quote}”`;
    return { ...base, support: "unsupported", rule: "contradiction", reason };
  }
  if (absent !== undefined)
    return { ...base, support: "partial", rule: "citation", reason: say.noPassage(absent) };
  if (markers.length === 0 && untied.length + values.length > 0)
    return { ...base, support: "partial", rule: "citation", reason: say.uncited };
  const [first] = untied;
  return first === undefined
    ? { ...base, support: "supported", rule: ruleOf(values), reason: "" }
    : { ...base, support: "partial", rule: first.value.kind, reason: reasonOf(untied, markers, say) };
}
