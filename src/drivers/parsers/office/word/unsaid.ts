import type { CheerioAPI } from "cheerio";
import type { Unsaid } from "../../blocks.ts";
import type { Element } from "../../dom.ts";
import { isOn } from "../numbering.ts";
import { styleChain, type WordStyle } from "./styles.ts";

/** Properties of a run by which its text is not said. */
const properties = { struck: ["w:strike", "w:dstrike"], hidden: ["w:vanish"] } as const;

/**
 * Whether a property holds for a run: by its own word, else by its styles; one that both the character's and
 * the paragraph's style set is off again.
 */
function holds($: CheerioAPI, run: Element, styles: ReadonlyMap<string, WordStyle>, name: string): boolean {
  const own = $(run).children("w\\:rPr");
  const direct = own.children(name.replace(":", "\\:"));
  if (direct.length > 0) return isOn(direct);
  const said = (id: string | undefined): boolean =>
    styleChain(styles, id)
      .find(({ toggles }) => toggles.has(name))
      ?.toggles.get(name) ?? false;
  const paragraph = $(run).closest("w\\:p").children("w\\:pPr").children("w\\:pStyle").attr("w:val");
  return said(own.children("w\\:rStyle").attr("w:val")) !== said(paragraph ?? "");
}

/** How the text of a run is not said; undefined where it is. */
const kindOf = (
  $: CheerioAPI,
  run: Element,
  styles: ReadonlyMap<string, WordStyle>,
): keyof Unsaid | undefined =>
  (["hidden", "struck"] as const).find((kind) =>
    properties[kind].some((name) => holds($, run, styles, name)),
  );

/** Takes the content out of a run; fields keep their bounds, and a list its item. */
function silence($: CheerioAPI, run: Element): void {
  $(run).children(":not(w\\:rPr, w\\:fldChar, w\\:instrText)").remove();
  $(run).append("<w:t/>");
}

/** Takes out the rows of tables that are hidden. */
function dropRows($: CheerioAPI, tally: Unsaid): void {
  for (const mark of $("w\\:trPr > w\\:hidden").toArray()) {
    if (!isOn($(mark))) continue;
    tally.hidden++;
    $(mark).closest("w\\:tr").remove();
  }
}

/** Takes out text that is struck out or hidden, and counts the passages; neighbouring runs are one. */
export function removeHiddenText($: CheerioAPI, styles: ReadonlyMap<string, WordStyle>, tally: Unsaid): void {
  const isStyled = [...styles.values()].some(({ toggles }) => toggles.size > 0);
  if (!isStyled && $("w\\:strike, w\\:dstrike, w\\:vanish, w\\:hidden").length === 0) return;
  dropRows($, tally);
  let before: { readonly kind: keyof Unsaid | undefined; readonly parent: unknown } | undefined;
  for (const run of $("w\\:r").toArray()) {
    const hasText = $(run).text().trim() !== "" || $(run).find("w\\:sym").length > 0;
    const kind = kindOf($, run, styles);
    const goesOn = before?.kind === kind && before?.parent === run.parent;
    if (kind !== undefined) {
      silence($, run);
      tally[kind] += Number(hasText && !goesOn);
    }
    if (hasText) before = { kind, parent: run.parent };
  }
}
