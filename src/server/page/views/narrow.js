import { get } from "../core/api.js";
import { actionButton, append, fill, h } from "../core/dom.js";
import { metadataLines } from "../core/metadata.js";
import { day, t } from "../core/text.js";

/** Most document names suggested while typing. */
const mostOffered = 500;

/** A page or a range, as the server accepts it: `3` or `3-5`. */
const pagePattern = "\\s*\\d{1,6}(\\s?[\\-–]\\s?\\d{1,6})?\\s*";

/** A condition on metadata, as the server accepts it: `version>=2`. */
const metadataPattern = "[^<>=]+(>=|<=|>|<|=).+";

/** The server accepts at most 200 characters. */
const words = { maxlength: "200", autocomplete: "off" };

/**
 * The filters of a search other than its collection: a button that names them, and a panel. `values` are members of the
 * request, `text` describes them.
 */
export function createNarrow() {
  const fields = createFields();
  const panel = h(
    "fieldset",
    { class: "narrow-panel", id: "narrow-panel", hidden: true, onkeydown: pressed, oninput: tell },
    h("legend", { class: "visually-hidden" }, t("narrow")),
    Object.entries(fields.inputs).map(([name, input]) =>
      h("label", { class: "narrow-field" }, h("span", {}, t(`narrow.${name}`)), input),
    ),
    fields.offered,
    actionButton("quiet", clear, t("narrow.clear")),
  );
  const button = h("button", {
    type: "button",
    class: "quiet narrow-button",
    "aria-controls": panel.id,
    onclick: () => show(Boolean(panel.hidden)),
  });
  // The browser can only report an invalid field that is visible.
  panel.addEventListener("invalid", () => show(true), true);
  /** @param {boolean} isOpen */
  function show(isOpen) {
    if (isOpen && panel.hidden) void fields.offer();
    panel.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
  }
  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.key !== "Escape") return;
    show(false);
    button.focus();
  }
  function clear() {
    for (const input of Object.values(fields.inputs)) input.value = "";
    tell();
    fields.inputs.type.focus();
  }
  function tell() {
    const text = fields.text();
    fill(button, text === "" ? t("narrow") : t("narrow.to", { what: text }));
    button.classList.toggle("narrowing", text !== "");
  }
  show(false);
  tell();
  return { button, panel, values: fields.values, text: fields.text };
}

/** The typed values as members of a request. @param {Readonly<Record<string, string>>} typed */
function filtersOf({ type: format, document: name, pages, since, section, metadata, ...texts }) {
  const conditions = Object.entries(texts).map(([key, value]) => `${key}=${value}`);
  const meta = metadata === undefined ? conditions : [...conditions, metadata];
  return {
    ...(format === undefined ? {} : { formats: [format] }),
    ...(name === undefined ? {} : { documents: [name] }),
    ...(pages === undefined ? {} : { pages }),
    ...(since === undefined ? {} : { since }),
    ...(section === undefined ? {} : { section }),
    ...(meta.length === 0 ? {} : { meta }),
  };
}

/** The input fields by name, with their text and values. */
function createFields() {
  const type = h("select", {}, h("option", { value: "" }, t("narrow.any-type")));
  const offered = h("datalist", { id: "narrow-documents" });
  const described = h("datalist", { id: "narrow-metadata" });
  const inputs = {
    type,
    document: h("input", { list: offered.id, maxlength: "500", autocomplete: "off" }),
    pages: h("input", { ...words, maxlength: "15", pattern: pagePattern, placeholder: "3-5" }),
    since: h("input", { type: "date" }),
    section: h("input", words),
    title: h("input", words),
    method: h("input", { ...words, placeholder: "tesseract" }),
    metadata: h("input", {
      ...words,
      list: described.id,
      pattern: metadataPattern,
      placeholder: "version>=2",
    }),
  };
  const given = () =>
    Object.entries(inputs)
      .map(([name, input]) => [name, input.value.trim()])
      .filter(([, value]) => value !== "");
  return {
    inputs,
    offered: [offered, described],
    text: () =>
      given()
        .map(([name = "", value = ""]) =>
          t(`narrow.says-${name}`, { value: name === "since" ? day(value) : value }),
        )
        .join(", "),
    values: () => filtersOf(Object.fromEntries(given())),
    /** Refreshes the suggestions from the present documents. */
    async offer() {
      const { documents } = await get("/v1/documents?limit=5000").catch(() => ({ documents: [] }));
      const unique = (/** @type {"name" | "format"} */ member) =>
        [...new Set(documents.map((each) => each[member]))].sort();
      fill(
        offered,
        unique("name")
          .slice(0, mostOffered)
          .map((value) => h("option", { value })),
      );
      fill(
        described,
        [...new Set(documents.flatMap(({ metadata }) => metadataLines(metadata)))]
          .sort()
          .slice(0, mostOffered)
          .map((value) => h("option", { value })),
      );
      const kept = type.value;
      const there = new Set([...unique("format"), ...(kept === "" ? [] : [kept])]);
      fill(type, h("option", { value: "" }, t("narrow.any-type")));
      append(
        type,
        [...there].map((value) => h("option", { value }, value)),
      );
      type.value = kept;
    },
  };
}
