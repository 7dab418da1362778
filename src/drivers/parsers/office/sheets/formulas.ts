import { listed } from "../../../../core/plural.ts";

/** Cells that a warning names, and the characters of a formula that it shows. */
const named = { cells: 3, characters: 60 } as const;

/** Longest tag of a cell and longest content, characters: a formula has 8192 at most, a value 32 767. */
const longestTag = 500;
const longestCell = 100_000;

/** A formula as shown to people. */
const plain = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** The cells of a sheet's XML that hold a formula without the value it had: `B5 (=SUM(B2:B4))`. */
function unsavedIn(xml: string): readonly string[] {
  const cells: string[] = [];
  for (let at = xml.indexOf("<f"); at !== -1; at = xml.indexOf("<f", at + 2)) {
    if (!/[\s/>]/.test(xml.charAt(at + 2))) continue;
    // The cell itself: a file that closes none would be searched to its end for each formula.
    const before = xml.slice(Math.max(0, at - longestTag), at);
    const open = before.slice(before.lastIndexOf("<c "));
    const rest = xml
      .slice(at, at + longestCell)
      .split("</c>", 1)
      .join();
    // An empty text is a value too.
    const isText = /\st="str"/.test(open);
    if (isText || /<v(?:\s[^<>]*)?>[^<]/.test(rest)) continue;
    const address = /\sr="([A-Z]{1,3}\d{1,7})"/.exec(open)?.[1] ?? "a cell";
    const formula = plain(/^<f(?:\s[^<>]*)?>([^<]*)</.exec(rest)?.[1] ?? "").slice(0, named.characters);
    cells.push(formula === "" ? address : `${address} (=${formula})`);
  }
  return cells;
}

/** The warning for a sheet whose formulas have no saved value, as when a program wrote them. */
export function formulaWarnings(name: string, xml: string): readonly string[] {
  const cells = unsavedIn(xml);
  if (cells.length === 0) return [];
  const what = cells.length === 1 ? "1 formula has" : `${cells.length} formulas have`;
  return [
    `sheet '${name}': ${what} no saved value and ${cells.length === 1 ? "was" : "were"} read as empty: ${listed(cells, named.cells)}; open the file in a spreadsheet program, save it and ingest it again`,
  ];
}
