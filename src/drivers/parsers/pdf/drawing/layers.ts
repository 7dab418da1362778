import { type Dict, isDict, nameOf } from "./pdfjs.ts";

/** Whether the file does not show what belongs to these groups: `content` is a group, or a rule about some. */
type IsOff = (content: unknown) => boolean;

/** Deepest rule that is followed. */
const deepest = 16;

/** The number of the object that a value is, or refers to. */
const keyOf = (value: unknown): string => (isDict(value) ? (value.objId ?? "") : String(value));

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

const holdsName = (value: unknown, name: string): boolean =>
  listOf(value).some((each) => nameOf(each) === name);

/** What a group says of its use by readers; "" where it says nothing. */
function viewStateOf(group: Dict): string {
  const usage = group.get("Usage");
  const view = isDict(usage) ? usage.get("View") : undefined;
  return isDict(view) ? nameOf(view.get("ViewState")) : "";
}

/** Groups that the file shows or does not show to readers, by what it says of their use. */
function usesOf(usual: Dict): ReadonlyMap<string, boolean> {
  const groups = listOf(usual.getArray("AS"))
    .filter(isDict)
    .filter((rule) => nameOf(rule.get("Event")) === "View" && holdsName(rule.get("Category"), "View"))
    .flatMap((rule) => listOf(rule.getArray("OCGs")).filter(isDict));
  const states = groups.map((group) => [keyOf(group), viewStateOf(group)] as const);
  return new Map(states.flatMap(([key, state]) => (state === "" ? [] : [[key, state === "ON"] as const])));
}

/** Whether a rule shows its content by the states of its groups. Source: PDF 2.0, table 97. */
function isShownBy(policy: string, states: readonly boolean[]): boolean {
  if (states.length === 0) return true;
  if (policy === "AllOn") return states.every(Boolean);
  if (policy === "AnyOff") return states.includes(false);
  return policy === "AllOff" ? !states.includes(true) : states.includes(true);
}

/** The layers (optional content) of a file as it opens; `catalog` is its root. */
function layersOf(catalog: Dict | undefined): IsOff {
  const properties = catalog?.get("OCProperties");
  const usual = isDict(properties) ? properties.get("D") : undefined;
  if (!isDict(usual)) return () => false;
  const keys = (name: string) => new Set(listOf(usual.get(name)).map(keyOf));
  const [on, off, uses] = [keys("ON"), keys("OFF"), usesOf(usual)];
  const isOnAtFirst = nameOf(usual.get("BaseState")) !== "OFF";
  const isGroupOn = (group: unknown): boolean => {
    const key = keyOf(group);
    return uses.get(key) ?? (!off.has(key) && (isOnAtFirst || on.has(key)));
  };
  const isTrue = (expression: unknown, depth: number): boolean => {
    if (!Array.isArray(expression)) return isGroupOn(expression);
    const [operator, ...operands] = expression;
    const values = depth > deepest ? [] : operands.map((operand) => isTrue(operand, depth + 1));
    if (nameOf(operator) === "Not") return values[0] !== true;
    return nameOf(operator) === "Or" ? values.includes(true) : values.every(Boolean);
  };
  return (content) => {
    if (!isDict(content)) return false;
    if (nameOf(content.get("Type")) !== "OCMD") return !isGroupOn(content);
    const expression = content.getArray("VE");
    if (Array.isArray(expression)) return !isTrue(expression, 0);
    return !isShownBy(nameOf(content.get("P")), listOf(content.get("OCGs")).map(isGroupOn));
  };
}

/** Operators that show text, whose last operand it is. */
const textOperators = ["showText", "showSpacedText", "nextLineShowText", "nextLineSetSpacingShowText"];
/** Operators that show something else. */
const shapeOperators =
  "stroke closeStroke fillStroke eoFillStroke closeFillStroke closeEOFillStroke fill eoFill shadingFill endInlineImage".split(
    " ",
  );

/** Knows which operators show nothing, because they are in a layer that is off. */
interface Layers {
  /**
   * Reads one stream: returns for each operator whether it is text that is not shown, or false for another
   * thing that is not; undefined where it is shown, or shows nothing anyway.
   */
  open(
    resources: Dict,
    objectOf: (operands: readonly unknown[]) => Dict | undefined,
  ): (operator: number, operands: readonly unknown[]) => boolean | undefined;
}

/** Opens the layers of a file; `codes` are pdf.js's numbers of its operators, `catalog` the file's root. */
export function openLayers(codes: Readonly<Record<string, number>>, catalog: Dict | undefined): Layers {
  const isOff = layersOf(catalog);
  const texts = new Set(textOperators.map((name) => codes[name]));
  const shapes = new Set(shapeOperators.map((name) => codes[name]));
  const { beginMarkedContent, beginMarkedContentProps, endMarkedContent, paintXObject } = codes;
  /** Whether what an operator would show in a layer that is off is text; undefined where it shows nothing. */
  const isText = (operator: number): boolean | undefined => {
    if (texts.has(operator)) return true;
    return shapes.has(operator) || operator === paintXObject ? false : undefined;
  };
  return {
    open(resources, objectOf) {
      /** For each stretch of marked content that is open: whether it is in a layer that is off. */
      const marks: boolean[] = [];
      const begin = ([tag, named]: readonly unknown[]): void => {
        const all = resources.get("Properties");
        const content = !isDict(named) && isDict(all) ? all.get(nameOf(named)) : named;
        marks.push(marks.at(-1) === true || (nameOf(tag) === "OC" && isOff(content)));
      };
      return (operator, operands) => {
        if (operator === beginMarkedContent || operator === beginMarkedContentProps) begin(operands);
        else if (operator === endMarkedContent) marks.pop();
        const isUnseen =
          marks.at(-1) === true || (operator === paintXObject && isOff(objectOf(operands)?.get("OC")));
        return isUnseen ? isText(operator) : undefined;
      };
    },
  };
}
