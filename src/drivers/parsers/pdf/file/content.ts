import type { PageFacts, PlacedImage } from "../../page/drawing.ts";
import { box, type Matrix, multiply, type Rectangle } from "../../page/geometry.ts";
import { type ColorSpace, cmyk, gray, readColorSpace, rgb } from "./colors.ts";
import { drawsByNumber } from "./fonts.ts";
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
  maxRules,
  moveTo,
  operand,
  type PathDrawing,
  type Pen,
  type Point,
  stroke,
} from "./path.ts";
import { type Operands, operatorCode, scanContent } from "./scan.ts";
import type { PageContent } from "./streams.ts";

/** The colour that is painted with; what is not known to be white can be seen. */
interface Paint {
  readonly space: ColorSpace | undefined;
  readonly isWhite: boolean;
}

interface GraphicsState {
  matrix: Matrix;
  /** How text is rendered: 3 draws nothing, 7 leaves what is painted later in its shape. */
  textMode: number;
  fill: Paint;
  stroke: Paint;
  lineWidth: number;
  /** Whether the font says which letters its glyphs are. */
  isMapped: boolean;
}

/** Where text starts, with its length in bytes; `pale` is to be seen only where something lies below it. */
interface ShownText extends Point {
  readonly bytes: number;
  readonly look: "visible" | "pale" | "unseen";
  readonly isMapped: boolean;
}

/** What a page is found to draw, over all its streams. */
interface Drawing extends PathDrawing {
  readonly images: PlacedImage[];
  readonly texts: ShownText[];
  /** Whether a part of what is drawn could not be looked at. */
  isPartial: boolean;
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
  /** Colour spaces that it has used, by name. */
  readonly spaces: Map<string, ColorSpace | undefined>;
  /** Whether fonts that it has used say which letters they draw, by name. */
  readonly fonts: Map<string, boolean>;
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

/** A shading fills what the clip leaves; where that is does not matter here. */
function shade({ drawing }: Run): void {
  drawing.fills.push({ x0: -1e5, y0: -1e5, x1: 1e5, y1: 1e5 });
}

function lookOf({ textMode, fill, stroke }: GraphicsState): ShownText["look"] {
  const outline = textMode % 4;
  if (outline === 3) return textMode === 3 ? "unseen" : "pale";
  const isPale = (outline === 1 || fill.isWhite) && (outline === 0 || stroke.isWhite);
  return isPale ? "pale" : "visible";
}

function showText({ drawing, state, textLine }: Run, { textBytes }: Operands): void {
  const [, , , , x, y] = multiply(textLine, state.matrix);
  drawing.texts.push({ x, y, bytes: textBytes, look: lookOf(state), isMapped: state.isMapped });
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

/** The last name before an operator, with its slash; "" where there is none. */
function operandName({ bytes }: Run, { nameAt, nameEnd }: Operands): string {
  return nameAt < 0 ? "" : Buffer.from(bytes.subarray(nameAt, nameEnd)).toString("latin1");
}

type Handler = (run: Run, operands: Operands) => void;
type Brush = "fill" | "stroke";

const setSpace =
  (brush: Brush): Handler =>
  (run, operands) => {
    const { objects, spaces } = run;
    const name = operandName(run, operands);
    if (!spaces.has(name)) {
      const own = objects.dictionary(objects.dictionary(run.resources)?.get("/ColorSpace"))?.get(name);
      spaces.set(name, readColorSpace(objects, own ?? name));
    }
    run.state[brush] = { space: spaces.get(name), isWhite: false };
  };

const setColor =
  (brush: Brush, device?: ColorSpace): Handler =>
  ({ state }, { numbers, count, nameAt }) => {
    const space = device ?? state[brush].space;
    // A name is that of a pattern.
    const isColor = space !== undefined && nameAt < 0 && count >= space.components;
    state[brush] = { space, isWhite: isColor && space.isWhite(numbers) };
  };

function setFont(run: Run, operands: Operands): void {
  const { objects, fonts } = run;
  const name = operandName(run, operands);
  if (!fonts.has(name)) {
    const own = objects.dictionary(objects.dictionary(run.resources)?.get("/Font"))?.get(name);
    fonts.set(name, !drawsByNumber(objects, own));
  }
  run.state.isMapped = fonts.get(name) ?? true;
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
  if (bytes === undefined) {
    run.drawing.isPartial = true;
    return;
  }
  const matrix = asMatrix(objects.resolve(form.get("/Matrix"))) ?? identity;
  const inner = { ...state, matrix: multiply(matrix, state.matrix) };
  runStream(run, bytes, form.get("/Resources") ?? run.resources, inner, depth + 1);
}

/** Draws the image or form that the operand names. */
function drawObject(run: Run, operands: Operands): void {
  const { objects, xObjects } = run;
  const reference = xObjects?.get(operandName(run, operands));
  const object = objects.dictionary(reference);
  if (object === undefined) return;
  const subtype = objects.resolve(object.get("/Subtype"));
  if (subtype === "/Form") drawForm(run, object, reference);
  else if (subtype === "/Image")
    placeImage(run, objects.resolve(object.get("/Width")), objects.resolve(object.get("/Height")));
}

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
  w: ({ state }, operands) => {
    state.lineWidth = operand(operands, 0);
  },
  g: setColor("fill", gray),
  rg: setColor("fill", rgb),
  k: setColor("fill", cmyk),
  cs: setSpace("fill"),
  sc: setColor("fill"),
  scn: setColor("fill"),
  G: setColor("stroke", gray),
  RG: setColor("stroke", rgb),
  K: setColor("stroke", cmyk),
  CS: setSpace("stroke"),
  SC: setColor("stroke"),
  SCN: setColor("stroke"),
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
  Tf: setFont,
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
    spaces: new Map(),
    fonts: new Map(),
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

/** The texts with pale ones decided: visible where something lies below, or where that is not known. */
function decideTexts({ rules, fills, bands, images, texts, isPartial, operatorsLeft }: Drawing): ShownText[] {
  const isKnown = !isPartial && operatorsLeft > 0 && Math.max(rules.length, fills.length) < maxRules;
  const areas = isKnown ? [...fills, ...bands, ...images] : [];
  return texts.map((text) => {
    if (text.look !== "pale") return text;
    const isSeen = !isKnown || areas.some((area) => covers(area, text));
    return { ...text, look: isSeen ? "visible" : "unseen" };
  });
}

const bytesOf = (texts: readonly ShownText[]): number => texts.reduce((sum, { bytes }) => sum + bytes, 0);

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
    bands: [],
    texts: [],
    curves: 0,
    isPartial: false,
    operatorsLeft: maxOperators,
  };
  const paint: Paint = { space: gray, isWhite: false };
  const state = { matrix: viewport, textMode: 0, fill: paint, stroke: paint, lineWidth: 1, isMapped: true };
  runStream({ objects, drawing }, bytes, resources, state, 0);
  const texts = decideTexts(drawing);
  const hidden = texts.filter(({ look }) => look === "unseen");
  const visible = texts.filter(({ look }) => look === "visible");
  const { rules, images, fills, curves } = drawing;
  const [visibleBytes, hiddenBytes] = [bytesOf(visible), bytesOf(hidden)];
  return { rules, images, fills, hidden, visible, visibleBytes, hiddenBytes, curves };
}
