import { box, type Matrix, type Rectangle, segment } from "../../page/geometry.ts";

/** A place on a page, points. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A path that is not painted yet. */
interface Path {
  readonly rectangles: Rectangle[];
  /** Its straight lines along the page's axes. */
  readonly strokes: Rectangle[];
  /** What each of its parts encloses at most. */
  readonly areas: { x0: number; y0: number; x1: number; y1: number }[];
}

/** The marks of paths on a page. */
export interface PathDrawing {
  /** Lines that are drawn. */
  readonly rules: Rectangle[];
  /** Areas that are filled. */
  readonly fills: Rectangle[];
  /** Areas that wide lines cover. */
  readonly bands: Rectangle[];
  curves: number;
}

/** Colours and line width for painting a path. */
export interface Brushes {
  readonly isFillWhite: boolean;
  readonly isStrokeWhite: boolean;
  /** In units of the matrix. */
  readonly lineWidth: number;
}

/** Whether the lines of a path are drawn, and what it encloses is filled; with neither it is dropped. */
export interface Painting {
  readonly stroked?: boolean;
  readonly filled?: boolean;
}

/** Draws the paths of one content stream; `matrix` is the one in force when a path is drawn on. */
export interface Pen {
  /** Begins a part of the path. */
  moveTo(matrix: Matrix, x: number, y: number): void;
  /** Draws a line on. */
  lineTo(matrix: Matrix, x: number, y: number): void;
  /** Adds a curve; only its end matters. */
  curveTo(matrix: Matrix, x: number, y: number): void;
  /** Draws a line to where the part began. */
  close(matrix: Matrix): void;
  rectangle(matrix: Matrix, x: number, y: number, width: number, height: number): void;
  paint(matrix: Matrix, brushes: Brushes, how: Painting): void;
}

/** Most lines of a page that are looked at; beyond, what it fills is not known either. */
export const maxRules = 6000;
/** Thinnest rectangle that is an area rather than a line, points. */
const leastArea = 3.2;

/**
 * Sorts a drawn shape into lines and areas: a thin one is a line, a framed one four lines, a filled one an
 * area.
 */
function takeShape({ rules, fills }: PathDrawing, shape: Rectangle, stroked: boolean, filled: boolean): void {
  const { x0, y0, x1, y1 } = shape;
  const width = x1 - x0;
  const height = y1 - y0;
  if (Math.min(width, height) < leastArea) {
    if (Math.max(width, height) > 4 && (filled || stroked)) rules.push(shape);
    return;
  }
  if (stroked) {
    rules.push(
      { x0, y0, x1, y1: y0 },
      { x0, y0: y1, x1, y1 },
      { x0, y0, x1: x0, y1 },
      { x0: x1, y0, x1, y1 },
    );
  }
  if (filled) fills.push(shape);
}

/** Records the area of a path's lines where they are wide enough for text on them. */
function takeBands({ bands }: PathDrawing, { strokes }: Path, matrix: Matrix, brushes: Brushes): void {
  const width = brushes.lineWidth * Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]));
  if (width < leastArea || brushes.isStrokeWhite) return;
  for (const { x0, y0, x1, y1 } of strokes) {
    const [across, along] = x1 - x0 > y1 - y0 ? [0, width / 2] : [width / 2, 0];
    bands.push({ x0: x0 - across, y0: y0 - along, x1: x1 + across, y1: y1 + along });
  }
}

/** Records the painted area of a path on the page. */
function leave(
  drawing: PathDrawing,
  path: Path,
  matrix: Matrix,
  brushes: Brushes,
  { stroked = false, filled = false }: Painting,
): void {
  const visiblyFilled = filled && !brushes.isFillWhite;
  if (stroked) takeBands(drawing, path, matrix, brushes);
  if (drawing.rules.length >= maxRules) return;
  for (const shape of path.rectangles) takeShape(drawing, shape, stroked, visiblyFilled);
  // A path's own lines count where they are drawn, the area it encloses where it is filled.
  if (stroked) drawing.rules.push(...path.strokes);
  else if (visiblyFilled) for (const area of path.areas) takeShape(drawing, area, false, true);
}

/** A pen whose paths are left on `drawing`. */
export function createPathTracer(drawing: PathDrawing): Pen {
  const origin: Point = { x: 0, y: 0 };
  let path: Path = { rectangles: [], strokes: [], areas: [] };
  let point = origin;
  let opened = origin;
  /** Extends the path to (x, y), in a new part where `isNew`. */
  const extend = (matrix: Matrix, x: number, y: number, isNew: boolean): void => {
    const right = x * matrix[0] + y * matrix[2] + matrix[4];
    const down = x * matrix[1] + y * matrix[3] + matrix[5];
    const area = path.areas.at(-1);
    if (isNew || area === undefined) path.areas.push({ x0: right, y0: down, x1: right, y1: down });
    else {
      area.x0 = Math.min(area.x0, right);
      area.y0 = Math.min(area.y0, down);
      area.x1 = Math.max(area.x1, right);
      area.y1 = Math.max(area.y1, down);
    }
    point = { x, y };
  };
  const lineTo: Pen["lineTo"] = (matrix, x, y) => {
    const right = x - point.x;
    const down = y - point.y;
    const isUpright = Math.abs(matrix[0] * right + matrix[2] * down) < 1;
    const isFlat = Math.abs(matrix[1] * right + matrix[3] * down) < 1;
    if (isUpright || isFlat) path.strokes.push(segment(matrix, point.x, point.y, right, down));
    extend(matrix, x, y, false);
  };
  return {
    moveTo(matrix, x, y) {
      opened = { x, y };
      extend(matrix, x, y, true);
    },
    lineTo,
    curveTo(matrix, x, y) {
      drawing.curves++;
      extend(matrix, x, y, false);
    },
    close: (matrix) => lineTo(matrix, opened.x, opened.y),
    rectangle: (matrix, x, y, width, height) => path.rectangles.push(box(matrix, x, y, width, height)),
    paint(matrix, brushes, how) {
      leave(drawing, path, matrix, brushes, how);
      path = { rectangles: [], strokes: [], areas: [] };
    },
  };
}
