import type { Piece } from "../pieces.ts";

/** Pieces by baseline, from the top down, each row from left to right. */
export function rowsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const rows: Piece[][] = [];
  let anchor = { y: Number.NEGATIVE_INFINITY, size: 0 };
  for (const piece of pieces.toSorted((left, right) => left.y - right.y || left.x0 - right.x0)) {
    const same =
      Math.abs(piece.y - anchor.y) <
      0.45 * Math.min(Math.max(piece.size, anchor.size), 2 * Math.min(piece.size, anchor.size));
    if (!same) rows.push([]);
    rows.at(-1)?.push(piece);
    if (!same || piece.size > anchor.size) anchor = piece;
  }
  for (const row of rows) row.sort((left, right) => left.x0 - right.x0);
  return rows;
}

const textOf = (pieces: readonly Piece[]): string =>
  pieces
    .map(({ text }) => text)
    .join("")
    .replace(/\s+/g, "");

/** Layers that a row is divided into at most: text is rarely drawn more than four times. */
const mostLayers = 16;

/** Splits the pieces of a row, from left to right, into layers in which no piece overlaps another. */
function layersOf(row: readonly Piece[]): readonly Piece[][] {
  const layers: Piece[][] = [];
  for (const piece of row) {
    const over = Math.min(0.3 * piece.size, 0.5 * (piece.x1 - piece.x0));
    const free = layers.find((layer) => (layer.at(-1)?.x1 ?? 0) - piece.x0 <= over);
    if (free !== undefined) free.push(piece);
    else if (layers.length < mostLayers) layers.push([piece]);
    else layers.at(-1)?.push(piece);
  }
  return layers;
}

/** Position of a letter, by equal shares of its piece, and how far off that may be. */
interface Place {
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly within: number;
}

function placesOf({ text, x0, x1, y, size }: Piece): Place[] {
  const trimmed = text.trim();
  const share = (x1 - x0) / trimmed.length;
  const within = size * Math.min(2, 0.35 + 0.03 * trimmed.length);
  return [...trimmed.matchAll(/\S/g)].map(({ index }) => {
    const x = x0 + index * share;
    return { x0: x, x1: x + share, y, within };
  });
}

/** The pieces of a layer that repeat the text in the same place of another. */
function repeatsIn(layer: readonly Piece[], shown: readonly Piece[]): Piece[] {
  const text = textOf(shown);
  const places = shown.flatMap(placesOf);
  let from = 0;
  return layer.filter((piece) => {
    const { x0, x1, y, size } = piece;
    const again = textOf([piece]);
    const isHere = (first: Place, last: Place | undefined) =>
      Math.abs(first.y - y) < 0.35 * size &&
      Math.abs(first.x0 - x0) < first.within &&
      Math.abs((last?.x1 ?? x0) - x1) < first.within;
    while ((places[from]?.x0 ?? x0) < x0 - 2 * size) from++;
    for (let at = from; (places[at]?.x0 ?? Number.POSITIVE_INFINITY) < x0 + 2 * size; at++) {
      const first = places[at];
      const last = places[at + again.length - 1];
      if (first !== undefined && isHere(first, last) && text.startsWith(again, at)) return true;
    }
    return false;
  });
}

/** The pieces of a row, from left to right, without those that repeat others in their place. */
function withoutShadow(row: readonly Piece[]): readonly Piece[] {
  const [shown = [], ...others] = layersOf(row);
  const repeats = new Set(others.flatMap((layer) => repeatsIn(layer, shown)));
  // A separate piece in one layer may be part of a longer run in another.
  for (const layer of others) {
    const rest = layer.filter((piece) => !repeats.has(piece));
    if (rest.length > 0) for (const piece of repeatsIn(shown, rest)) repeats.add(piece);
  }
  return repeats.size === 0 ? row : row.filter((piece) => !repeats.has(piece));
}

/** The pieces without what is drawn a second time over itself, to look bold or to cast a shadow. */
export function withoutShadows(pieces: readonly Piece[]): readonly Piece[] {
  const kept = new Set(rowsOf(pieces).flatMap(withoutShadow));
  return kept.size === pieces.length ? pieces : pieces.filter((piece) => kept.has(piece));
}
