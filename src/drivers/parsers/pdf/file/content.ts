import type { PageFacts, PlacedImage } from "../../page/drawing.ts";
import { box, type Matrix, multiply, type Rectangle, segment } from "../../page/geometry.ts";
import type { PdfValue } from "./lexer.ts";
import type { PdfObjects } from "./objects.ts";
import { op } from "./operators.ts";
import { scanContent } from "./scan.ts";
import { asMatrix, isWhite, takeShape } from "./shapes.ts";
import type { PageContent } from "./streams.ts";

interface State {
  matrix: Matrix;
  mode: number;
  white: boolean;
}

const identity: Matrix = [1, 0, 0, 1, 0, 0];
/** Most operators of one page that are looked at; drawings of maps have millions. */
const maxOperators = 400_000;
const maxRules = 6000;

/** Reads what the page draws; `viewport` turns its coordinates into those shown. */
export function readFacts(
  objects: PdfObjects,
  { bytes: content, resources }: PageContent,
  viewport: Matrix,
): PageFacts {
  const rules: Rectangle[] = [];
  const images: PlacedImage[] = [];
  const fills: Rectangle[] = [];
  const hidden: { x: number; y: number }[] = [];
  const whites: { x: number; y: number; bytes: number }[] = [];
  let visibleBytes = 0;
  let hiddenBytes = 0;
  let curves = 0;
  let left = maxOperators;

  const run = (bytes: Uint8Array, own: PdfValue | undefined, start: State, depth: number): void => {
    const xObjects = objects.dictionary(objects.dictionary(own)?.get("/XObject"));
    const stack: State[] = [];
    let state = { ...start };
    let shapes: Rectangle[] = [];
    let strokes: Rectangle[] = [];
    let areas: { x0: number; y0: number; x1: number; y1: number }[] = [];
    let line: Matrix = identity;
    let leading = 0;
    let point = { x: 0, y: 0 };
    let opened = point;
    const reach = (x: number, y: number, isNew: boolean) => {
      const { matrix } = state;
      const right = x * matrix[0] + y * matrix[2] + matrix[4];
      const down = x * matrix[1] + y * matrix[3] + matrix[5];
      const area = areas.at(-1);
      if (isNew || area === undefined) areas.push({ x0: right, y0: down, x1: right, y1: down });
      else {
        area.x0 = Math.min(area.x0, right);
        area.y0 = Math.min(area.y0, down);
        area.x1 = Math.max(area.x1, right);
        area.y1 = Math.max(area.y1, down);
      }
      point = { x, y };
    };
    const lineTo = (x: number, y: number) => {
      const { matrix } = state;
      const right = x - point.x;
      const down = y - point.y;
      if (
        Math.abs(matrix[0] * right + matrix[2] * down) < 1 ||
        Math.abs(matrix[1] * right + matrix[3] * down) < 1
      )
        strokes.push(segment(matrix, point.x, point.y, right, down));
      reach(x, y, false);
    };
    const show = (length: number) => {
      const isHidden = state.mode === 3 || state.mode === 7;
      if (!isHidden && !state.white) {
        visibleBytes += length;
        return;
      }
      const [, , , , x, y] = multiply(line, state.matrix);
      if (isHidden) {
        hiddenBytes += length;
        hidden.push({ x, y });
      } else {
        visibleBytes += length;
        if (state.mode !== 1) whites.push({ x, y, bytes: length });
      }
    };
    const draw = (name: string) => {
      const reference = xObjects?.get(name);
      const found = objects.dictionary(reference);
      const kind = objects.resolve(found?.get("/Subtype"));
      if (found === undefined) return;
      if (kind === "/Image") {
        const [width, height] = [objects.resolve(found.get("/Width")), objects.resolve(found.get("/Height"))];
        images.push({
          ...box(state.matrix, 0, 0, 1, 1),
          width: typeof width === "number" ? width : 0,
          height: typeof height === "number" ? height : 0,
        });
      } else if (kind === "/Form" && depth < 5) {
        const inner = objects.stream(reference);
        const matrix = asMatrix(objects.resolve(found.get("/Matrix"))) ?? identity;
        if (inner !== undefined)
          run(
            inner,
            found.get("/Resources") ?? own,
            { ...state, matrix: multiply(matrix, state.matrix) },
            depth + 1,
          );
      }
    };
    const move = (x: number, y: number) => {
      const right = x * line[0] + y * line[2] + line[4];
      line = [line[0], line[1], line[2], line[3], right, x * line[1] + y * line[3] + line[5]];
    };
    const end = (stroked: boolean, filled: boolean) => {
      const seen = filled && !state.white;
      if (rules.length < maxRules) {
        for (const shape of shapes) takeShape(shape, stroked, seen, rules, fills);
        // A path's own lines count where they are drawn, the area it encloses where it is filled.
        if (stroked) rules.push(...strokes);
        else if (seen) for (const area of areas) takeShape(area, false, true, rules, fills);
      }
      shapes = [];
      strokes = [];
      areas = [];
    };
    left -= scanContent(bytes, left, (code, operands) => {
      const { numbers } = operands;
      const a = numbers[0] ?? 0;
      const b = numbers[1] ?? 0;
      const c = numbers[2] ?? 0;
      const d = numbers[3] ?? 0;
      const e = numbers[4] ?? 0;
      const f = numbers[5] ?? 0;
      // Most of a page's operators are these.
      switch (code) {
        case op.Tj:
        case op.TJ:
          show(operands.textBytes);
          break;
        case op.Td:
          move(a, b);
          break;
        case op.Tm:
          if (operands.count >= 6) line = [a, b, c, d, e, f];
          break;
        case op.q:
          if (stack.length < 200) stack.push({ ...state });
          break;
        case op.Q:
          state = stack.pop() ?? state;
          break;
        case op.cm:
          if (operands.count >= 6) state.matrix = multiply([a, b, c, d, e, f], state.matrix);
          break;
        case op.m:
          opened = { x: a, y: b };
          reach(a, b, true);
          break;
        case op.l:
          lineTo(a, b);
          break;
        case op.h:
          lineTo(opened.x, opened.y);
          break;
        case op.c:
          curves++;
          reach(e, f, false);
          break;
        case op.re:
          shapes.push(box(state.matrix, a, b, c, d));
          break;
        case op.S:
        case op.s:
          end(true, false);
          break;
        case op.B:
        case op.Bs:
        case op.b:
        case op.bs:
          end(true, true);
          break;
        case op.f:
        case op.F:
        case op.fs:
          end(false, true);
          break;
        case op.n:
          end(false, false);
          break;
        case op.sh:
          // A shading fills what the clip leaves; where that is does not matter here.
          fills.push({ x0: -1e5, y0: -1e5, x1: 1e5, y1: 1e5 });
          break;
        case op.g:
        case op.rg:
        case op.k:
        case op.sc:
        case op.scn:
          state.white = isWhite(operands);
          break;
        case op.cs:
          state.white = false;
          break;
        case op.BT:
          line = identity;
          break;
        case op.TD:
          leading = -b;
          move(a, b);
          break;
        case op.TL:
          leading = a;
          break;
        case op.Ts:
          move(0, -leading);
          break;
        case op.Tr:
          state.mode = a;
          break;
        case op.quote:
        case op.quotes:
          move(0, -leading);
          show(operands.textBytes);
          break;
        case op.Do:
          if (operands.nameAt >= 0)
            draw(Buffer.from(bytes.subarray(operands.nameAt, operands.nameEnd)).toString("latin1"));
          break;
        case op.ID:
          images.push({ ...box(state.matrix, 0, 0, 1, 1), width: 0, height: 0 });
          break;
      }
    });
  };
  run(content, resources, { matrix: viewport, mode: 0, white: false }, 0);
  const covers = ({ x0, y0, x1, y1 }: Rectangle, x: number, y: number) =>
    x >= x0 - 2 && x <= x1 + 2 && y >= y0 - 2 && y <= y1 + 2;
  for (const { x, y, bytes } of whites) {
    if (fills.some((area) => covers(area, x, y)) || images.some((area) => covers(area, x, y))) continue;
    hidden.push({ x, y });
    visibleBytes -= bytes;
    hiddenBytes += bytes;
  }
  return { rules, images, fills, hidden, visibleBytes, hiddenBytes, curves };
}
