import { h } from "../core/dom.js";
import { date, number, t } from "../core/text.js";
import { openCitation } from "../reader/reader.js";
import { sourceButton } from "./place.js";

/** @import { Child, Told } from "../shapes.d.ts" */

/** Members that are for programs. */
const skipped = ["schema_version", "exit_status", "sha256", "ok", "unavailable"];
/** Members that a link or the button of a source shows. */
const placing = [
  ...["chunk_id", "document_id", "source_file", "document", "collection", "page_number", "pages"],
  ...["section", "headings", "cells", "quote", "quotes", "marker"],
];
const titles = ["name", "row", "text", "date"];
const states = ["verdict", "state", "status", "effect"];

/** What a route answered, drawn from its members: lists, texts, links, and short values with their names. @param {unknown} value @returns {Child} */
export function shown(value, name = "") {
  if (value === null || value === "") return false;
  if (Array.isArray(value) && typeof value[0] === "object")
    return h(
      "ul",
      { class: "plain" },
      value.map((each) => h("li", {}, shown(each))),
    );
  if (typeof value === "object" && !Array.isArray(value)) return toldOf(/** @type {Told} */ (value));
  const values = [value].flat().map((each) => (typeof each === "number" ? number(each) : each));
  const text = name.endsWith("_at") ? date(String(value)) : values.join(", ") || String(values.length);
  if (states.includes(name))
    return h("span", { class: "tag", dataset: { state: text } }, t(`is.${text}`).replace("is.", ""));
  if (name === "run_id") return h("a", { href: `#/runs/${text}` }, text.slice(0, 8));
  if (skipped.includes(name)) return false;
  if (/\s/.test(text)) return h("p", {}, text);
  return h("span", { class: "muted small" }, `${name.replaceAll("_", " ")}: ${text} `);
}

/** @param {Told} told @returns {Child} */
function toldOf(told) {
  const {
    chunk_id: chunkId,
    document_id: id = told.id,
    document,
    quote = told.statement ?? "",
    marker = 1,
  } = told;
  if (told.ingested_at !== undefined) return h("a", { href: `#/documents/${id}` }, told.name);
  const isPlaced = chunkId !== undefined || told.document_id !== undefined;
  const members = Object.entries(told)
    .filter(([name]) => !isPlaced || !placing.includes(name))
    .map(([name, each], at) =>
      at === 0 && titles.includes(name) ? h("strong", {}, String(each)) : shown(each, name),
    );
  if (chunkId === undefined)
    return [isPlaced && h("a", { href: `#/documents/${id}` }, document), " ", ...members];
  const place = {
    source_file: told.source_file ?? document ?? "",
    page_number: told.page_number ?? told.pages?.[0] ?? null,
    section: told.section ?? told.headings?.join(" › ") ?? "",
    cells: told.cells ?? [],
  };
  const open = (/** @type {HTMLElement} */ back) =>
    openCitation({ chunkId, quote, sentence: "", marker, back });
  return [...members, sourceButton({ ...place, marker }, quote, open)];
}
