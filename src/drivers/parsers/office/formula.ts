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

/** An OMML element's formula as LaTeX. */
function mathOf(element: Element): string {
  const children = () => childElements(element).map(mathOf).join("");
  switch (element.name) {
    case "m:t":
      return latexText(element.children.map((node) => (node.type === "text" ? node.data : "")).join(""));
    case "m:f":
      return fraction(element);
    case "m:sSup":
      return `${base(element)}^{${part(element, "m:sup")}}`;
    case "m:sSub":
      return `${base(element)}_{${part(element, "m:sub")}}`;
    case "m:sSubSup":
      return `${base(element)}_{${part(element, "m:sub")}}^{${part(element, "m:sup")}}`;
    case "m:sPre":
      return `{}_{${part(element, "m:sub")}}^{${part(element, "m:sup")}}${part(element, "m:e")}`;
    case "m:rad": {
      const degree = part(element, "m:deg");
      return `\\sqrt${degree === "" ? "" : `[${degree}]`}{${part(element, "m:e")}}`;
    }
    case "m:nary": {
      const sign = latexText(property(element, "m:naryPr", "m:chr") ?? "∫").trim();
      return `${sign}_{${part(element, "m:sub")}}^{${part(element, "m:sup")}}${part(element, "m:e")}`;
    }
    case "m:d":
      return delimited(element);
    case "m:func": {
      const name = part(element, "m:fName");
      return `${functions.test(name.trim()) ? `\\${name.trim()}` : name}(${part(element, "m:e")})`;
    }
    case "m:limLow": {
      const name = part(element, "m:e");
      return `${functions.test(name.trim()) ? `\\${name.trim()}` : name}_{${part(element, "m:lim")}}`;
    }
    case "m:limUpp":
      return `${part(element, "m:e")}^{${part(element, "m:lim")}}`;
    case "m:m":
      return `\\begin{matrix}${childElements(element)
        .filter((child) => child.name === "m:mr")
        .map((row) => childElements(row).map(mathOf).join(" & "))
        .join(" \\\\ ")}\\end{matrix}`;
    case "m:eqArr":
      return childElements(element)
        .filter((child) => child.name === "m:e")
        .map(mathOf)
        .join(" \\\\ ");
    case "m:acc":
      return `\\${accents[property(element, "m:accPr", "m:chr") ?? "\u0302"] ?? "hat"}{${part(element, "m:e")}}`;
    case "m:bar":
      return `\\${property(element, "m:barPr", "m:pos") === "top" ? "overline" : "underline"}{${part(element, "m:e")}}`;
    default:
      // Property blocks carry no text; w:t appears where a program wrote plain runs inside a formula.
      return element.name.endsWith("Pr") ? "" : children();
  }
}

/** A formula (`m:oMath`) as LaTeX without delimiters; "" where it is empty. */
export function latexOf(formula: Element): string {
  return isElement(formula) ? mathOf(formula).replace(/ {2,}/g, " ").trim() : "";
}
