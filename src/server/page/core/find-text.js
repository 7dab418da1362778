/** @import { Letters, Span } from "../shapes.d.ts" */

const letter = /[\p{L}\p{N}]/u;

/**
 * Lower-case letters and digits of a text without diacritics. Texts compare equal whatever their spacing, punctuation, markup or
 * Unicode composition.
 * @param {string} text
 */
export const lettersOf = (text) =>
  [...text.toLowerCase().normalize("NFD")].filter((character) => letter.test(character)).join("");

/**
 * The letters below an element with their text nodes. Elements that match `stops` are not read; each is listed with the number of
 * letters before it.
 * @param {Node} root
 */
export function readLetters(root, stops = "") {
  /** @type {Letters} */
  const read = { letters: "", places: [], stopped: [] };
  const visit = (/** @type {Node} */ node) => {
    if (node instanceof Text) readText(node, read);
    else if (stops !== "" && node instanceof HTMLElement && node.matches(stops))
      read.stopped.push({ element: node, at: read.letters.length });
    else for (const child of node.childNodes) visit(child);
  };
  visit(root);
  return read;
}

/** @param {Text} node @param {Letters} read */
function readText(node, read) {
  let offset = 0;
  for (const character of node.data) {
    const end = offset + character.length;
    const letters = lettersOf(character);
    read.letters += letters;
    // Normalizing may yield several letters; all have the position of the character.
    for (let unit = 0; unit < letters.length; unit++) read.places.push({ node, offset, end });
    offset = end;
  }
}

/** Finds a text among letters; undefined if it is not there. @param {Letters} read @param {string} text */
export function findText({ letters }, text, from = 0) {
  const wanted = lettersOf(text);
  const start = wanted === "" ? -1 : letters.indexOf(wanted, from);
  return start < 0 ? undefined : { start, end: start + wanted.length };
}

/** Shorter pieces of a quote would match by chance, letters. */
const shortestPiece = 6;

/** Finds a quote; one with an ellipsis (…) is found by its pieces. @param {Letters} read @param {string} quote */
export function findQuote(read, quote) {
  const whole = findText(read, quote);
  if (whole !== undefined) return [whole];
  const pieces = quote.split(/…|\n/).filter((piece) => lettersOf(piece).length >= shortestPiece);
  return pieces.map((piece) => findText(read, piece)).filter((place) => place !== undefined);
}

/** The DOM ranges that cover a span of letters. @param {Letters} read @param {Span} span */
export function rangesOf({ places }, { start, end }) {
  const ranges = [];
  for (const { node, offset, end: until } of places.slice(start, end)) {
    const last = ranges.at(-1);
    if (last?.startContainer === node) last.setEnd(node, until);
    else {
      const range = document.createRange();
      range.setStart(node, offset);
      range.setEnd(node, until);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Wraps each range in an element, the last first, so that earlier offsets stay valid. @param {readonly Range[]} ranges @param {() => HTMLElement} makeElement */
export function wrapRanges(ranges, makeElement) {
  return ranges
    .toReversed()
    .map((range) => {
      const element = makeElement();
      range.surroundContents(element);
      return element;
    })
    .toReversed();
}
