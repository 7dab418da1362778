import { get } from "../core/api.js";
import { append, fill, h, tableHead } from "../core/dom.js";
import { lettersOf } from "../core/find-text.js";
import { t } from "../core/text.js";

/** @import { Block, Cited, Shown } from "../shapes.d.ts" */

/** @typedef {{ readonly name: string, readonly parts: Block[] }} Sheet */
/** @typedef {ReturnType<typeof tableOf>["lines"][number]} Line */

/** A table from lines of cells separated by ` | `; the first line is the header. @param {string} text */
export function tableOf(text) {
  const [header = [], ...rows] = text.split("\n").map((line) => line.split(" | ").map((cell) => cell.trim()));
  const lines = rows.map((cells) => ({
    cells,
    element: h(
      "tr",
      {},
      cells.map((cell) => h("td", {}, cell)),
    ),
  }));
  const head = tableHead(header);
  return {
    header,
    lines,
    element: h(
      "table",
      {},
      head,
      h(
        "tbody",
        {},
        lines.map(({ element }) => element),
      ),
    ),
  };
}

/** Shows the sheets of a spreadsheet and marks the rows of the passage and the quoted row. @param {Shown} shown */
export async function showSheet({ file, cited, body, tools, alive }) {
  const { blocks } = await get(`/v1/documents/${file.id}/pages/0`);
  if (!alive()) return;
  const sheets = sheetsOf(blocks, file.name);
  const wanted = sheets.find(({ name }) => name === cited?.section.split(" › ")[0]) ?? sheets[0];
  const place = h("div", { class: "sheet" });
  const show = (/** @type {Sheet} */ sheet) => {
    fill(
      place,
      sheet.parts.map(({ kind, text }) =>
        kind === "table" ? tablePart(text, sheet === wanted ? cited : undefined) : h("p", {}, text),
      ),
    );
    for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(tab.textContent === sheet.name));
    (place.querySelector(".cited-row") ?? place.querySelector(".in-passage"))?.scrollIntoView({
      block: "center",
    });
  };
  const tabs = h(
    "div",
    { class: "tabs", role: "group", "aria-label": t("reader.sheets") },
    sheets.map((sheet) => h("button", { type: "button", onclick: () => show(sheet) }, sheet.name)),
  );
  fill(tools);
  append(body, [sheets.length > 1 && tabs, place]);
  if (wanted !== undefined) show(wanted);
}

/** Level 1 headings name the sheets; a file without any is one sheet named after the file. @param {readonly Block[]} blocks @param {string} fileName */
function sheetsOf(blocks, fileName) {
  /** @type {Sheet[]} */
  const sheets = [];
  for (const block of blocks) {
    if (block.kind === "heading" && block.level === 1) sheets.push({ name: block.text, parts: [] });
    else {
      if (sheets.length === 0) sheets.push({ name: fileName, parts: [] });
      sheets.at(-1)?.parts.push(block);
    }
  }
  return sheets;
}

/** @param {string} text @param {Cited | undefined} cited */
function tablePart(text, cited) {
  const table = tableOf(text);
  if (cited !== undefined) markRows(table, cited);
  return h("div", { class: "table-scroll", tabindex: "0" }, table.element);
}

/** Share of a row's cells that a text must contain to count as quoting the row. */
const enough = 0.8;

/** @param {ReturnType<typeof tableOf>} table @param {Cited} cited */
function markRows({ header, lines }, { text, quote, sentence }) {
  const inPassage = lines.filter(({ cells }) => shareIn(header, cells, text) >= enough);
  for (const { element } of inPassage) element.classList.add("in-passage");
  const isCited = (/** @type {Line} */ { cells }) =>
    [quote, sentence].some(
      (said) =>
        said !== "" &&
        (shareIn(header, cells, said) >= enough || lettersOf(said).includes(lettersOf(cells.join(" ")))),
    );
  const named = (/** @type {Line} */ { cells: [key = ""] }) =>
    key !== "" && ` ${sentence} `.includes(` ${key} `);
  const quoted = inPassage.filter(isCited);
  for (const { element } of quoted.length > 0 ? quoted : inPassage.filter(named))
    element.classList.add("cited-row");
}

/** Share of a row's cells that a text contains, written as `header: cell` or between bars. @param {readonly string[]} header @param {readonly string[]} cells @param {string} text */
function shareIn(header, cells, text) {
  const filled = cells.map((cell, index) => [header[index] ?? "", cell]).filter(([, cell]) => cell !== "");
  const held = filled.filter(
    ([name, cell]) =>
      text.includes(`${name}: ${cell}`) || text.includes(` | ${cell}`) || text.includes(`${cell} | `),
  );
  return filled.length === 0 ? 0 : held.length / filled.length;
}
