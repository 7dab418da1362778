import type { Element } from "../dom.ts";
import { accents, functions, latexText } from "../office/formula.ts";
import { childElements } from "../office/xml.ts";

const textOf = (element: Element): string =>
  element.children
    .map((node) => (node.type === "text" ? node.data : "name" in node ? textOf(node as Element) : "")) // anything with a name is an element
    .join("")
    .replace(/[\u2061-\u2064\s]+/g, " ")
    .trim();

/** Combining accents by the sign above a letter. */
const above = new Map(
  [..."^̂ˆ̂~̃˜̃¯̄‾̅˙̇¨̈→⃗".matchAll(/(.)(.)/gu)].map(([, sign = "", accent = ""]) => [sign, accent]),
);

/**
 * Wraps a formula of several signs in braces, since a script would otherwise attach to its last sign only.
 */
const grouped = (text: string): string =>
  /^(?:\\?\w+|.)$/u.test(text.trim()) ? text.trim() : `{${text.trim()}}`;

function scripted(base: string, below: string | undefined, over: string | undefined): string {
  const lower = below === undefined || below === "" ? "" : `_{${below}}`;
  return `${grouped(base)}${lower}${over === undefined || over === "" ? "" : `^{${over}}`}`;
}

function fenced(element: Element, parts: readonly string[]): string {
  const { open = "(", close = ")", separators = "," } = element.attribs;
  return `\\left${open || "."}${parts.join(separators.trim().charAt(0))}\\right${close || "."}`;
}

/** An element of MathML with parts that have a place each. */
function placed(name: string, parts: readonly string[]): string | undefined {
  const [first = "", second = "", third = ""] = parts;
  switch (name) {
    case "mfrac":
      return `\\frac{${first}}{${second}}`;
    case "mroot":
      return `\\sqrt[${second}]{${first}}`;
    case "msup":
      return scripted(first, undefined, second);
    case "msub":
    case "munder":
      return scripted(first, second, undefined);
    case "msubsup":
    case "munderover":
      return scripted(first, second, third);
    case "mover": {
      const accent = accents[above.get(second.trim()) ?? ""];
      return accent === undefined ? scripted(first, undefined, second) : `\\${accent}{${first}}`;
    }
    case "mmultiscripts":
      return scripted(first, second, third);
    case "mtr":
    case "mlabeledtr":
      return parts.join(" & ");
    case "mtable":
      return `\\begin{matrix}${parts.join(" \\\\ ")}\\end{matrix}`;
    default:
      return undefined;
  }
}

function mathOf(element: Element): string {
  const name = element.name.replace(/^.*:/, "");
  switch (name) {
    case "mi": {
      const text = textOf(element);
      return functions.test(text) ? `\\${text} ` : latexText(text);
    }
    case "mn":
    case "mo":
    case "ms":
      return latexText(textOf(element));
    case "mtext":
      return ` ${textOf(element)} `;
    case "mspace":
      return " ";
    case "mphantom":
    case "annotation":
    case "annotation-xml":
      return "";
    default: {
      const parts = childElements(element).map(mathOf);
      if (name === "msqrt") return `\\sqrt{${parts.join("")}}`;
      if (name === "mfenced") return fenced(element, parts);
      return placed(name, parts) ?? parts.join("");
    }
  }
}

/**
 * Converts MathML to LaTeX; uses the author's LaTeX where the element carries it. "" for an empty formula.
 */
export function mathmlLatex(formula: Element, written: string | undefined): string {
  return (written ?? mathOf(formula)).replace(/\s{2,}/g, " ").trim();
}
