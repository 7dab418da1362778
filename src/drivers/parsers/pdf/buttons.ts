import type { Rectangle } from "../page/geometry.ts";
import type { Piece } from "../page/pieces.ts";

/** A radio button or checkbox as shown on its page. */
export interface Button extends Rectangle {
  /** Name of the field, which radio buttons share; "" where there is none. */
  readonly field: string;
  readonly isOn: boolean;
}

/** A text that may be a button's label, and how far from it, points. */
interface Label {
  readonly piece: Piece;
  readonly gap: number;
}

type Side = "right" | "left" | "above";
const sides: readonly Side[] = ["right", "left", "above"];

/** Largest distance of a label from its button, as a multiple of its size. */
const farthest = 3;

function isBeside({ y0, y1 }: Rectangle, { y, size }: Piece): boolean {
  return Math.abs((y0 + y1) / 2 - (y - size * 0.35)) < 0.6 * Math.max(size, y1 - y0);
}

/** Distance of a text from a button on one side; undefined where it is not on that side. */
function gapOf(button: Rectangle, piece: Piece, side: Side): number | undefined {
  if (side === "above") {
    const isOver = piece.x0 < button.x1 && piece.x1 > button.x0;
    const gap = button.y0 - piece.y;
    return isOver && gap > -3 && gap < 1.2 * piece.size ? Math.max(0, gap) : undefined;
  }
  if (!isBeside(button, piece)) return undefined;
  const gap = side === "right" ? piece.x0 - button.x1 : button.x0 - piece.x1;
  return gap > -3 && gap < farthest * piece.size ? Math.max(0, gap) : undefined;
}

/** The nearest text on one side of a button, unless another button is between them. */
function labelOf(
  button: Button,
  side: Side,
  pieces: readonly Piece[],
  others: readonly Button[],
): Label | undefined {
  let nearest: Label | undefined;
  for (const piece of pieces) {
    const gap = gapOf(button, piece, side);
    if (gap !== undefined && (nearest === undefined || gap < nearest.gap)) nearest = { piece, gap };
  }
  if (nearest === undefined) return undefined;
  const { piece, gap } = nearest;
  const isBetween = (other: Button) => {
    if (other === button) return false;
    // A label over a column of buttons is that of the column.
    if (side === "above") return other.x0 < button.x1 && other.x1 > button.x0 && other.y0 > button.y0;
    const between = gapOf(other, piece, side);
    return between !== undefined && between < gap && Math.abs(other.y0 - button.y0) < button.y1 - button.y0;
  };
  return others.some(isBetween) ? undefined : nearest;
}

/** The side where all buttons of a field have their labels, and nearest; undefined where they have none. */
function sideOf(
  field: readonly Button[],
  pieces: readonly Piece[],
  buttons: readonly Button[],
): Side | undefined {
  const missing = Number.POSITIVE_INFINITY;
  const distances = sides.map((side) =>
    field.reduce((sum, button) => sum + (labelOf(button, side, pieces, buttons)?.gap ?? missing), 0),
  );
  const least = Math.min(...distances);
  return least < missing ? sides[distances.indexOf(least)] : undefined;
}

/** The first piece of the words that a piece ends. */
function startOf(piece: Piece, pieces: readonly Piece[]): Piece {
  let first = piece;
  for (const before of pieces.toReversed()) {
    const gap = first.x0 - before.x1;
    if (before.y === first.y && gap > -1 && gap < 0.6 * first.size) first = before;
  }
  return first;
}

/** The mark of a button, before the text that begins its label, or in the button's own place. */
function markOf({ isOn, x0, y0, x1, y1 }: Button, label: Piece | undefined): Piece {
  const size = label?.size ?? Math.max(4, Math.min(12, y1 - y0));
  const end = label === undefined ? x1 : label.x0 - 0.3 * size;
  return {
    text: isOn ? "[x]" : "[ ]",
    x0: label === undefined ? x0 : end - size,
    x1: end,
    y: label?.y ?? y1 - (y1 - y0) * 0.2,
    size,
    font: "field",
    mono: false,
    rtl: false,
    role: "",
  };
}

/** The marks of a page's buttons, each with its label, so that none gets its neighbour's. */
export function placeButtons(buttons: readonly Button[], pieces: readonly Piece[]): Piece[] {
  const fields = Map.groupBy(buttons, (button) => (button.field === "" ? button : button.field));
  return [...fields.values()].flatMap((field) => {
    const side = sideOf(field, pieces, buttons);
    return field.map((button) => {
      const label = side === undefined ? undefined : labelOf(button, side, pieces, buttons)?.piece;
      return markOf(button, label === undefined || side === "right" ? label : startOf(label, pieces));
    });
  });
}
