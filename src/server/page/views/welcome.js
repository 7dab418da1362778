import { get } from "../core/api.js";
import { actionButton, append, fill, h, icon } from "../core/dom.js";
import { t } from "../core/text.js";
import { openDocument } from "../reader/reader.js";

/** @import { DocumentFile } from "../shapes.d.ts" */
/** @typedef {(query: string) => void} Ask */

/** How many recent documents to list. */
const mostRecent = 5;

/** They have columns rather than headings and sentences. */
const spreadsheets = ["xlsx", "csv", "ods"];

/** Passages of a document whose headings are read for an example: a longer one takes too long to load. */
const mostPassages = 200;

/** Longest heading that fits a question, characters. */
const longestHeading = 60;

/** What is shown before the first question. @param {HTMLElement} welcome @param {Ask} ask */
export async function fillWelcome(welcome, ask) {
  const title = h("h2", {}, t("ask.welcome"));
  fill(welcome, title, h("p", { class: "muted" }, t("ask.promise")));
  const { documents } = await get("/v1/documents?limit=5000").catch(() => ({ documents: [] }));
  // Another conversation was begun meanwhile, and fills it.
  if (welcome.firstElementChild !== title) return;
  if (documents.length === 0) {
    append(welcome, [
      h("p", {}, t("ask.empty"), " ", h("a", { href: "#/documents" }, t("ask.upload-first"))),
    ]);
    return;
  }
  const newest = documents
    .toSorted((one, other) => other.ingested_at.localeCompare(one.ingested_at))
    .slice(0, mostRecent);
  const examples = h("ul", { class: "recent" });
  append(welcome, [
    h(
      "p",
      { class: "muted" },
      t("ask.reach", {
        documents: documents.length,
        collections: new Set(documents.map(({ collection }) => collection)).size,
      }),
    ),
    h("h3", {}, t("ask.examples")),
    examples,
    h("h3", {}, t("ask.recent")),
    h("ul", { class: "recent" }, newest.map(recentLine)),
  ]);
  const offer = (/** @type {string} */ query) => append(examples, [exampleLine(query, ask)]);
  const texts = newest.filter(({ format }) => !spreadsheets.includes(format));
  const [first = newest[0]] = texts;
  offer(t("ask.example-list"));
  if (first !== undefined) offer(t("ask.example-summary", { document: first.name }));
  const heading = await headingOf(texts);
  if (heading !== undefined) offer(t("ask.example-mentions", { heading }));
}

/** @param {Parameters<typeof icon>[0]} symbol @param {() => void} onclick @param {Parameters<typeof h>[2][]} parts */
const buttonLine = (symbol, onclick, ...parts) =>
  h("li", {}, actionButton("link", onclick, icon(symbol), ...parts));

/** @param {string} query @param {Ask} ask */
const exampleLine = (query, ask) => buttonLine("ask", () => ask(query), h("span", {}, query));

/** @param {DocumentFile} file */
const recentLine = ({ id, name, title }) =>
  buttonLine(
    "documents",
    () => openDocument(id),
    h("span", {}, title === "" ? name : title),
    title !== "" && !name.startsWith(title) && h("span", { class: "muted" }, name),
  );

/** A heading of one of some documents, so that an example question has an answer. @param {readonly DocumentFile[]} files */
async function headingOf(files) {
  for (const { id, chunks: passages } of files) {
    if (passages > mostPassages) continue;
    const { chunks } = await get(`/v1/documents/${id}`).catch(() => ({ chunks: [] }));
    const heading = chunks
      .map(
        ({ section }) =>
          section
            .split(" › ")
            .at(-1)
            ?.replace(/^[\d.]{1,10} /, "") ?? "",
      )
      .findLast((each) => each !== "" && each.length <= longestHeading);
    if (heading !== undefined) return heading;
  }
  return undefined;
}
