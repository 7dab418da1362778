import type { PageFacts, PlacedImage } from "../../page/drawing.ts";
import { box, type Matrix, multiply, type Rectangle } from "../../page/geometry.ts";
import type { Dictionary, PdfValue } from "./lexer.ts";
import type { PdfObjects } from "./objects.ts";
import {
  addRectangle,
  curveTo,
  emptyPath,
  endPath,
  fill,
  fillAndStroke,
  lineTo,
  moveTo,
  operand,
  type PathDrawing,
  type Pen,
  type Point,
  stroke,
} from "./path.ts";
import { type Operands, operatorCode, scanContent } from "./scan.ts";
import type { PageContent } from "./streams.ts";

interface GraphicsState {
  matrix: Matrix;
  /** How text is rendered: 3 and 7 draw nothing. */
  textMode: number;
  /** Whether what is filled now is white. */
  isWhite: boolean;
}

/** What a page is found to draw, over all its streams. */
interface Drawing extends PathDrawing {
  readonly images: PlacedImage[];
  readonly hidden: Point[];
  /** Where white text starts, with its length in bytes. */
  readonly whiteTexts: { readonly x: number; readonly y: number; readonly bytes: number }[];
  visibleBytes: number;
  hiddenBytes: number;
  /** Operators that may still be looked at. */
  operatorsLeft: number;
}

/** One content stream, the page's own or a form's, while its operators are carried out. */
interface Run extends Pen {
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
  textLine: Matrix;
  leading: number;
}

const identity: Matrix = [1, 0, 0, 1, 0, 0];
/** Most operators of one page that are looked at; drawings of maps have millions. */
const maxOperators = 400_000;
const maxStack = 200;
const maxFormDepth = 5;

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
