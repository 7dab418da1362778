import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, rawPdf } from "../pdf-hostile.ts";
import { parsePdf } from "../pdf-make.ts";

/** The paragraphs read of lines below each other; `~` is a soft hyphen. */
async function read(lines: readonly string[]): Promise<string> {
  const shown = lines.map((line) => `(${line.replaceAll("~", "\\037")}) Tj 0 -13 Td`).join(" ");
  const { blocks } = await parsePdf(rawPdf([[packed(`BT /A 11 Tf 72 700 Td ${shown} ET`)]]));
  return blocks.map(({ text }) => text).join("\n");
}

test("a word broken by a soft hyphen is joined, one inside a line leaves no trace", async () => {
  const text = await read([
    "Before they decide, most buyers look at the immo~",
    "bilien of the neigh~bourhood and at what polit~",
    "ical science has to say about their value over time.",
  ]);
  assert.match(text, /^Before they decide, most buyers look at the immobilien of the neighbourhood and/);
  assert.match(text, /at what political science has/);
});

test("where words are broken by soft hyphens, a hyphen at a line's end is the word's own", async () => {
  const text = await read([
    "The valve was found to be in a state that the main~",
    "tenance crew called out of order. A well-",
    "known fault is a leak at the cross-",
    "section of the valve, which must be looked at.",
  ]);
  assert.match(text, /the maintenance crew .* A well-known fault is a leak at the cross-section of/);
});

test("a hyphen beside a figure, before a capital or behind one letter belongs to its word", async () => {
  const text = await read([
    "What was seen in the long run is that the 24-",
    "hour limit applies to any part numbered AX-",
    "4471 and to its successor, by order of the EU-",
    "Kommission, whose address for the e-",
    "mail is on the label that the labora-",
    "tory has put on the lid of the box for us.",
  ]);
  assert.match(text, /the 24-hour limit .* AX-4471 and .* EU-Kommission, .* the e-mail is .* laboratory has/);
});

test("a dash that ends a line stays as it is", async () => {
  const text = await read([
    "Nobody had thought of what came next on that day -",
    "and yet it came, in a way that pleased the whole crew",
    "of the ship, for as long as it took to get them all home.",
  ]);
  assert.match(text, /on that day - and yet it came/);
});
