import { languageOf } from "../../../language/languages.ts";
import type { Question } from "../question.ts";
import { deriveDate, deriveDuration } from "./derive/dates.ts";
import { listsIn } from "./derive/lists.ts";
import { derive, type Ground } from "./derive/numbers.ts";
import type { CheckedPassage } from "./evidence.ts";
import { checkValue } from "./holds.ts";
import { type Value, valuesOf } from "./values.ts";

/** A value without a tie. */
export interface LooseValue {
  readonly value: Value;
  /** Whether the cited passages have the number, but with another unit. */
  readonly isOtherUnit: boolean;
}

/** A statement's values by their ties. */
export interface Tied {
  /** Those that the cited passages or the question have. */
  readonly held: readonly Value[];
  /** Those that follow from others. */
  readonly derived: readonly Value[];
  readonly loose: readonly LooseValue[];
  /** How derived numbers and dates were worked out. */
  readonly derivations: readonly string[];
}

/** What a statement is held against. */
export interface Basis {
  readonly cited: readonly CheckedPassage[];
  readonly asked: Question;
  /** Values of earlier statements that have a tie. */
  readonly earlier: readonly Value[];
  /** Lengths of the lists of the answer. */
  readonly lists: readonly number[];
}

const numbersOf = (values: readonly Value[]) =>
  values.flatMap((value) => (value.kind === "number" ? [value.quantity] : []));
const datesOf = (values: readonly Value[]) =>
  values.flatMap((value) => (value.kind === "date" ? [value.readings] : []));

function groundOf(statement: string, own: readonly Value[], { cited, asked, earlier, lists }: Basis): Ground {
  return {
    statement,
    own: numbersOf(own),
    earlier: [...asked.quantities, ...numbersOf(earlier)],
    ownDates: datesOf(own),
    earlierDates: [...asked.dates, ...datesOf(earlier)],
    lists: [...lists, ...listsIn(statement)],
    cited,
    asked,
  };
}

/** How a value follows from others; "" if an earlier statement has the same name or code; null if it does not follow. */
function derivationOf(value: Value, ground: Ground, earlier: readonly Value[]): string | null {
  switch (value.kind) {
    case "date":
      return deriveDate(value.readings, ground);
    case "number":
      return derive(value.quantity, ground) ?? deriveDuration(value.quantity, ground);
    case "name":
    case "code":
      return earlier.some(({ kind, text }) => kind === value.kind && text === value.text) ? "" : null;
  }
}

/** Rounds in which one result may lead to another. */
const mostRounds = 3;

/** Ties the values of a statement: to the cited passages and the question, else to values that have a tie. */
export function tie(statement: string, basis: Basis): Tied {
  const all = valuesOf(statement, languageOf(basis.asked.spoken).capitalizesNouns).map((value) => ({
    value,
    state: checkValue(value, statement, basis.cited, basis.asked),
  }));
  const held = all.filter(({ state }) => state === "yes").map(({ value }) => value);
  let open = all.filter(({ state }) => state !== "yes");
  const derived: Value[] = [];
  const derivations: string[] = [];
  for (let round = 0; round < mostRounds && open.length > 0; round++) {
    const ground = groundOf(statement, [...held, ...derived], basis);
    const ways = open.map((each) => ({ each, way: derivationOf(each.value, ground, basis.earlier) }));
    derived.push(...ways.filter(({ way }) => way !== null).map(({ each }) => each.value));
    derivations.push(...ways.flatMap(({ way }) => way || []));
    open = ways.filter(({ way }) => way === null).map(({ each }) => each);
  }
  const loose = open.map(({ value, state }) => ({ value, isOtherUnit: state === "unit" }));
  return { held, derived, loose, derivations };
}
