import type { BigNumber, Fraction, MathJsInstance, MathNode, Unit } from "mathjs";
import { RagctlError } from "../../core/errors.ts";
import { dateOf, withDaysBetween } from "./dates.ts";
import { loadMathEngines } from "./engine.ts";

const limits = {
  characters: 500,
  depth: 40,
  nodes: 200,
  exponent: 1000,
  digits: 300,
  factorial: 170,
  unitPower: 20,
};

/** Result of an expression. */
export interface Calculated {
  /** Decimal digits without grouping, a value with its unit, e.g. `92.1952686597 lbf ft`, or a date. */
  readonly value: string;
  /** The numeric part of `value`. */
  readonly number: string;
  /** "" for a plain number. */
  readonly unit: string;
  /** False if digits were cut. */
  readonly exact: boolean;
}

/** A decimal with at most this many digits was not rounded; the evaluator keeps 64. */
const cleanDigits = 50;

type Value = BigNumber | Fraction | Unit;

/** Functions that may be called. */
export const functions: readonly string[] =
  "abs ceil floor round sqrt cbrt nthRoot exp log log10 log2 ln sin cos tan asin acos atan min max mean median sum gcd lcm mod factorial".split(
    " ",
  );
/** Functions that return a fraction for fractions. */
const exactFunctions: readonly string[] = "abs ceil floor round min max mean median sum gcd lcm mod".split(
  " ",
);
/** Functions whose second argument is a number of decimal places. */
const placed: readonly string[] = ["round", "ceil", "floor"];
const constants: readonly string[] = ["pi", "e", "tau"];
const operators: readonly string[] = [
  "add",
  "subtract",
  "multiply",
  "divide",
  "pow",
  "mod",
  "unaryMinus",
  "unaryPlus",
  "factorial",
  "to",
];

const invalid = (
  message: string,
  hint = "write numbers, + - * / ^ %, parentheses, units and functions such as sqrt(2)",
): RagctlError => new RagctlError("TOOL_INVALID", message, { hint });
const refused = (message: string): RagctlError =>
  new RagctlError("TOOL_REFUSED", message, { hint: "use a smaller expression" });
const quoted = (expression: string): string =>
  `"${expression.length > 80 ? `${expression.slice(0, 79)}…` : expression}"`;

/** Parses an expression and checks that it is only arithmetic. @throws TOOL_INVALID, TOOL_REFUSED */
function parse(math: MathJsInstance, expression: string): MathNode {
  if (expression.trim() === "") throw invalid("the expression is empty");
  if (expression.length > limits.characters)
    throw refused(
      `the expression has ${expression.length} characters, at most ${limits.characters} are computed`,
    );
  let open = 0;
  for (const character of expression) {
    open += character === "(" ? 1 : character === ")" ? -1 : 0;
    if (open > limits.depth) throw refused(`the expression nests deeper than ${limits.depth}`);
  }
  if (/["'`[\]{};=\n\\]/.test(expression)) throw invalid(`${quoted(expression)} is not arithmetic`);
  try {
    return math.parse(expression);
  } catch (cause) {
    throw new RagctlError(
      "TOOL_INVALID",
      `${quoted(expression)} cannot be read as arithmetic (${cause instanceof Error ? cause.message : cause})`,
      {
        hint: "write numbers, + - * / ^ %, parentheses, units and functions such as sqrt(2)",
        cause,
      },
    );
  }
}

/** Whether every step keeps fractions exact, so that no digit is lost. */
function staysExact(math: MathJsInstance, node: MathNode): boolean {
  if (math.isConstantNode(node)) return true;
  if (math.isParenthesisNode(node)) return staysExact(math, node.content);
  if (math.isOperatorNode(node)) {
    const right = node.args[1];
    if (["to", "factorial"].includes(String(node.fn))) return false;
    if (
      String(node.fn) === "pow" &&
      (right === undefined || !/^\(?-?\d+\)?$/.test(right.toString().replaceAll(" ", "")))
    )
      return false;
    return node.args.every((part) => staysExact(math, part));
  }
  return (
    math.isFunctionNode(node) &&
    exactFunctions.includes(nameOf(math, node)) &&
    node.args.every((part) => staysExact(math, part))
  );
}

function nameOf(math: MathJsInstance, node: MathNode): string {
  if (!math.isFunctionNode(node)) return "";
  // The declared type of `fn` is narrower than the parser's output.
  const callee: unknown = node.fn;
  return math.isSymbolNode(callee) ? callee.name : "";
}

/** Highest power of a unit in a value: 3 for `2 m^3`, 0 for a plain number. */
function unitPower(math: MathJsInstance, value: unknown): number {
  if (!math.isUnit(value)) return 0;
  // The declared type omits the parts of a unit.
  const { units } = value as unknown as { readonly units: readonly { readonly power: unknown }[] };
  return Math.max(0, ...units.map(({ power }) => Math.abs(Number(power))));
}

/** log10 of a number's absolute value, with or without a unit; 0 for zero. */
function magnitude(math: MathJsInstance, value: unknown): number {
  if (math.isBigNumber(value)) return value.isZero() ? 0 : Math.abs(value.e);
  if (math.isFraction(value)) {
    const digits = (part: unknown): number => String(part).replace("-", "").length - 1;
    return Math.max(digits(value.n), digits(value.d));
  }
  return math.isUnit(value) ? magnitude(math, value.toJSON().value) : 0;
}

function isZero(math: MathJsInstance, value: unknown): boolean {
  if (math.isBigNumber(value)) return value.isZero();
  if (math.isFraction(value)) return String(value.n) === "0";
  // A bare unit, such as the `s` of `m/s`, has no value and is not zero.
  return math.isUnit(value) && value.toJSON().value !== null && Number(value.toNumeric()) === 0;
}

/** An expression being evaluated. */
interface Calculation {
  readonly math: MathJsInstance;
  /** For error messages. */
  readonly expression: string;
  /** Whether numbers are parsed as fractions. */
  readonly asFractions: boolean;
  /** Nodes visited so far. */
  nodes: number;
}

/** The value of a step, if it is a real number of bounded size. @throws TOOL_INVALID, TOOL_REFUSED */
function checked({ math, expression }: Calculation, value: unknown): Value {
  if (!math.isBigNumber(value) && !math.isFraction(value) && !math.isUnit(value))
    throw invalid(`${quoted(expression)} has no real number as its value`);
  if (math.isBigNumber(value) && value.isNaN()) throw invalid(`${quoted(expression)} has no defined value`);
  if (math.isBigNumber(value) && !value.isFinite())
    throw invalid(`${quoted(expression)} overflows: its value is infinite`);
  if (unitPower(math, value) > limits.unitPower)
    throw refused(`${quoted(expression)} overflows: units have powers of up to ${limits.unitPower}`);
  if (magnitude(math, value) > limits.digits)
    throw refused(`${quoted(expression)} overflows: a step has more than ${limits.digits} digits`);
  return value;
}

/** Refuses a power whose value would be large. */
function checkPower(
  { math, expression }: Calculation,
  base: Value | undefined,
  power: Value | undefined,
): void {
  const exponent = Math.abs(Number(power));
  if (Number(power) < 0 && isZero(math, base)) throw invalid(`${quoted(expression)} divides by zero`);
  if (!(exponent <= limits.exponent))
    throw refused(`${quoted(expression)} overflows: exponents go up to ${limits.exponent}`);
  if (unitPower(math, base) * exponent > limits.unitPower)
    throw refused(`${quoted(expression)} overflows: units have powers of up to ${limits.unitPower}`);
  if ((magnitude(math, base) + 1) * exponent > limits.digits * 2)
    throw refused(`${quoted(expression)} overflows: the power has more than ${limits.digits} digits`);
}

/**
 * Refuses decimal places beyond the limit: each adds a digit to compute, and the library's steps cannot be
 * interrupted.
 */
function checkPlaces({ math, expression }: Calculation, name: string, places: readonly Value[]): void {
  const isPlaces = (value: Value): boolean =>
    Number.isInteger(Number(value)) && Number(value) >= 0 && Number(value) <= limits.digits;
  if (!places.every((each) => math.isUnit(each) || isPlaces(each)))
    throw refused(
      `${quoted(expression)}: ${name} takes a whole number of decimal places, 0 to ${limits.digits}`,
    );
}

/** Refuses a step without a value or with a large one, before it is executed. */
function checkStep(calculation: Calculation, name: string, args: readonly Value[]): void {
  const { math, expression } = calculation;
  const [left, right] = args;
  if ((name === "divide" || name === "mod") && isZero(math, right))
    throw invalid(`${quoted(expression)} divides by zero`);
  if (name === "factorial" && Number(left) > limits.factorial)
    throw refused(`${quoted(expression)} overflows: factorials go up to ${limits.factorial}`);
  if (name === "exp" && Math.abs(Number(left)) > limits.exponent)
    throw refused(`${quoted(expression)} overflows: exponents go up to ${limits.exponent}`);
  if (placed.includes(name)) checkPlaces(calculation, name, args.slice(1));
  if (name === "pow") checkPower(calculation, left, right);
}

function apply(calculation: Calculation, name: string, args: readonly Value[]): Value {
  const { math, expression } = calculation;
  checkStep(calculation, name, args);
  // Only names in the two lists above get here; the library's functions accept any of its values.
  const operation = math[(name === "ln" ? "log" : name) as "add"] as (...values: readonly Value[]) => unknown;
  try {
    const [value, places] = args;
    const rounds = placed.includes(name) && args.length === 2 && value !== undefined && !math.isUnit(places);
    return checked(
      calculation,
      rounds ? math[name as "round"](value as BigNumber, Number(places)) : operation(...args),
    );
  } catch (cause) {
    if (cause instanceof RagctlError) throw cause;
    throw new RagctlError(
      "TOOL_INVALID",
      `${quoted(expression)} cannot be computed (${cause instanceof Error ? cause.message : cause})`,
      {
        hint: "check the units and the arguments of functions",
        cause,
      },
    );
  }
}

/** Constants are decimals of any length, but the 100 of a percentage is a plain number. */
function constantValue(calculation: Calculation, written: unknown): Value {
  const { math, expression, asFractions } = calculation;
  if (typeof written === "number" && !Number.isFinite(written))
    throw invalid(`${quoted(expression)} holds what is no number`);
  if (typeof written === "number") return asFractions ? math.fraction(written) : math.bignumber(written);
  const decimal = checked(calculation, written);
  return asFractions && math.isBigNumber(decimal) ? math.fraction(decimal.toFixed()) : decimal;
}

/** The value of a name: a constant or a unit. */
function symbolValue(calculation: Calculation, name: string): Value {
  const { math } = calculation;
  if (constants.includes(name)) return checked(calculation, math[name as "pi"]);
  if (math.Unit.isValuelessUnit(name)) return checked(calculation, math.unit(name));
  throw invalid(`${quoted(name)} is neither a number nor a unit`);
}

/** Walks the tree; every step is checked before it is executed, so that no intermediate value is large. */
function computed(calculation: Calculation, node: MathNode, depth = 0): Value {
  const { math, expression } = calculation;
  calculation.nodes += 1;
  if (calculation.nodes > limits.nodes || depth > limits.depth)
    throw refused(`${quoted(expression)} has too many parts`);
  const inner = (part: MathNode): Value => computed(calculation, part, depth + 1);
  if (math.isConstantNode(node)) return constantValue(calculation, node.value);
  if (math.isParenthesisNode(node)) return inner(node.content);
  if (math.isOperatorNode(node) && operators.includes(String(node.fn)))
    return apply(calculation, String(node.fn), node.args.map(inner));
  if (math.isFunctionNode(node)) {
    const name = nameOf(math, node);
    if (functions.includes(name)) return apply(calculation, name, node.args.map(inner));
    throw invalid(`${quoted(name)} is not a function of the calculator`, `there are ${functions.join(", ")}`);
  }
  if (math.isSymbolNode(node)) return symbolValue(calculation, node.name);
  throw invalid(`${quoted(expression)} is not arithmetic`);
}

/**
 * A decimal cut to `digits` significant digits, without trailing zeros, never in exponent form below 10^21.
 */
function shown(
  math: MathJsInstance,
  value: BigNumber,
  digits: number,
): { readonly text: string; readonly exact: boolean } {
  const cut = value.toSignificantDigits(Math.max(digits, Math.min(value.e + 1, 60)));
  const text = Math.abs(cut.e) < 40 ? cut.toFixed() : cut.toString();
  return { text, exact: value.precision() <= cleanDigits && math.bignumber(text).equals(value) };
}

/**
 * Evaluates an arithmetic expression: fractions as long as they stay exact, otherwise 64 digits. A date may have
 * durations added, or be subtracted from another. `digits` is the number of significant digits shown. @throws TOOL_INVALID, TOOL_REFUSED
 */
export function evaluate(written: string, digits = 12): Calculated {
  const expression = withDaysBetween(written);
  const day = dateOf(expression);
  if (day !== null) return { value: day, number: day, unit: "", exact: true };
  const { exact, decimal } = loadMathEngines();
  const parsed = parse(decimal, expression);
  const asFractions = staysExact(decimal, parsed);
  const math = asFractions ? exact : decimal;
  const value = computed({ math, expression, asFractions, nodes: 0 }, parsed);
  if (decimal.isUnit(value)) {
    if (value.toJSON().value === null) throw invalid(`${quoted(expression)} is a unit without a number`);
    const [amount = "", ...unit] = value.format({ notation: "fixed", precision: 40 }).split(" ");
    const { text, exact: whole } = shown(decimal, decimal.bignumber(amount), digits);
    return { value: `${text} ${unit.join(" ")}`.trim(), number: text, unit: unit.join(" "), exact: whole };
  }
  if (exact.isFraction(value)) {
    const quotient = decimal.divide(decimal.bignumber(String(value.n)), decimal.bignumber(String(value.d)));
    // Two big numbers divide to a big number.
    const { text } = shown(
      decimal,
      decimal.multiply(quotient, decimal.bignumber(String(value.s))) as BigNumber,
      digits,
    );
    const same = exact.fraction(decimal.bignumber(text).toFixed()).equals(value);
    return { value: text, number: text, unit: "", exact: same };
  }
  const { text, exact: whole } = shown(decimal, value, digits);
  return { value: text, number: text, unit: "", exact: whole };
}

/** The value of an expression of plain numbers; null if it has none, for example a division by zero. */
export function tryEvaluate(expression: string): number | null {
  try {
    const value = Number(evaluate(expression, 15).number);
    return Number.isFinite(value) ? value : null;
  } catch (error) {
    if (error instanceof RagctlError) return null;
    throw error;
  }
}
