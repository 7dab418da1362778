import { type Amount, amountOf, unitOf, writtenLike } from "./amounts.ts";
import type { CellRequest } from "./asked.ts";
import { type Cell, type CellAnswer, cellsNamed, isNamed, labelOf, linesOf, scaleOf } from "./cells.ts";
import { minus, type Named } from "./find.ts";

type Tokens = ReadonlySet<string>;

/** Two cells with the same unit. */
interface CellPair {
  readonly one: Cell;
  readonly other: Cell;
  readonly amounts: readonly [Amount, Amount];
}

/** Pairs of cells, one named by the words of each side; words of one side may also complete the other. */
function pairsNamed(
  asked: CellRequest & { readonly form: "apart" },
  all: readonly Named[],
  called: Tokens,
): readonly CellPair[] {
  const look = (tokens: Tokens): readonly Cell[] => cellsNamed(all, tokens, asked.question, called);
  const pairs = asked.pairs.flatMap(({ one, other, both }) => {
    const [left, right] = [one.union(both), other.union(both)];
    // What names one cell in full also names the other in part, by its row or by its column.
    const shared = (cell: Cell, from: Tokens): readonly Tokens[] => [
      minus(from, cell.column.own),
      minus(from, cell.row.own),
    ];
    return [
      ...look(left).flatMap((first) =>
        shared(first, left).flatMap((tokens) =>
          look(right.union(tokens)).map((second) => [first, second] as const),
        ),
      ),
      ...look(right).flatMap((second) =>
        shared(second, right).flatMap((tokens) =>
          look(left.union(tokens)).map((first) => [first, second] as const),
        ),
      ),
    ];
  });
  return pairs.flatMap(([one, other]): CellPair[] => {
    const amounts = [amountOf(one.text), amountOf(other.text)] as const;
    const [first, second] = amounts;
    const isOne = one.row.row === other.row.row && one.column.at === other.column.at;
    const isApart = one.row.row.label === other.row.row.label || one.column.head === other.column.head;
    if (isOne || !isApart || first === undefined || second === undefined) return [];
    if (unitOf(first) !== unitOf(second)) return [];
    return [{ one, other, amounts: [first, second] }];
  });
}

/** Answers with the difference between two cells that a question names. */
export function apartAnswer(
  asked: CellRequest & { readonly form: "apart" },
  all: readonly Named[],
  called: Tokens,
): CellAnswer | null {
  const pairs = pairsNamed(asked, all, called);
  const [pair] = pairs;
  if (pair === undefined) return null;
  const textOf = ({ one, other }: CellPair): string => `${one.text}\n${other.text}`;
  if (new Set(pairs.map(textOf)).size > 1) return null;
  const { one, other, amounts } = pair;
  const [first, second] = amounts;
  const apart = first.value - second.value;
  // The question assumes the opposite order.
  if ((asked.order === "most" && apart <= 0) || (asked.order === "least" && apart >= 0)) return null;
  const digits = Math.max(first.digits, second.digits);
  const isRow = one.column.head === other.column.head;
  const shared = isRow ? one.column.head : labelOf(one);
  const [left, right] = isRow ? [labelOf(one), labelOf(other)] : [one.column.head, other.column.head];
  const text = `${shared}: ${left} ${one.text}${scaleOf(one)}, ${right} ${other.text}${scaleOf(other)}, difference: ${writtenLike(Math.abs(apart), first, digits)}${scaleOf(one)}`;
  return { text, lines: linesOf([one, other]), label: shared, isNamed: isNamed([one, other]) };
}
