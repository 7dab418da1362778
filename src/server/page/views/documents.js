import { get, post, remove, withQuery } from "../core/api.js";
import { actionButton, append, fill, h, icon } from "../core/dom.js";
import { metadataLines } from "../core/metadata.js";
import { date, number, size, t } from "../core/text.js";
import { openDocument } from "../reader/reader.js";
import { createUploads } from "./upload.js";

/** @import { Chunk, Difference, DocumentFile, Version } from "../shapes.d.ts" */

const columnNames = /** @type {const} */ (["name", "collection", "pages", "passages", "size", "added"]);

/** @typedef {(typeof columnNames)[number]} Column */
/** @typedef {{ readonly by: Column, readonly down: boolean }} Order */

/** The server's limit for one list. */
const most = 5000;

/** `#/documents` lists documents, `#/documents/ID` shows one with its versions. @param {HTMLElement} place @param {readonly string[]} path */
export const open = (place, [id]) => (id === undefined ? openList(place) : openOne(place, id));

/** @param {HTMLElement} place */
async function openList(place) {
  const list = h("div", {});
  const search = h("input", {
    type: "search",
    placeholder: t("documents.search"),
    "aria-label": t("documents.search"),
  });
  const chosen = h(
    "select",
    { "aria-label": t("documents.collection") },
    h("option", { value: "" }, t("documents.all")),
  );
  const uploads = createUploads(() => void load());
  fill(
    place,
    h(
      "div",
      { class: "view-head" },
      h("h1", {}, t("view.documents")),
      h("div", { class: "field-row" }, search, chosen),
    ),
    uploads.element,
    list,
  );
  /** @type {{ documents: readonly DocumentFile[], order: Order }} */
  const held = { documents: [], order: { by: "name", down: false } };
  const draw = () => fill(list, table(held.documents, search.value, chosen.value, held.order, sort));
  const sort = (/** @type {Column} */ by) => {
    held.order = { by, down: held.order.by === by ? !held.order.down : by === "added" };
    draw();
  };
  const load = async () => {
    held.documents = (await get(`/v1/documents?limit=${most}`)).documents;
    draw();
  };
  search.addEventListener("input", draw);
  chosen.addEventListener("change", draw);
  const [{ collections, planned = [] }] = await Promise.all([get("/v1/collections"), load()]);
  append(
    chosen,
    collections.map(({ name, documents }) => h("option", { value: name }, `${name} (${number(documents)})`)),
  );
  uploads.offer([...collections, ...planned].map(({ name }) => name));
}

/**
 * What the columns sort by.
 * @type {Readonly<Record<Column, (file: DocumentFile) => string | number>>}
 */
const columns = {
  name: ({ name }) => name,
  collection: ({ collection }) => collection,
  pages: ({ pages }) => pages,
  passages: ({ chunks }) => chunks,
  size: ({ size_bytes: bytes }) => bytes,
  added: ({ ingested_at: added }) => added,
};

/** @param {Order} order @returns {(one: DocumentFile, other: DocumentFile) => number} */
function inOrder({ by, down }) {
  const [of, sign] = [columns[by], down ? -1 : 1];
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  return (one, other) => sign * compare(String(of(one)), String(of(other)));
}

/**
 * @param {readonly DocumentFile[]} documents
 * @param {string} words
 * @param {string} collection
 * @param {Order} order
 * @param {(by: Column) => void} sort
 */
function table(documents, words, collection, order, sort) {
  const wanted = words.trim().toLowerCase();
  const shown = documents.filter(
    (each) =>
      (collection === "" || each.collection === collection) &&
      `${each.name} ${each.title}`.toLowerCase().includes(wanted),
  );
  if (shown.length === 0)
    return h("p", { class: "muted" }, t(documents.length === 0 ? "documents.empty" : "documents.none"));
  const head = columnNames.map((key) =>
    h(
      "th",
      {
        scope: "col",
        class: ["pages", "passages", "size"].includes(key) && "number",
        "aria-sort": key === order.by && (order.down ? "descending" : "ascending"),
      },
      actionButton("link", () => sort(key), t(`documents.${key}`)),
    ),
  );
  return [
    h("p", { class: "muted", role: "status" }, t("documents.count", { count: shown.length })),
    h(
      "div",
      { class: "table-scroll", tabindex: "0" },
      h(
        "table",
        { class: "documents" },
        h("thead", {}, h("tr", {}, head)),
        h("tbody", {}, shown.toSorted(inOrder(order)).map(line)),
      ),
    ),
  ];
}

/** @param {DocumentFile} file */
const line = ({
  id,
  name,
  title,
  collection,
  pages,
  chunks,
  size_bytes: bytes,
  ingested_at: added,
  version,
}) =>
  h(
    "tr",
    {},
    h(
      "td",
      {},
      h("a", { href: `#/documents/${id}` }, name),
      version > 1 && h("span", { class: "tag" }, t("documents.version", { version })),
      !name.startsWith(title) && h("div", { class: "muted small" }, title),
    ),
    h("td", {}, collection),
    h("td", { class: "number" }, pages === 0 ? "–" : number(pages)),
    h("td", { class: "number" }, number(chunks)),
    h("td", { class: "number" }, size(bytes)),
    h("td", {}, date(added)),
  );

/** @param {HTMLElement} place @param {string} id @returns {Promise<void>} */
async function openOne(place, id) {
  const [{ document: file, versions }, { chunks }] = await Promise.all([
    get(`/v1/documents/${encodeURIComponent(id)}/versions`),
    get(`/v1/documents/${encodeURIComponent(id)}`),
  ]);
  const difference = h("div", {});
  const again = () => openOne(place, id);
  const forget = async () => {
    if (!confirm(t("documents.remove-sure", { name: file.name }))) return;
    await remove(`/v1/documents/${file.id}`);
    location.hash = "#/documents";
  };
  const facts = [
    file.collection,
    file.department,
    file.pages > 0 && t("documents.page-count", { pages: file.pages }),
    size(file.size_bytes),
    file.format,
  ]
    .filter(Boolean)
    .join(" · ");
  fill(
    place,
    h("p", {}, h("a", { href: "#/documents" }, `← ${t("documents.back")}`)),
    h(
      "div",
      { class: "view-head" },
      h(
        "div",
        {},
        h("h1", {}, file.name),
        file.title !== "" && h("p", { class: "muted lead" }, file.title),
        h("p", { class: "muted small" }, facts),
        metadataLines(file.metadata).map((line) => h("p", { class: "muted small" }, line)),
      ),
      h(
        "div",
        { class: "field-row" },
        actionButton("primary", () => openDocument(file.id), t("documents.read")),
        actionButton("secondary", forget, t("documents.remove")),
      ),
    ),
    h("h2", {}, t("documents.versions")),
    h(
      "ul",
      { class: "versions" },
      versions.map((version, index) =>
        versionLine(file.id, version, versions[index + 1], { difference, again }),
      ),
    ),
    difference,
    h("h2", {}, t("documents.passages-of")),
    h(
      "ol",
      { class: "passages" },
      chunks.map((chunk) => passageLine(file.id, chunk)),
    ),
  );
}

/**
 * @param {string} id
 * @param {Version} shown
 * @param {Version | undefined} before
 * @param {{ readonly difference: HTMLElement, readonly again: () => Promise<void> }} view
 */
function versionLine(
  id,
  { version, is_latest: isLatest, kept, at, size_bytes: bytes },
  before,
  { difference, again },
) {
  const compare = async () =>
    fill(
      difference,
      diffView(
        await get(withQuery(`/v1/documents/${id}/diff`, { from: before?.version ?? version, to: version })),
      ),
    );
  const restore = async () => {
    await post(`/v1/documents/${id}/restore`, { version });
    await again();
  };
  return h(
    "li",
    {},
    h("strong", {}, t("documents.version", { version })),
    isLatest && h("span", { class: "tag" }, t("documents.shown")),
    !kept && h("span", { class: "tag" }, t("documents.gone")),
    h("span", { class: "muted" }, `${date(at)} · ${size(bytes)}`),
    kept && before?.kept && actionButton("quiet", compare, t("documents.compare")),
    kept && !isLatest && actionButton("quiet", restore, t("documents.restore")),
  );
}

/** A unified diff; colours repeat what the leading sign says. @param {Difference} difference */
function diffView({ from, to, added, removed, patch }) {
  if (patch === "") return h("p", { class: "notice" }, t("documents.same"));
  /** @type {Readonly<Record<string, string>>} */
  const kinds = { "+": "added", "-": "removed", "@": "place" };
  const lines = patch.split("\n").filter((each) => !/^(?:Index: |={10}|--- |\+\+\+ )/.test(each));
  return h(
    "figure",
    { class: "diff" },
    h("figcaption", {}, t("documents.diff", { from, to, added, removed })),
    h(
      "pre",
      { tabindex: "0" },
      lines.map((each) => h("span", { class: `diff-${kinds[each.slice(0, 1)] ?? "same"}` }, `${each}\n`)),
    ),
  );
}

/** @param {string} id @param {Chunk} chunk */
const passageLine = (id, { text, page_number: page, section }) =>
  h(
    "li",
    {},
    actionButton(
      "link",
      () => openDocument(id, page ?? 1),
      icon("documents"),
      h(
        "span",
        {},
        [page === null ? "" : t("page", { page }), section].filter((part) => part !== "").join(" · ") ||
          t("documents.read"),
      ),
    ),
    h("p", { class: "clamp" }, text),
  );
