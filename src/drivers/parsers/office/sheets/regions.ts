/** Texts of a sheet by row and column, 0-based and sparse: only filled cells are present. */
export type SheetCells = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** A rectangle of a sheet, 0-based, ends included. */
export interface Region {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Above this many islands a sheet is a scatter of cells, and is read as one table. */
const maxIslands = 400;

interface Run extends Region {
  parent: Run | undefined;
}

function rootOf(run: Run): Run {
  let root = run;
  while (root.parent !== undefined) root = root.parent;
  let step = run;
  while (step.parent !== undefined && step !== root) {
    const next: Run = step.parent;
    step.parent = root;
    step = next;
  }
  return root;
}

const around = (regions: readonly Region[]): Region => ({
  top: regions.reduce((least, { top }) => Math.min(least, top), Number.POSITIVE_INFINITY),
  left: regions.reduce((least, { left }) => Math.min(least, left), Number.POSITIVE_INFINITY),
  bottom: regions.reduce((most, { bottom }) => Math.max(most, bottom), 0),
  right: regions.reduce((most, { right }) => Math.max(most, right), 0),
});

/**
 * Whether a merged cell of several columns is alone in its rows: a title, or the heading of a group of rows.
 */
export function isTitle(cells: SheetCells, { top, left, bottom, right }: Region): boolean {
  if (right === left) return false;
  for (let row = top; row <= bottom; row++)
    if ((cells.get(row)?.size ?? 0) !== (row === top ? 1 : 0)) return false;
  return cells.get(top)?.has(left) === true;
}

/**
 * Filled columns by row. A merged region counts as filled where its first cell is; a title counts in its
 * first column only, because it may span several tables.
 */
function filledColumns(cells: SheetCells, merged: readonly Region[]): Map<number, number[]> {
  const filled = new Map<number, number[]>();
  for (const [row, columns] of cells) filled.set(row, [...columns.keys()]);
  for (const merge of merged) {
    const { top, left, bottom } = merge;
    if (cells.get(top)?.has(left) !== true) continue;
    const right = isTitle(cells, merge) ? left : merge.right;
    for (let row = top; row <= bottom; row++) {
      const columns = filled.get(row) ?? [];
      for (let column = left; column <= right; column++) columns.push(column);
      filled.set(row, columns);
    }
  }
  return filled;
}

/** Runs of filled cells of one row, from left to right. */
function runsOf(row: number, columns: readonly number[]): Run[] {
  const runs: { top: number; bottom: number; left: number; right: number; parent: undefined }[] = [];
  for (const column of [...columns].sort((one, two) => one - two)) {
    const open = runs.at(-1);
    if (open !== undefined && column <= open.right + 1) open.right = Math.max(open.right, column);
    else runs.push({ top: row, bottom: row, left: column, right: column, parent: undefined });
  }
  return runs;
}

/** Joins the runs of a row with those above that they touch; both from left to right. */
function joinRows(above: readonly Run[], runs: readonly Run[]): void {
  let first = 0;
  for (const run of runs) {
    while (first < above.length && (above[first]?.right ?? 0) < run.left) first++;
    for (let index = first; index < above.length; index++) {
      const touching = above[index];
      if (touching === undefined || touching.left > run.right) break;
      const root = rootOf(run);
      const otherRoot = rootOf(touching);
      if (root !== otherRoot) root.parent = otherRoot;
    }
  }
}

/** Islands of filled cells that touch side by side or one under the other. `merged` cells count as filled. */
function islands(cells: SheetCells, merged: readonly Region[]): Region[] {
  const filled = [...filledColumns(cells, merged)].sort(([one], [two]) => one - two);
  const runs: Run[] = [];
  let above: { readonly row: number; readonly runs: readonly Run[] } | undefined;
  for (const [row, columns] of filled) {
    const current = runsOf(row, columns);
    if (above?.row === row - 1) joinRows(above.runs, current);
    runs.push(...current);
    above = { row, runs: current };
  }
  return [...Map.groupBy(runs, rootOf).values()].map(around);
}

const overlap = (from: number, to: number, otherFrom: number, otherTo: number) =>
  Math.min(to, otherTo) - Math.max(from, otherFrom) + 1;

const overlaps = (one: Region, two: Region): boolean =>
  overlap(one.top, one.bottom, two.top, two.bottom) > 0 &&
  overlap(one.left, one.right, two.left, two.right) > 0;

/** Whether two regions of these belong together. */
type Together = (one: Region, two: Region, all: readonly Region[]) => boolean;

/**
 * Joins each region with the later ones that it overlaps or that belong to it, in place. Returns whether any
 * two were joined.
 */
function joinOnce(regions: Region[], together: Together): boolean {
  const before = regions.length;
  for (let one = 0; one < regions.length; one++) {
    for (let two = one + 1; two < regions.length; two++) {
      const first = regions[one];
      const second = regions[two];
      if (first === undefined || second === undefined) continue;
      const areOne =
        overlaps(first, second) || together(first, second, regions) || together(second, first, regions);
      if (!areOne) continue;
      regions[one] = around([first, second]);
      regions.splice(two--, 1);
    }
  }
  return regions.length < before;
}

/** Regions joined while any two of them overlap or belong together. */
function joinWhile(regions: readonly Region[], together: Together): Region[] {
  const joined = [...regions];
  let changed = true;
  while (changed) changed = joinOnce(joined, together);
  return joined;
}

/**
 * The tables of a sheet, in reading order; no two overlap.
 * 1. Start from islands of touching cells.
 * 2. Join islands whose rectangles overlap.
 * 3. Join islands side by side unless both are tables by themselves, or a third table would come between
 *    them: forms leave columns empty between label and value.
 * 4. Join an island with the one above when both have the same columns and the lower has no header: tables
 *    leave a row empty between groups.
 */
export function tableRegions(
  cells: SheetCells,
  merged: readonly Region[],
  judge: { isTable(region: Region): boolean; hasHeader(region: Region): boolean },
): readonly Region[] {
  const pieces = islands(cells, merged);
  if (pieces.length === 0) return [];
  if (pieces.length > maxIslands) return [around(pieces)];
  const isBetween = (third: Region, one: Region, two: Region): boolean =>
    third !== one && third !== two && overlaps(third, around([one, two])) && judge.isTable(third);
  let regions = joinWhile(pieces, () => false);
  regions = joinWhile(
    regions,
    (one, two, all) =>
      two.left > one.right &&
      two.left - one.right <= 3 &&
      overlap(one.top, one.bottom, two.top, two.bottom) >=
        Math.min(one.bottom - one.top, two.bottom - two.top) * 0.5 + 0.5 &&
      !(judge.isTable(one) && judge.isTable(two)) &&
      !(judge.isTable(one) && two.bottom === two.top) &&
      !(judge.isTable(two) && one.bottom === one.top) &&
      !all.some((third) => isBetween(third, one, two)),
  );
  regions = joinWhile(
    regions,
    (one, two) =>
      two.top - one.bottom === 2 &&
      one.left === two.left &&
      one.right === two.right &&
      one.right > one.left &&
      judge.hasHeader(one) &&
      !judge.hasHeader(two),
  );
  return regions.sort((one, two) => one.top - two.top || one.left - two.left);
}
