import { alternatives } from "../../../../language/languages.ts";
import { stands } from "../../../../language/quantities.ts";
import type { Figure } from "../../check/figures.ts";
import {
  isResult,
  type Operand,
  type Operation,
  ofPair,
  ofSeries,
  operandOf,
  pairsOf,
  type Result,
  type Way,
  wayTo,
} from "./operations.ts";

const operations: readonly Operation[] = ["difference", "growth", "share", "ratio", "sum", "mean", "product"];

/** Limits: numbers of a statement, and rounds in which one result leads to another. */
const [mostShown, mostRounds] = [20, 3];
/** Longest list that is counted, in items. */
const mostItems = 30;

const listBreak = new RegExp(`[,;]|\\s(?:${alternatives(({ and }) => and)})\\s`, "iu");

/** Lengths of the lists in a statement, in parentheses or after a colon, from two items on. */
function listsIn(statement: string): ReadonlySet<number> {
  const behind = statement.slice(statement.lastIndexOf(": ") + 1);
  const lists = [behind, ...Array.from(statement.matchAll(/\(([^()]{1,1000})\)/gu), ([, list = ""]) => list)];
  return new Set(
    lists
      .map((list) => list.split(listBreak).filter((item) => /[\p{L}\p{N}]/u.test(item)).length)
      .filter((count) => count >= 2 && count <= mostItems),
  );
}

/** Results of the operations on some numbers, in the order shown. */
function resultsOf(operands: readonly Operand[]): readonly Result[] {
  const runs = operands.flatMap((_, from) =>
    Array.from({ length: Math.max(0, operands.length - from - 2) }, (_, more) =>
      operands.slice(from, from + more + 3),
    ),
  );
  return operations.flatMap((operation) => [
    ...pairsOf(operands).flatMap(([one, other]) => ofPair(operation, one, other)),
    ...runs.flatMap((run) => ofSeries(operation, run)),
  ]);
}

/** How a number follows from numbers already accepted; null if it does not. */
function follows(claim: Figure, operands: readonly Operand[], declared: readonly number[]): Way | null {
  const others = operands.filter(({ figure }) => figure !== claim);
  const restated = others.find((other) => isResult(claim, { ...other, shown: "", operands: [] }, []));
  if (restated !== undefined) return { derivation: restated.text, isUncertain: true };
  return wayTo(claim, resultsOf(others), declared);
}

/** A number with the sign that the statement gives it: `(0.6)%`, `−3`. */
function signed(operand: Operand, statement: string): Operand {
  const { text } = operand.figure.quantity;
  const isNegative = [`(${text})`, `(${text}%)`, ` -${text}`, `−${text}`].some((form) =>
    statement.includes(form),
  );
  return isNegative ? { ...operand, value: -Math.abs(operand.value), text: `(-${text})` } : operand;
}

/** Whether the passages contain a number, with or without its scale. */
const isStanding = (
  { quantity }: Figure,
  standing: readonly Figure[],
  declared: readonly number[],
): boolean =>
  standing.some(
    (one) =>
      stands(quantity, [one.quantity], [...declared, ...one.declared], false) === "yes" ||
      stands({ ...quantity, scale: 1 }, [one.quantity], [], false) === "yes",
  );

/**
 * Numbers of a statement that follow from others in it. Accepted are those that the passages contain or that
 * count a list in the statement, and then whatever can be derived from accepted ones.
 */
export function shownWork(
  statement: string,
  claims: readonly Figure[],
  standing: readonly Figure[],
  declared: readonly number[],
): ReadonlyMap<string, Way> {
  const found = new Map<string, Way>();
  if (claims.length > mostShown) return found;
  const lists = listsIn(statement);
  const isListed = ({ quantity: { decimals, readings } }: Figure): boolean =>
    decimals === 0 && lists.has(readings[0] ?? 0);
  const held = new Map<Figure, Operand>();
  const hold = (claim: Figure, shown: Way | null): void => {
    held.set(claim, signed(operandOf(claim, 0), statement));
    if (shown !== null) found.set(claim.quantity.text, shown);
  };
  for (const claim of claims)
    if (isStanding(claim, standing, declared)) hold(claim, null);
    else if (isListed(claim))
      hold(claim, { derivation: `${claim.quantity.text} listed`, isUncertain: false });
  for (let round = 0; round < mostRounds; round++) {
    const operands = claims.flatMap((claim) => held.get(claim) ?? []);
    for (const claim of claims.filter((each) => !held.has(each))) {
      const shown = follows(claim, operands, declared);
      if (shown !== null) hold(claim, shown);
    }
  }
  return found;
}
