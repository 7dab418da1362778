import type { CheerioAPI } from "cheerio";
import type { Element } from "../dom.ts";

/** Declarations of CSS by property, lower case. */
export type ElementStyle = ReadonlyMap<string, string>;

/** The declarations of a block of CSS or of an attribute `style`. */
function declarations(text: string): Map<string, string> {
  const style = new Map<string, string>();
  for (const part of text.split(";")) {
    const colon = part.indexOf(":");
    const value = part.slice(colon + 1).replace(/!\s*important/i, "");
    if (colon > 0) style.set(part.slice(0, colon).trim().toLowerCase(), value.trim().toLowerCase());
  }
  return style;
}

/** Properties that decide what is visible, and whether text is raised, lowered or struck out. */
const asked =
  /(?:^|[;{\s])(?:display|visibility|opacity|font|font-size|color|position|clip|clip-path|text-indent|transform|max-height|height|width|mso-hide|vertical-align|text-decoration|text-decoration-line|content-visibility)\s*:/i;

interface Rule {
  readonly selector: string;
  readonly style: ElementStyle;
}

/** The end of a block that begins behind a brace. */
function blockEnd(css: string, start: number): number {
  let depth = 1;
  for (let at = start; at < css.length; at++) {
    const sign = css.charAt(at);
    if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return at;
  }
  return css.length;
}

/**
 * The rules of a style sheet that hold for a page on a screen; conditions on the reader's device are not
 * known.
 */
function rulesOf(css: string): Rule[] {
  const rules: Rule[] = [];
  let start = 0;
  for (let brace = css.indexOf("{"); brace >= 0; brace = css.indexOf("{", start)) {
    const end = blockEnd(css, brace + 1);
    const selector = css
      .slice(start, brace)
      .replace(/^[^;]*;/, "")
      .trim();
    const block = css.slice(brace + 1, end);
    if (/^@media\s+(?:screen|all)$/i.test(selector)) rules.push(...rulesOf(block));
    else if (!selector.startsWith("@") && asked.test(block))
      rules.push({ selector, style: declarations(block) });
    start = end + 1;
  }
  return rules;
}

/** How strong a selector is: names of single elements before classes before kinds of elements. */
function strength(selector: string): number {
  const count = (pattern: RegExp) => (selector.match(pattern) ?? []).length;
  return count(/#/g) * 10_000 + count(/[.[]/g) * 100 + count(/(?:^|[\s>+~])[a-z]/gi);
}

/** Most times that an element is compared with a rule. */
const mostComparisons = 20_000_000;

/** The styles of elements by the style sheets of their page and their own attribute. */
export function createStyleResolver($: CheerioAPI): (element: Element) => ElementStyle {
  const sheets = $("style")
    .toArray()
    .filter(({ attribs }) => /^(?:|all|screen)$/i.test((attribs["media"] ?? "").trim()));
  const rules = sheets
    .flatMap((sheet) =>
      rulesOf(
        $(sheet)
          .text()
          .replace(/\/\*[\s\S]*?(?:\*\/|$)|<!--|-->/g, ""),
      ),
    )
    .flatMap(({ selector, style }) => selector.split(",").map((each) => ({ selector: each.trim(), style })))
    // What holds in a state or for a part of an element does not hold for the element.
    .filter(({ selector }) => selector !== "" && selector.length <= 200 && !selector.includes(":"))
    .map((rule) => ({ ...rule, strength: strength(rule.selector) }))
    .sort((one, two) => one.strength - two.strength);
  const found = new Map<Element, Map<string, string>>();
  const most = rules.length === 0 ? 0 : mostComparisons / Math.max(1, $("*").length);
  for (const { selector, style } of rules.slice(0, most)) {
    for (const element of matching($, selector)) {
      const own = found.get(element) ?? new Map<string, string>();
      for (const [property, value] of style) own.set(property, value);
      found.set(element, own);
    }
  }
  const none: ElementStyle = new Map();
  return (element) => {
    const { style } = element.attribs;
    const sheet = found.get(element) ?? none;
    return style === undefined ? sheet : new Map([...sheet, ...declarations(style)]);
  };
}

function matching($: CheerioAPI, selector: string): Element[] {
  try {
    return $(selector)
      .toArray()
      .filter((node): node is Element => "attribs" in node);
  } catch {
    return []; // a selector of a later CSS than the library reads
  }
}
