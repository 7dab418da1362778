/** @import { Letters, Span } from "../shapes.d.ts" */

const letter = /[\p{L}\p{N}]/u;

/**
 * Letters and digits of a text in lower case and without their marks: what stays equal however a text is spaced,
 * punctuated, marked up or composed.
 * @param {string} text
 */
export const lettersOf = (text) =>
  [...text.toLowerCase().normalize("NFD")].filter((character) => letter.test(character)).join("");

/**
 * The letters below an element in order, each with the text node it is in, and the elements of `stops` with the number of letters before them.
 * What is inside a stop is not read.
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
    // They can be more than the character; each unit of them stands at the same place.
    for (let unit = 0; unit < letters.length; unit++) read.places.push({ node, offset, end });
    offset = end;
  }
}

/** Where a text stands in letters that were read, as `{start, end}` of letters; undefined where it does not. @param {Letters} read @param {string} text */
export function findText({ letters }, text, from = 0) {
  const wanted = lettersOf(text);
  const start = wanted === "" ? -1 : letters.indexOf(wanted, from);
  return start < 0 ? undefined : { start, end: start + wanted.length };
}

/** Shorter pieces of a quote stand anywhere by chance, letters. */
const shortestPiece = 6;

/** Where a quote stands; one that leaves something out (…) by its pieces. @param {Letters} read @param {string} quote */
export function findQuote(read, quote) {
  const whole = findText(read, quote);
  if (whole !== undefined) return [whole];
  const pieces = quote.split(/…|\n/).filter((piece) => lettersOf(piece).length >= shortestPiece);
  return pieces.map((piece) => findText(read, piece)).filter((place) => place !== undefined);
}

/** The parts of text nodes that letters from `start` to `end` take up, as ranges. @param {Letters} read @param {Span} span */
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

/** Puts each part of a text into an element of its own; ranges of one reading are wrapped from the last to the first. @param {readonly Range[]} ranges @param {() => HTMLElement} makeElement */
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
