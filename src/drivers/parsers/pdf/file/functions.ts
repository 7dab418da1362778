import { type Dictionary, isDictionary, type Lexer, nextToken, type PdfValue } from "./lexer.ts";
import type { PdfObjects } from "./objects.ts";

/** A function that a file describes, from numbers to numbers. */
export type NumberFunction = (input: ArrayLike<number>) => readonly number[];

/** The numbers of a list; `fallback` where the dictionary has none. */
function numbersOf(
  objects: PdfObjects,
  dictionary: Dictionary,
  name: string,
  fallback: readonly number[],
): readonly number[] {
  const list = objects.resolve(dictionary.get(name));
  return Array.isArray(list)
    ? list.map((entry) => objects.resolve(entry)).map((entry) => (typeof entry === "number" ? entry : 0))
    : fallback;
}

/** Between two results, one for 0 and one for 1. */
function readExponential(objects: PdfObjects, dictionary: Dictionary): NumberFunction {
  const low = numbersOf(objects, dictionary, "/C0", [0]);
  const high = numbersOf(objects, dictionary, "/C1", [1]);
  const stated = objects.resolve(dictionary.get("/N"));
  const exponent = typeof stated === "number" ? stated : 1;
  return ({ 0: x = 0 }) => low.map((from, index) => from + x ** exponent * ((high[index] ?? 0) - from));
}

/** A table of samples of a byte each, of which the nearest one counts. */
function readSampled(
  objects: PdfObjects,
  dictionary: Dictionary,
  samples: Uint8Array | undefined,
): NumberFunction | undefined {
  if (samples === undefined || objects.resolve(dictionary.get("/BitsPerSample")) !== 8) return undefined;
  const sizes = numbersOf(objects, dictionary, "/Size", []);
  const range = numbersOf(objects, dictionary, "/Range", []);
  const decode = numbersOf(objects, dictionary, "/Decode", range);
  const encode = numbersOf(
    objects,
    dictionary,
    "/Encode",
    sizes.flatMap((size) => [0, size - 1]),
  );
  const outputs = range.length / 2;
  return (input) => {
    let place = 0;
    let stride = outputs;
    for (const [index, size] of sizes.entries()) {
      const [from = 0, to = 0] = encode.slice(2 * index);
      const step = Math.round(from + (input[index] ?? 0) * (to - from));
      place += Math.max(0, Math.min(size - 1, step)) * stride;
      stride *= size;
    }
    return Array.from({ length: outputs }, (_, index) => {
      const [from = 0, to = 0] = decode.slice(2 * index);
      // A sample that the table lacks is no number, and so no colour that could be told.
      return from + ((samples[place + index] ?? Number.NaN) / 255) * (to - from);
    });
  };
}

/** A step of a calculator function: a number, an operator, a part in braces, or a choice of two parts. */
type Step = number | string | readonly Step[] | { readonly yes: Step; readonly no: Step };

const two = (compute: (one: number, other: number) => number) => (stack: number[]) => {
  const other = stack.pop() ?? Number.NaN;
  stack.push(compute(stack.pop() ?? Number.NaN, other));
};
const one = (compute: (value: number) => number) => (stack: number[]) => {
  stack.push(compute(stack.pop() ?? Number.NaN));
};

/** Turns the topmost values round by so many places. */
function roll(stack: number[]): void {
  const places = stack.pop() ?? 0;
  const count = stack.pop() ?? 0;
  if (count <= 0 || count > stack.length) return;
  const top = stack.splice(-count);
  const turn = ((places % count) + count) % count;
  stack.push(...top.slice(count - turn), ...top.slice(0, count - turn));
}

/** The operators that colours are computed with. Source: ISO 32000-2, 7.10.5.2. */
const calculator: Readonly<Record<string, (stack: number[]) => void>> = {
  add: two((a, b) => a + b),
  sub: two((a, b) => a - b),
  mul: two((a, b) => a * b),
  div: two((a, b) => a / b),
  exp: two((a, b) => a ** b),
  eq: two((a, b) => Number(a === b)),
  ne: two((a, b) => Number(a !== b)),
  gt: two((a, b) => Number(a > b)),
  ge: two((a, b) => Number(a >= b)),
  lt: two((a, b) => Number(a < b)),
  le: two((a, b) => Number(a <= b)),
  neg: one((a) => -a),
  abs: one(Math.abs),
  sqrt: one(Math.sqrt),
  cvr: one((a) => a),
  cvi: one(Math.trunc),
  truncate: one(Math.trunc),
  round: one(Math.round),
  floor: one(Math.floor),
  ceiling: one(Math.ceil),
  pop: (stack) => stack.pop(),
  exch: (stack) => stack.push(...stack.splice(-2).reverse()),
  dup: (stack) => stack.push(stack.at(-1) ?? Number.NaN),
  copy: (stack) => {
    const count = stack.pop() ?? 0;
    if (count > 0) stack.push(...stack.slice(-count));
  },
  index: (stack) => stack.push(stack.at(-1 - (stack.pop() ?? 0)) ?? Number.NaN),
  roll,
};

/** Carries out a step; false where one is not known here. */
function runStep(step: Step, stack: number[]): boolean {
  if (typeof step === "number") return stack.push(step) > 0;
  // isArray loses what a readonly list holds.
  if (Array.isArray(step)) return (step as readonly Step[]).every((each) => runStep(each, stack));
  if (typeof step === "object" && "yes" in step)
    return runStep(stack.pop() === 0 ? step.no : step.yes, stack);
  const run = typeof step === "string" ? calculator[step] : undefined;
  run?.(stack);
  return run !== undefined && stack.length <= 100;
}

function addStep(part: Step[], name: string): void {
  if (name === "if") part.push({ yes: part.pop() ?? [], no: [] });
  else if (name === "ifelse") part.push({ no: part.pop() ?? [], yes: part.pop() ?? [] });
  else part.push(name);
}

/** The steps up to the brace that closes them. */
function readSteps(lexer: Lexer, depth: number): readonly Step[] {
  const part: Step[] = [];
  for (let token = nextToken(lexer); token !== undefined && depth < 20; token = nextToken(lexer)) {
    const step = "operator" in token ? token.operator : token.value;
    if (step === "}") break;
    if (step === "{") part.push(readSteps(lexer, depth + 1));
    else if (typeof step === "string") addStep(part, step);
    else if (typeof step === "number") part.push(step);
  }
  return part;
}

function readCalculator(bytes: Uint8Array | undefined): NumberFunction | undefined {
  if (bytes === undefined) return undefined;
  const [steps = []] = readSteps({ bytes, references: false, at: 0 }, 0);
  return (input) => {
    const stack = Array.from(input);
    return runStep(steps, stack) ? stack : [];
  };
}

/** Reads a function of the kinds that inks are described with; undefined for any other. */
export function readFunction(objects: PdfObjects, value: PdfValue | undefined): NumberFunction | undefined {
  const dictionary = objects.resolve(value);
  if (!isDictionary(dictionary)) return undefined;
  switch (objects.resolve(dictionary.get("/FunctionType"))) {
    case 0:
      return readSampled(objects, dictionary, objects.stream(value));
    case 2:
      return readExponential(objects, dictionary);
    case 4:
      return readCalculator(objects.stream(value));
    default:
      return undefined;
  }
}
