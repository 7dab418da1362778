/** Texts of a sheet by row and column, 0-based and sparse: only what is filled is there. */
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

/** Islands of filled cells that touch side by side or one under the other. `merged` cells count as filled. */
function islands(cells: SheetCells, merged: readonly Region[]): Region[] {
  const filled = new Map<number, number[]>();
  for (const [row, columns] of cells) filled.set(row, [...columns.keys()]);
  for (const { top, left, bottom, right } of merged) {
    if (cells.get(top)?.has(left) !== true) continue;
    for (let row = top; row <= bottom; row++) {
      const columns = filled.get(row) ?? [];
      for (let column = left; column <= right; column++) columns.push(column);
      filled.set(row, columns);
    }
  }
  const runs: Run[] = [];
  let above: Run[] = [];
  let last = -2;
  for (const row of [...filled.keys()].sort((one, two) => one - two)) {
    const columns = (filled.get(row) ?? []).sort((one, two) => one - two);
    const current: Run[] = [];
    for (const column of columns) {
      const open = current.at(-1);
      if (open !== undefined && column <= open.right + 1)
        current[current.length - 1] = { ...open, right: Math.max(open.right, column) };
      else current.push({ top: row, bottom: row, left: column, right: column, parent: undefined });
    }
    if (row !== last + 1) above = [];
    let index = 0;
    for (const run of current) {
      while (index < above.length && (above[index]?.right ?? 0) < run.left) index++;
      for (let other = index; other < above.length; other++) {
        const touching = above[other];
        if (touching === undefined || touching.left > run.right) break;
        const [one, two] = [rootOf(run), rootOf(touching)];
        if (one !== two) one.parent = two;
      }
    }
    runs.push(...current);
    above = current;
    last = row;
  }
  const groups = new Map<Run, Region[]>();
  for (const run of runs) {
    const root = rootOf(run);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [run]);
    else group.push(run);
  }
  return [...groups.values()].map(around);
}

const overlap = (from: number, to: number, otherFrom: number, otherTo: number) =>
  Math.min(to, otherTo) - Math.max(from, otherFrom) + 1;

/** Regions joined while any two of them belong together. */
function joinWhile(regions: readonly Region[], together: (one: Region, two: Region) => boolean): Region[] {
  const left = [...regions];
  for (let changed = true; changed; ) {
    changed = false;
    for (let one = 0; one < left.length; one++) {
      for (let two = one + 1; two < left.length; two++) {
        const [a, b] = [left[one], left[two]];
        if (a === undefined || b === undefined || !(together(a, b) || together(b, a))) continue;
        left[one] = around([a, b]);
        left.splice(two--, 1);
        changed = true;
      }
    }
  }
  return left;
}

/**
 * The tables of a sheet, in reading order. 1. Islands of touching cells. 2. Islands whose rectangles overlap are one. 3. Islands side
 * by side are one unless both are tables by themselves: forms leave columns empty between label and value. 4. An island under
 * another with the same columns is one with it when it has no header of its own: tables leave a row empty between groups.
 */
export function tableRegions(
  cells: SheetCells,
  merged: readonly Region[],
  judge: { isTable(region: Region): boolean; hasHeader(region: Region): boolean },
): readonly Region[] {
  const found = islands(cells, merged);
  if (found.length === 0) return [];
  if (found.length > maxIslands) return [around(found)];
  let regions = joinWhile(
    found,
    (one, two) =>
      overlap(one.top, one.bottom, two.top, two.bottom) > 0 &&
      overlap(one.left, one.right, two.left, two.right) > 0,
  );
  regions = joinWhile(
    regions,
    (one, two) =>
      two.left > one.right &&
      two.left - one.right <= 3 &&
      overlap(one.top, one.bottom, two.top, two.bottom) >=
        Math.min(one.bottom - one.top, two.bottom - two.top) * 0.5 + 0.5 &&
      !(judge.isTable(one) && judge.isTable(two)) &&
      !(judge.isTable(one) && two.bottom === two.top) &&
      !(judge.isTable(two) && one.bottom === one.top),
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
