import type { PageFacts, PlacedImage } from "../../page/drawing.ts";
import { box, type Matrix, multiply, type Rectangle, segment } from "../../page/geometry.ts";
import type { Dictionary, PdfValue } from "./lexer.ts";
import type { PdfObjects } from "./objects.ts";
import { type Operands, operatorCode, scanContent } from "./scan.ts";
import type { PageContent } from "./streams.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

interface GraphicsState {
  matrix: Matrix;
  /** How text is rendered: 3 and 7 draw nothing. */
  textMode: number;
  /** Whether what is filled now is white. */
  isWhite: boolean;
}

/** What a page is found to draw, over all its streams. */
interface Drawing {
  readonly rules: Rectangle[];
  readonly images: PlacedImage[];
  readonly fills: Rectangle[];
  readonly hidden: Point[];
  /** Where white text starts, with its length in bytes. */
  readonly whiteTexts: { readonly x: number; readonly y: number; readonly bytes: number }[];
  visibleBytes: number;
  hiddenBytes: number;
  curves: number;
  /** Operators that may still be looked at. */
  operatorsLeft: number;
}

/** A path that is not painted yet. */
interface Path {
  readonly rectangles: Rectangle[];
  /** Its straight lines along the page's axes. */
  readonly strokes: Rectangle[];
  /** What each of its parts encloses at most. */
  readonly areas: { x0: number; y0: number; x1: number; y1: number }[];
}

/** One content stream, the page's own or a form's, while its operators are carried out. */
interface Run {
  readonly objects: PdfObjects;
  readonly drawing: Drawing;
  readonly bytes: Uint8Array;
  readonly resources: PdfValue | undefined;
  /** What it may draw by name. */
  readonly xObjects: Dictionary | undefined;
  /** Forms that this one lies in. */
  readonly depth: number;
  state: GraphicsState;
  readonly stack: GraphicsState[];
  path: Path;
  /** Where the path has come to, and where its current part began. */
  point: Point;
  opened: Point;
  textLine: Matrix;
  leading: number;
}

const identity: Matrix = [1, 0, 0, 1, 0, 0];
/** Most operators of one page that are looked at; drawings of maps have millions. */
const maxOperators = 400_000;
const maxRules = 6000;
const maxStack = 200;
const maxFormDepth = 5;
/** Thinnest rectangle that is an area rather than a line, points. */
const leastArea = 3.2;

function operand({ numbers }: Operands, index: number): number {
  return numbers[index] ?? 0;
}

/** The six operands as a matrix; undefined where there are fewer. */
function operandMatrix(operands: Operands): Matrix | undefined {
  if (operands.count < 6) return undefined;
  return [
    operand(operands, 0),
    operand(operands, 1),
    operand(operands, 2),
    operand(operands, 3),
    operand(operands, 4),
    operand(operands, 5),
  ];
}

/** Six numbers as a matrix; undefined for anything else. */
function asMatrix(value: PdfValue | undefined): Matrix | undefined {
  const numbers = Array.isArray(value) ? value.filter((entry) => typeof entry === "number") : [];
  const [a, b, c, d, e, f] = numbers;
  if (a === undefined || b === undefined || c === undefined) return undefined;
  if (d === undefined || e === undefined || f === undefined) return undefined;
  return [a, b, c, d, e, f];
}

/** Whether the operands of a colour operator say white. */
function saysWhite({ numbers, count }: Operands): boolean {
  for (let index = 0; index < count; index++) {
    const value = numbers[index] ?? 0;
    // Four numbers say how much ink, fewer how much light.
    if (count === 4 ? value > 0.04 : value < 0.96) return false;
  }
  return count > 0;
}

/**
 * Sorts a drawn shape into lines and areas: a thin one is a line, a framed one four lines, a filled one an
 * area.
 */
function takeShape({ rules, fills }: Drawing, shape: Rectangle, stroked: boolean, filled: boolean): void {
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

const emptyPath = (): Path => ({ rectangles: [], strokes: [], areas: [] });

/** Takes the path to (x, y), in a part of its own where `isNew`. */
function extendPath(run: Run, x: number, y: number, isNew: boolean): void {
  const { matrix } = run.state;
  const right = x * matrix[0] + y * matrix[2] + matrix[4];
  const down = x * matrix[1] + y * matrix[3] + matrix[5];
  const area = run.path.areas.at(-1);
  if (isNew || area === undefined) run.path.areas.push({ x0: right, y0: down, x1: right, y1: down });
  else {
    area.x0 = Math.min(area.x0, right);
    area.y0 = Math.min(area.y0, down);
    area.x1 = Math.max(area.x1, right);
    area.y1 = Math.max(area.y1, down);
  }
  run.point = { x, y };
}

function moveTo(run: Run, operands: Operands): void {
  run.opened = { x: operand(operands, 0), y: operand(operands, 1) };
  extendPath(run, run.opened.x, run.opened.y, true);
}

function lineTo(run: Run, x: number, y: number): void {
  const { matrix } = run.state;
  const { point } = run;
  const right = x - point.x;
  const down = y - point.y;
  const isUpright = Math.abs(matrix[0] * right + matrix[2] * down) < 1;
  const isFlat = Math.abs(matrix[1] * right + matrix[3] * down) < 1;
  if (isUpright || isFlat) run.path.strokes.push(segment(matrix, point.x, point.y, right, down));
  extendPath(run, x, y, false);
}

function curveTo(run: Run, operands: Operands): void {
  run.drawing.curves++;
  extendPath(run, operand(operands, 4), operand(operands, 5), false);
}

function addRectangle({ path, state }: Run, operands: Operands): void {
  const width = operand(operands, 2);
  const height = operand(operands, 3);
  path.rectangles.push(box(state.matrix, operand(operands, 0), operand(operands, 1), width, height));
}

function paint(run: Run, stroked: boolean, filled: boolean): void {
  const { drawing, path } = run;
  const visiblyFilled = filled && !run.state.isWhite;
  if (drawing.rules.length < maxRules) {
    for (const shape of path.rectangles) takeShape(drawing, shape, stroked, visiblyFilled);
    // A path's own lines count where they are drawn, the area it encloses where it is filled.
    if (stroked) drawing.rules.push(...path.strokes);
    else if (visiblyFilled) for (const area of path.areas) takeShape(drawing, area, false, true);
  }
  run.path = emptyPath();
}

const stroke = (run: Run) => paint(run, true, false);
const fill = (run: Run) => paint(run, false, true);
const fillAndStroke = (run: Run) => paint(run, true, true);
const endPath = (run: Run) => paint(run, false, false);

/** A shading fills what the clip leaves; where that is does not matter here. */
function shade({ drawing }: Run): void {
  drawing.fills.push({ x0: -1e5, y0: -1e5, x1: 1e5, y1: 1e5 });
}

function showText({ drawing, state, textLine }: Run, { textBytes }: Operands): void {
  const isHidden = state.textMode === 3 || state.textMode === 7;
  if (isHidden) drawing.hiddenBytes += textBytes;
  else drawing.visibleBytes += textBytes;
  if (!isHidden && (!state.isWhite || state.textMode === 1)) return;
  const place = multiply(textLine, state.matrix);
  if (isHidden) drawing.hidden.push({ x: place[4], y: place[5] });
  else drawing.whiteTexts.push({ x: place[4], y: place[5], bytes: textBytes });
}

function moveText(run: Run, x: number, y: number): void {
  const [a, b, c, d, e, f] = run.textLine;
  run.textLine = [a, b, c, d, x * a + y * c + e, x * b + y * d + f];
}

const nextLine = (run: Run) => moveText(run, 0, -run.leading);

function showOnNextLine(run: Run, operands: Operands): void {
  nextLine(run);
  showText(run, operands);
}

function save({ stack, state }: Run): void {
  if (stack.length < maxStack) stack.push({ ...state });
}

function restore(run: Run): void {
  run.state = run.stack.pop() ?? run.state;
}

function transform({ state }: Run, operands: Operands): void {
  const matrix = operandMatrix(operands);
  if (matrix !== undefined) state.matrix = multiply(matrix, state.matrix);
}

function setColor({ state }: Run, operands: Operands): void {
  state.isWhite = saysWhite(operands);
}

function placeImage(
  { drawing, state }: Run,
  width: PdfValue | undefined,
  height: PdfValue | undefined,
): void {
  drawing.images.push({
    ...box(state.matrix, 0, 0, 1, 1),
    width: typeof width === "number" ? width : 0,
    height: typeof height === "number" ? height : 0,
  });
}

function drawForm(run: Run, form: Dictionary, reference: PdfValue | undefined): void {
  const { objects, state, depth } = run;
  const bytes = depth < maxFormDepth ? objects.stream(reference) : undefined;
  if (bytes === undefined) return;
  const matrix = asMatrix(objects.resolve(form.get("/Matrix"))) ?? identity;
  const inner = { ...state, matrix: multiply(matrix, state.matrix) };
  runStream(run, bytes, form.get("/Resources") ?? run.resources, inner, depth + 1);
}

/** Draws the image or form that the operand names. */
function drawObject(run: Run, { nameAt, nameEnd }: Operands): void {
  if (nameAt < 0) return;
  const { objects, xObjects } = run;
  const name = Buffer.from(run.bytes.subarray(nameAt, nameEnd)).toString("latin1");
  const reference = xObjects?.get(name);
  const object = objects.dictionary(reference);
  if (object === undefined) return;
  const subtype = objects.resolve(object.get("/Subtype"));
  if (subtype === "/Form") drawForm(run, object, reference);
  else if (subtype === "/Image")
    placeImage(run, objects.resolve(object.get("/Width")), objects.resolve(object.get("/Height")));
}

type Handler = (run: Run, operands: Operands) => void;

/** Operators that decide what is drawn where. Source: ISO 32000-2, annex A. */
const operators: Readonly<Record<string, Handler>> = {
  q: save,
  Q: restore,
  cm: transform,
  m: moveTo,
  l: (run, operands) => lineTo(run, operand(operands, 0), operand(operands, 1)),
  h: (run) => lineTo(run, run.opened.x, run.opened.y),
  c: curveTo,
  re: addRectangle,
  S: stroke,
  s: stroke,
  B: fillAndStroke,
  "B*": fillAndStroke,
  b: fillAndStroke,
  "b*": fillAndStroke,
  f: fill,
  F: fill,
  "f*": fill,
  n: endPath,
  sh: shade,
  g: setColor,
  rg: setColor,
  k: setColor,
  sc: setColor,
  scn: setColor,
  cs: ({ state }) => {
    state.isWhite = false;
  },
  BT: (run) => {
    run.textLine = identity;
  },
  Tm: (run, operands) => {
    run.textLine = operandMatrix(operands) ?? run.textLine;
  },
  Td: (run, operands) => moveText(run, operand(operands, 0), operand(operands, 1)),
  TD: (run, operands) => {
    run.leading = -operand(operands, 1);
    moveText(run, operand(operands, 0), operand(operands, 1));
  },
  TL: (run, operands) => {
    run.leading = operand(operands, 0);
  },
  Tr: ({ state }, operands) => {
    state.textMode = operand(operands, 0);
  },
  "T*": nextLine,
  Tj: showText,
  TJ: showText,
  "'": showOnNextLine,
  '"': showOnNextLine,
  Do: drawObject,
  ID: (run) => placeImage(run, undefined, undefined),
};

const handlers = new Map(
  Object.entries(operators).map(([letters, handler]) => [operatorCode(letters), handler]),
);

function runStream(
  { objects, drawing }: Pick<Run, "objects" | "drawing">,
  bytes: Uint8Array,
  resources: PdfValue | undefined,
  state: GraphicsState,
  depth: number,
): void {
  const origin: Point = { x: 0, y: 0 };
  const run: Run = {
    objects,
    drawing,
    bytes,
    resources,
    xObjects: objects.dictionary(objects.dictionary(resources)?.get("/XObject")),
    depth,
    state,
    stack: [],
    path: emptyPath(),
    point: origin,
    opened: origin,
    textLine: identity,
    leading: 0,
  };
  drawing.operatorsLeft -= scanContent(bytes, drawing.operatorsLeft, (code, operands) =>
    handlers.get(code)?.(run, operands),
  );
}

function covers({ x0, y0, x1, y1 }: Rectangle, { x, y }: Point): boolean {
  return x >= x0 - 2 && x <= x1 + 2 && y >= y0 - 2 && y <= y1 + 2;
}

/** White text with nothing dark below it counts as hidden. */
function hideWhiteTexts(drawing: Drawing): void {
  const { fills, images, hidden, whiteTexts } = drawing;
  for (const text of whiteTexts) {
    if (fills.some((area) => covers(area, text)) || images.some((area) => covers(area, text))) continue;
    hidden.push({ x: text.x, y: text.y });
    drawing.visibleBytes -= text.bytes;
    drawing.hiddenBytes += text.bytes;
  }
}

/** Reads what the page draws; `viewport` turns its coordinates into those shown. */
export function readDrawing(
  objects: PdfObjects,
  { bytes, resources }: PageContent,
  viewport: Matrix,
): PageFacts {
  const drawing: Drawing = {
    rules: [],
    images: [],
    fills: [],
    hidden: [],
    whiteTexts: [],
    visibleBytes: 0,
    hiddenBytes: 0,
    curves: 0,
    operatorsLeft: maxOperators,
  };
  runStream({ objects, drawing }, bytes, resources, { matrix: viewport, textMode: 0, isWhite: false }, 0);
  hideWhiteTexts(drawing);
  const { rules, images, fills, hidden, visibleBytes, hiddenBytes, curves } = drawing;
  return { rules, images, fills, hidden, visibleBytes, hiddenBytes, curves };
}
