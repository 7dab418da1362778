const svgNamespace = "http://www.w3.org/2000/svg";

/** @import { Child, Properties } from "../shapes.d.ts" */

/**
 * Creates an element. `on…` properties are listeners; `undefined` and `false` omit an attribute. Strings become text nodes, never
 * markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} properties
 * @param {readonly Child[]} children
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (value !== undefined && value !== false && value !== null) setProperty(element, name, value);
  return append(element, children);
}

/** Set as properties, because attributes only give their initial values. */
const states = ["value", "checked", "disabled", "hidden"];

/** @param {HTMLElement} element @param {string} name @param {unknown} value */
function setProperty(element, name, value) {
  if (typeof value === "function") element.addEventListener(name.slice(2), (event) => value(event));
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (states.includes(name)) Object.assign(element, { [name]: value });
  else element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * Appends nodes and strings; empty ones are skipped.
 * @template {Element | DocumentFragment} Parent
 * @param {Parent} element
 * @param {readonly Child[]} children
 */
export function append(element, children) {
  for (const child of children)
    if (typeof child === "string" || child instanceof Node) element.append(child);
    else if (child) append(element, child);
  return element;
}

/**
 * Replaces the children of an element.
 * @template {Element} Parent
 * @param {Parent} element
 * @param {readonly Child[]} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** The head of a table. @param {readonly Child[]} titles @param {Properties} properties */
export const tableHead = (titles, properties = {}) => {
  const cells = titles.map((title) => h("th", { scope: "col" }, title));
  return h("thead", properties, h("tr", {}, cells));
};

/** @typedef {keyof typeof outlines} IconName */

/** Paths on a 24 by 24 grid. */
const outlines = {
  ask: "M4 5h16v11H9l-5 4z",
  documents: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  examine: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5",
  chats: "M3 6h12v9H8l-5 4zM18 9h3v11l-4-3h-6v-2",
  access: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  runs: "M5 20V10M12 20V4M19 20v-7",
  state: "M3 12h4l3-8 4 16 3-8h4",
  close: "M6 6l12 12M18 6L6 18",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  send: "M5 12h13M12 6l6 6-6 6",
  stop: "M7 7h10v10H7z",
  upload: "M12 16V4M7 9l5-5 5 5M4 20h16",
  supported: "M5 12.5l4.5 4.5L19 7.5",
  partial: "M5 9c3-3 5 3 8 0s4-1 6 0M5 15c3-3 5 3 8 0s4-1 6 0",
  unsupported: "M6 6l12 12M18 6L6 18",
  minus: "M5 12h14",
  plus: "M12 5v14M5 12h14",
  open: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
};

/** An icon, hidden from screen readers because text accompanies it. @param {IconName} name */
export function icon(name) {
  const svg = document.createElementNS(svgNamespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svgNamespace, "path");
  path.setAttribute("d", outlines[name]);
  svg.append(path);
  return svg;
}

/** A button with a class. @param {string} kind @param {() => unknown} onclick @param {readonly Child[]} children */
export const actionButton = (kind, onclick, ...children) =>
  h("button", { type: "button", class: kind, onclick }, ...children);

/** Announces a change to screen readers. @param {string} text */
export function announce(text) {
  const announcer = document.getElementById("announcer");
  if (announcer) announcer.textContent = text;
}

/**
 * A button with an icon only; the label serves screen readers and as a tooltip.
 * @param {IconName} name
 * @param {string} label
 * @param {() => unknown} onclick
 * @param {Properties} properties
 */
export const iconButton = (name, label, onclick, properties = {}) =>
  h(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...properties },
    icon(name),
  );
