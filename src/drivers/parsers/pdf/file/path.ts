import { box, type Matrix, type Rectangle, segment } from "../../page/geometry.ts";
import type { Operands } from "./scan.ts";

/** A place on a page, points. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A path that is not painted yet. */
export interface Path {
  readonly rectangles: Rectangle[];
  /** Its straight lines along the page's axes. */
  readonly strokes: Rectangle[];
  /** What each of its parts encloses at most. */
  readonly areas: { x0: number; y0: number; x1: number; y1: number }[];
}

/** What paths leave on a page. */
export interface PathDrawing {
  /** Lines that are drawn. */
  readonly rules: Rectangle[];
  /** Areas that are filled. */
  readonly fills: Rectangle[];
  /** Areas that wide lines cover. */
  readonly bands: Rectangle[];
  curves: number;
}

/** What draws paths: a content stream while its operators are carried out. */
export interface Pen {
  readonly drawing: PathDrawing;
  readonly state: {
    readonly matrix: Matrix;
    readonly fill: { readonly isWhite: boolean };
    readonly stroke: { readonly isWhite: boolean };
    /** In units of the matrix. */
    readonly lineWidth: number;
  };
  path: Path;
  /** Where the path has come to, and where its current part began. */
  point: Point;
  opened: Point;
}

/** Most lines of a page that are looked at; beyond, what it fills is not known either. */
export const maxRules = 6000;
/** Thinnest rectangle that is an area rather than a line, points. */
const leastArea = 3.2;

/** One operand; 0 where it is missing. */
export function operand({ numbers }: Operands, index: number): number {
  return numbers[index] ?? 0;
}

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

/** A path without any part. */
export const emptyPath = (): Path => ({ rectangles: [], strokes: [], areas: [] });

/** Takes the path to (x, y), in a part of its own where `isNew`. */
function extendPath(pen: Pen, x: number, y: number, isNew: boolean): void {
  const { matrix } = pen.state;
  const right = x * matrix[0] + y * matrix[2] + matrix[4];
  const down = x * matrix[1] + y * matrix[3] + matrix[5];
  const area = pen.path.areas.at(-1);
  if (isNew || area === undefined) pen.path.areas.push({ x0: right, y0: down, x1: right, y1: down });
  else {
    area.x0 = Math.min(area.x0, right);
    area.y0 = Math.min(area.y0, down);
    area.x1 = Math.max(area.x1, right);
    area.y1 = Math.max(area.y1, down);
  }
  pen.point = { x, y };
}

/** Begins a part of the path. */
export function moveTo(pen: Pen, operands: Operands): void {
  pen.opened = { x: operand(operands, 0), y: operand(operands, 1) };
  extendPath(pen, pen.opened.x, pen.opened.y, true);
}

/** Draws a line on. */
export function lineTo(pen: Pen, x: number, y: number): void {
  const { matrix } = pen.state;
  const { point } = pen;
  const right = x - point.x;
  const down = y - point.y;
  const isUpright = Math.abs(matrix[0] * right + matrix[2] * down) < 1;
  const isFlat = Math.abs(matrix[1] * right + matrix[3] * down) < 1;
  if (isUpright || isFlat) pen.path.strokes.push(segment(matrix, point.x, point.y, right, down));
  extendPath(pen, x, y, false);
}

/** Draws a curve on, of which only the end counts. */
export function curveTo(pen: Pen, operands: Operands): void {
  pen.drawing.curves++;
  extendPath(pen, operand(operands, 4), operand(operands, 5), false);
}

/** Adds a rectangle to the path. */
export function addRectangle({ path, state }: Pen, operands: Operands): void {
  const width = operand(operands, 2);
  const height = operand(operands, 3);
  path.rectangles.push(box(state.matrix, operand(operands, 0), operand(operands, 1), width, height));
}

/** Notes what the path's lines cover where they are so wide that text can stand on them. */
function takeBands({ drawing, path, state }: Pen): void {
  const { matrix, lineWidth, stroke: color } = state;
  const width = lineWidth * Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]));
  if (width < leastArea || color.isWhite) return;
  for (const { x0, y0, x1, y1 } of path.strokes) {
    const [across, along] = x1 - x0 > y1 - y0 ? [0, width / 2] : [width / 2, 0];
    drawing.bands.push({ x0: x0 - across, y0: y0 - along, x1: x1 + across, y1: y1 + along });
  }
}

function paint(pen: Pen, stroked: boolean, filled: boolean): void {
  const { drawing, path } = pen;
  const visiblyFilled = filled && !pen.state.fill.isWhite;
  if (stroked) takeBands(pen);
  if (drawing.rules.length < maxRules) {
    for (const shape of path.rectangles) takeShape(drawing, shape, stroked, visiblyFilled);
    // A path's own lines count where they are drawn, the area it encloses where it is filled.
    if (stroked) drawing.rules.push(...path.strokes);
    else if (visiblyFilled) for (const area of path.areas) takeShape(drawing, area, false, true);
  }
  pen.path = emptyPath();
}

/** Draws the path's lines. */
export const stroke = (pen: Pen) => paint(pen, true, false);
/** Fills what the path encloses. */
export const fill = (pen: Pen) => paint(pen, false, true);
/** Does both. */
export const fillAndStroke = (pen: Pen) => paint(pen, true, true);
/** Drops the path undrawn. */
export const endPath = (pen: Pen) => paint(pen, false, false);
