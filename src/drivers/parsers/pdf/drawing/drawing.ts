import type { PageFacts, PlacedImage } from "../../page/drawing.ts";
import { box, type Matrix, multiply, type Rectangle } from "../../page/geometry.ts";
import { openLayers } from "./layers.ts";
import {
  type Brushes,
  createPathTracer,
  maxRules,
  type Painting,
  type PathDrawing,
  type Pen,
  type Point,
} from "./path.ts";
import {
  type ColorSpace,
  type Dict,
  type FileStream,
  isDict,
  isStream,
  nameOf,
  type TextState,
} from "./pdfjs.ts";

/** What pdf.js keeps of neither fills nor lines, as it reads text only. */
interface Drawn {
  /** Rendering mode of text: 3 draws nothing, 7 makes the text a clip for later painting. */
  readonly textMode: number;
  readonly fill: Paint;
  readonly stroke: Paint;
  readonly lineWidth: number;
}

/** The colours of painting; a colour not known to be white is visible. */
interface Paint {
  /** Undefined for patterns and for one that cannot be read. */
  readonly space: ColorSpace | "device" | undefined;
  readonly isWhite: boolean;
}

/** Start of a text, with its length in bytes; `pale` is visible only where something is below it. */
interface ShownText extends Point {
  readonly bytes: number;
  readonly look: "visible" | "pale" | "unseen";
}

/** Resources of a content stream, the page's own or a form's. */
export interface StreamParts {
  readonly resources: Dict;
  /** @throws where the space cannot be read */
  colorSpace(name: unknown): ColorSpace;
}

/** Takes one operator of a stream, its operands and the state it finds; true where it shows nothing. */
export type Draw = (operator: number, operands: readonly unknown[], state: TextState) => boolean;

/** A page's drawing, gathered while pdf.js reads its text. */
export interface PageDrawing {
  /** How much has been drawn so far. */
  readonly size: number;
  open(parts: StreamParts): Draw;
  /** The drawing as facts; `viewport` transforms the page's coordinates to the displayed ones. */
  facts(viewport: Matrix): PageFacts;
}

/** The drawing of a page, over all its streams, in its own coordinates. */
interface Drawing extends PathDrawing {
  readonly images: PlacedImage[];
  readonly texts: ShownText[];
  /** Whether a part of the drawing could not be examined. */
  isPartial: boolean;
  /** Operators that may still be looked at. */
  operatorsLeft: number;
  /** Bytes of text in layers that are off. */
  layerBytes: number;
}

/** One content stream while its operators are carried out. */
interface Run {
  readonly parts: StreamParts;
  readonly drawing: Drawing;
  readonly pen: Pen;
  /** What it has used by name. */
  readonly spaces: Map<string, Paint["space"]>;
  readonly objects: Map<string, FileStream | undefined>;
}

/** Most operators of one page that are looked at; drawings of maps have millions. */
const maxOperators = 400_000;

const black: Paint = { space: "device", isWhite: false };
const initial: Drawn = { textMode: 0, fill: black, stroke: black, lineWidth: 1 };
// Only `set` below writes the member.
const drawnOf = ({ drawn }: TextState): Drawn => (drawn as Drawn | undefined) ?? initial;

function set(state: TextState, changed: Partial<Drawn>): void {
  state.drawn = { ...drawnOf(state), ...changed };
}

const numberAt = (operands: readonly unknown[], index: number): number => {
  const value = operands[index];
  return typeof value === "number" ? value : 0;
};

const matrixOf = ({ ctm }: TextState): Matrix => [
  ctm[0] ?? 1,
  ctm[1] ?? 0,
  ctm[2] ?? 0,
  ctm[3] ?? 1,
  ctm[4] ?? 0,
  ctm[5] ?? 0,
];

/** Least light, and most ink, of a colour that counts as white. */
const light = 0.96;
const ink = 0.04;
/** Whether the numbers of a device are white, by how many there are: light, or four inks. */
const isDeviceWhite = (color: readonly number[]): boolean =>
  color.length === 4 ? color.every((each) => each <= ink) : color.every((each) => each >= light);

function isWhiteIn(space: Paint["space"], color: readonly number[]): boolean {
  if (space === "device") return color.length > 0 && isDeviceWhite(color);
  if (space === undefined || color.length < space.numComps) return false;
  const { 0: red = 0, 1: green = 0, 2: blue = 0 } = space.getRgb(color, 0);
  return Math.min(red, green, blue) >= light * 255;
}

type Brush = "fill" | "stroke";
type Handler = (run: Run, operands: readonly unknown[], state: TextState) => void;

/** Colour spaces that need no entry in the resources. */
const deviceSpaces = new Set(["DeviceGray", "DeviceRGB", "DeviceCMYK"]);

/**
 * The space of a name; undefined where the stream has none, or it cannot be read: its colours are all
 * visible.
 */
function spaceOf({ resources, colorSpace }: StreamParts, name: unknown): Paint["space"] {
  const named = resources.get("ColorSpace");
  if (!deviceSpaces.has(nameOf(name)) && !(isDict(named) && named.has(nameOf(name)))) return undefined;
  try {
    const space = colorSpace(name);
    // Calibrated and device colours differ by less than the tolerance for white.
    return space.name.startsWith("Cal") ? "device" : space;
  } catch {
    return undefined;
  }
}

const setSpace =
  (brush: Brush): Handler =>
  ({ parts, spaces }, [name], state) => {
    const key = nameOf(name);
    if (!spaces.has(key)) spaces.set(key, spaceOf(parts, name));
    set(state, { [brush]: { space: spaces.get(key), isWhite: false } });
  };

const setColor =
  (brush: Brush, device?: "device"): Handler =>
  (_, operands, state) => {
    const space = device ?? drawnOf(state)[brush].space;
    const color = operands.filter((each) => typeof each === "number");
    // A name is that of a pattern.
    const isWhite = color.length === operands.length && isWhiteIn(space, color);
    set(state, { [brush]: { space, isWhite } });
  };

function lookOf({ textMode, fill, stroke }: Drawn): ShownText["look"] {
  const outline = textMode % 4;
  if (outline === 3) return textMode === 3 ? "unseen" : "pale";
  const isPale = (outline === 1 || fill.isWhite) && (outline === 0 || stroke.isWhite);
  return isPale ? "pale" : "visible";
}

const bytesOfText = (value: unknown): number =>
  typeof value === "string"
    ? value.length
    : Array.isArray(value)
      ? value.reduce((sum: number, each) => sum + (typeof each === "string" ? each.length : 0), 0)
      : 0;

/** Notes text that starts so far below its line. */
function showText(
  { drawing }: Run,
  operands: readonly unknown[],
  state: TextState,
  isNextLine = false,
): void {
  const { textMatrix, textLineMatrix, leading, textRise } = state;
  const [from, rise] = isNextLine ? [textLineMatrix, textRise - leading] : [textMatrix, textRise];
  const right = (from[2] ?? 0) * rise + (from[4] ?? 0);
  const up = (from[3] ?? 0) * rise + (from[5] ?? 0);
  const [, , , , x, y] = multiply([1, 0, 0, 1, right, up], matrixOf(state));
  const bytes = bytesOfText(operands.at(-1));
  drawing.texts.push({ x, y, bytes, look: lookOf(drawnOf(state)) });
}

function placeImage({ drawing }: Run, state: TextState, image?: Dict): void {
  const [width, height] = [image?.get("Width"), image?.get("Height")];
  drawing.images.push({
    ...box(matrixOf(state), 0, 0, 1, 1),
    width: typeof width === "number" ? width : 0,
    height: typeof height === "number" ? height : 0,
  });
}

/** The image or form that an operand names; undefined where the stream has none. */
function objectOf({ parts, objects }: Run, [operand]: readonly unknown[]): FileStream | undefined {
  const name = nameOf(operand);
  if (!objects.has(name)) {
    const all = parts.resources.get("XObject");
    const object = isDict(all) ? all.get(name) : undefined;
    objects.set(name, isStream(object) ? object : undefined);
  }
  return objects.get(name);
}

/** Draws the image that the operand names; pdf.js itself goes into forms. */
function drawObject(run: Run, operands: readonly unknown[], state: TextState): void {
  const { drawing } = run;
  const dict = objectOf(run, operands)?.dict;
  if (dict === undefined) drawing.isPartial = true;
  else if (nameOf(dict.get("Subtype")) === "Image") placeImage(run, state, dict);
}

const paint =
  (how: Painting): Handler =>
  ({ pen }, _, state) => {
    const { fill, stroke, lineWidth } = drawnOf(state);
    const brushes: Brushes = { isFillWhite: fill.isWhite, isStrokeWhite: stroke.isWhite, lineWidth };
    pen.paint(matrixOf(state), brushes, how);
  };

/** Handlers of the operators that decide what is drawn where, by pdf.js's names. */
const handlers: Readonly<Record<string, Handler>> = {
  moveTo: ({ pen }, operands, state) =>
    pen.moveTo(matrixOf(state), numberAt(operands, 0), numberAt(operands, 1)),
  lineTo: ({ pen }, operands, state) =>
    pen.lineTo(matrixOf(state), numberAt(operands, 0), numberAt(operands, 1)),
  closePath: ({ pen }, _, state) => pen.close(matrixOf(state)),
  curveTo: ({ pen }, operands, state) =>
    pen.curveTo(matrixOf(state), numberAt(operands, 4), numberAt(operands, 5)),
  rectangle: ({ pen }, operands, state) => {
    const [width, height] = [numberAt(operands, 2), numberAt(operands, 3)];
    pen.rectangle(matrixOf(state), numberAt(operands, 0), numberAt(operands, 1), width, height);
  },
  stroke: paint({ stroked: true }),
  closeStroke: paint({ stroked: true }),
  fillStroke: paint({ stroked: true, filled: true }),
  eoFillStroke: paint({ stroked: true, filled: true }),
  closeFillStroke: paint({ stroked: true, filled: true }),
  closeEOFillStroke: paint({ stroked: true, filled: true }),
  fill: paint({ filled: true }),
  eoFill: paint({ filled: true }),
  endPath: paint({}),
  // A shading fills the clip, whose place does not matter here.
  shadingFill: ({ drawing }) => drawing.fills.push({ x0: -1e5, y0: -1e5, x1: 1e5, y1: 1e5 }),
  setLineWidth: (_, operands, state) => set(state, { lineWidth: numberAt(operands, 0) }),
  setFillGray: setColor("fill", "device"),
  setFillRGBColor: setColor("fill", "device"),
  setFillCMYKColor: setColor("fill", "device"),
  setFillColorSpace: setSpace("fill"),
  setFillColor: setColor("fill"),
  setFillColorN: setColor("fill"),
  setStrokeGray: setColor("stroke", "device"),
  setStrokeRGBColor: setColor("stroke", "device"),
  setStrokeCMYKColor: setColor("stroke", "device"),
  setStrokeColorSpace: setSpace("stroke"),
  setStrokeColor: setColor("stroke"),
  setStrokeColorN: setColor("stroke"),
  setTextRenderingMode: (_, operands, state) => set(state, { textMode: numberAt(operands, 0) }),
  showText,
  showSpacedText: showText,
  nextLineShowText: (run, operands, state) => showText(run, operands, state, true),
  nextLineSetSpacingShowText: (run, operands, state) => showText(run, operands, state, true),
  paintXObject: drawObject,
  endInlineImage: (run, _, state) => placeImage(run, state),
};

function covers({ x0, y0, x1, y1 }: Rectangle, { x, y }: Point): boolean {
  return x >= x0 - 2 && x <= x1 + 2 && y >= y0 - 2 && y <= y1 + 2;
}

/**
 * Decides whether pale texts are visible: they are where something is below them, or where that is not known.
 */
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

/** The same places as a page shows them. */
const placed = <T extends Rectangle>(areas: readonly T[], viewport: Matrix): T[] =>
  areas.map((area) => ({
    ...area,
    ...box(viewport, area.x0, area.y0, area.x1 - area.x0, area.y1 - area.y0),
  }));

function factsOf(drawing: Drawing, viewport: Matrix): PageFacts {
  const texts = decideTexts(drawing).map((text) => {
    const [, , , , x, y] = multiply([1, 0, 0, 1, text.x, text.y], viewport);
    return { ...text, x, y };
  });
  const hidden = texts.filter(({ look }) => look === "unseen");
  const visible = texts.filter(({ look }) => look === "visible");
  return {
    rules: placed(drawing.rules, viewport),
    images: placed(drawing.images, viewport),
    fills: placed(drawing.fills, viewport),
    hidden,
    visible,
    visibleBytes: bytesOf(visible),
    hiddenBytes: bytesOf(hidden),
    layerBytes: drawing.layerBytes,
    curves: drawing.curves,
  };
}

const noBrushes: Brushes = { isFillWhite: true, isStrokeWhite: true, lineWidth: 1 };

/** Gathers the drawing of a page; `codes` are pdf.js's numbers of its operators, `catalog` the file's root. */
export function createDrawingCollector(codes: Readonly<Record<string, number>>, catalog?: Dict): PageDrawing {
  const byCode = new Map(Object.entries(handlers).map(([name, handler]) => [codes[name], handler]));
  const layers = openLayers(codes, catalog);
  const drawing: Drawing = {
    rules: [],
    images: [],
    fills: [],
    bands: [],
    texts: [],
    curves: 0,
    isPartial: false,
    operatorsLeft: maxOperators,
    layerBytes: 0,
  };
  return {
    get size() {
      const { rules, images, fills, bands, texts, curves } = drawing;
      return rules.length + images.length + fills.length + bands.length + texts.length + curves;
    },
    open(parts) {
      const run: Run = {
        parts,
        drawing,
        pen: createPathTracer(drawing),
        spaces: new Map(),
        objects: new Map(),
      };
      const unseen = layers.open(parts.resources, (operands) => objectOf(run, operands)?.dict);
      return (operator, operands, state) => {
        const isText = unseen(operator, operands);
        if (isText !== undefined) {
          // A path that is not painted ends all the same.
          run.pen.paint(matrixOf(state), noBrushes, {});
          drawing.layerBytes += isText ? bytesOfText(operands.at(-1)) : 0;
          return true;
        }
        if (drawing.operatorsLeft <= 0) return false;
        drawing.operatorsLeft--;
        byCode.get(operator)?.(run, operands, state);
        return false;
      };
    },
    facts: (viewport) => factsOf(drawing, viewport),
  };
}
