const letter = /[\p{L}\p{N}]/u;

/**
 * Letters and digits of a text in lower case and without their marks: what stays equal however a text is spaced,
 * punctuated, marked up or composed.
 */
export const lettersOf = (text) =>
  [...text.toLowerCase().normalize("NFD")].filter((character) => letter.test(character)).join("");

/**
 * The letters below an element in order, each with the text node it is in, and the elements of `stops` with the number of letters before them.
 * What is inside a stop is not read.
 */
export function readLetters(root, stops = "") {
  const read = { letters: "", places: [], stopped: [] };
  const visit = (node) => {
    if (node.nodeType === Node.TEXT_NODE) readText(node, read);
    else if (stops !== "" && node.nodeType === Node.ELEMENT_NODE && node.matches(stops))
      read.stopped.push({ element: node, at: read.letters.length });
    else for (const child of node.childNodes) visit(child);
  };
  visit(root);
  return read;
}

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

/** Where a text stands in letters that were read, as `{start, end}` of letters; undefined where it does not. */
export function findText({ letters }, text, from = 0) {
  const wanted = lettersOf(text);
  const start = wanted === "" ? -1 : letters.indexOf(wanted, from);
  return start < 0 ? undefined : { start, end: start + wanted.length };
}

/** Shorter pieces of a quote stand anywhere by chance, letters. */
const shortestPiece = 6;

/** Where a quote stands; one that leaves something out (…) by its pieces. */
export function findQuote(read, quote) {
  const whole = findText(read, quote);
  if (whole !== undefined) return [whole];
  const pieces = quote.split(/…|\n/).filter((piece) => lettersOf(piece).length >= shortestPiece);
  return pieces.map((piece) => findText(read, piece)).filter((place) => place !== undefined);
}

/** The parts of text nodes that letters from `start` to `end` take up, as ranges. */
export function rangesOf({ places }, { start, end }) {
  const ranges = [];
  for (let index = start; index < end; ) {
    const { node, offset } = places[index];
    let last = index;
    while (last + 1 < end && places[last + 1].node === node) last++;
    const range = document.createRange();
    range.setStart(node, offset);
    range.setEnd(node, places[last].end);
    ranges.push(range);
    index = last + 1;
  }
  return ranges;
}

/** Puts each part of a text into an element of its own; ranges of one reading are wrapped from the last to the first. */
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
