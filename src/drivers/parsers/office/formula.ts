import type { Element } from "../dom.ts";
import { childElements, isElement } from "./xml.ts";

const symbols: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ phi χ chi ψ psi ω omega " +
    "Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Φ Phi Ψ Psi Ω Omega ∞ infty ± pm ∓ mp × times ÷ div ⋅ cdot ≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∈ in ∉ notin ∩ cap ∪ cup " +
    "⊂ subset ⊆ subseteq → rightarrow ← leftarrow ⇒ Rightarrow ⇔ Leftrightarrow ∀ forall ∃ exists ∂ partial ∇ nabla ∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ∯ oiint ∰ oiiint ⋃ bigcup ⋂ bigcap ⋁ bigvee ⋀ bigwedge"
  )
    .split(" ")
    .flatMap((word, index, all): [string, string][] =>
      index % 2 === 0 ? [[word, all[index + 1] ?? ""]] : [],
    ),
);

/** Names of functions that LaTeX knows. */
const functions =
  /^(sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|lg|exp|lim|max|min|sup|inf|det|gcd|arg|dim|ker|Pr)$/;
/** Commands of LaTeX by the accent that combines. */
const accents: Readonly<Record<string, string>> = {
  "\u0302": "hat",
  "\u0303": "tilde",
  "\u0304": "bar",
  "\u0305": "bar",
  "\u0307": "dot",
  "\u0308": "ddot",
  "\u20d7": "vec",
};

/** Text of a formula with its signs as commands of LaTeX. */
function latexText(text: string): string {
  return [...text].map((sign) => (symbols[sign] === undefined ? sign : ` \\${symbols[sign]} `)).join("");
}

function part(element: Element, name: string): string {
  const found = childElements(element).find((child) => child.name === name);
  return found === undefined ? "" : mathOf(found);
}

/** A value of the element's property block, e.g. `m:chr` of `m:naryPr`; undefined where it is not written. */
function property(element: Element, block: string, name: string): string | undefined {
  const properties = childElements(element).find((child) => child.name === block);
  const found =
    properties === undefined ? undefined : childElements(properties).find((child) => child.name === name);
  return found === undefined ? undefined : (found.attribs["m:val"] ?? found.attribs["val"] ?? "");
}

function fraction(element: Element): string {
  const [over, under] = [part(element, "m:num"), part(element, "m:den")];
  const type = property(element, "m:fPr", "m:type");
  if (type === "lin" || type === "skw") return `${over}/${under}`;
  return type === "noBar" ? `\\genfrac{}{}{0pt}{}{${over}}{${under}}` : `\\frac{${over}}{${under}}`;
}

function base(element: Element): string {
  const text = part(element, "m:e");
  return text.startsWith("\\frac") ? `{${text}}` : text;
}

function delimited(element: Element): string {
  const inner = childElements(element)
    .filter((child) => child.name === "m:e")
    .map(mathOf)
    .join(property(element, "m:dPr", "m:sepChr") ?? "|");
  const side = (name: string, otherwise: string) => {
    const sign = property(element, "m:dPr", name) ?? otherwise;
    return sign === "" ? "." : /[{}]/.test(sign) ? `\\${sign}` : sign;
  };
  return `\\left${side("m:begChr", "(")}${inner}\\right${side("m:endChr", ")")}`;
}

const children = (element: Element): string => childElements(element).map(mathOf).join("");
const named = (element: Element, name: string): readonly Element[] =>
  childElements(element).filter((child) => child.name === name);
/** The name of a function, as LaTeX's own where it is one. */
const functionName = (name: string): string => (functions.test(name.trim()) ? `\\${name.trim()}` : name);
const below = (element: Element): string => `_{${part(element, "m:sub")}}`;
const above = (element: Element): string => `^{${part(element, "m:sup")}}`;

/** Elements of OMML, and their formulas. */
const elements: Readonly<Record<string, (element: Element) => string>> = {
  "m:t": ({ children: nodes }) =>
    latexText(nodes.map((node) => (node.type === "text" ? node.data : "")).join("")),
  "m:f": fraction,
  "m:sSup": (element) => base(element) + above(element),
  "m:sSub": (element) => base(element) + below(element),
  "m:sSubSup": (element) => base(element) + below(element) + above(element),
  "m:sPre": (element) => `{}${below(element)}${above(element)}${part(element, "m:e")}`,
  "m:rad": (element) => {
    const degree = part(element, "m:deg");
    return `\\sqrt${degree === "" ? "" : `[${degree}]`}{${part(element, "m:e")}}`;
  },
  "m:nary": (element) => {
    const sign = latexText(property(element, "m:naryPr", "m:chr") ?? "∫").trim();
    return sign + below(element) + above(element) + part(element, "m:e");
  },
  "m:d": delimited,
  "m:func": (element) => `${functionName(part(element, "m:fName"))}(${part(element, "m:e")})`,
  "m:limLow": (element) => `${functionName(part(element, "m:e"))}_{${part(element, "m:lim")}}`,
  "m:limUpp": (element) => `${part(element, "m:e")}^{${part(element, "m:lim")}}`,
  "m:m": (element) => {
    const rows = named(element, "m:mr").map((row) => childElements(row).map(mathOf).join(" & "));
    return `\\begin{matrix}${rows.join(" \\\\ ")}\\end{matrix}`;
  },
  "m:eqArr": (element) => named(element, "m:e").map(mathOf).join(" \\\\ "),
  "m:acc": (element) =>
    `\\${accents[property(element, "m:accPr", "m:chr") ?? "\u0302"] ?? "hat"}{${part(element, "m:e")}}`,
  "m:bar": (element) =>
    `\\${property(element, "m:barPr", "m:pos") === "top" ? "overline" : "underline"}{${part(element, "m:e")}}`,
};

/**
 * An OMML element's formula as LaTeX. Property blocks carry no text; w:t appears where a program wrote plain
 * runs inside a formula.
 */
function mathOf(element: Element): string {
  const { name } = element;
  return elements[name]?.(element) ?? (name.endsWith("Pr") ? "" : children(element));
}

/** A formula (`m:oMath`) as LaTeX without delimiters; "" where it is empty. */
export function latexOf(formula: Element): string {
  return isElement(formula) ? mathOf(formula).replace(/ {2,}/g, " ").trim() : "";
}
