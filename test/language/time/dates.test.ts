import assert from "node:assert/strict";
import { test } from "node:test";
import { datesIn, sameDate } from "../../../src/language/time/dates.ts";

const read = (text: string) =>
  datesIn(text).dates.map((readings) => readings.map(({ text: _, ...date }) => date));

test("dates are read with the names of months of every language", () => {
  for (const text of [
    "Die Frist endet am 3. März 2024.",
    "La date limite est le 3 mars 2024.",
    "It ends on 3 March 2024.",
    "It ends on March 3rd, 2024.",
  ])
    assert.deepEqual(read(text), [[{ year: 2024, month: 3, day: 3 }]], text);
  for (const text of ["Seit Oktober 2023 gilt das.", "En octobre 2023."])
    assert.deepEqual(read(text), [[{ year: 2023, month: 10, day: null }]], text);
  assert.deepEqual(read("le 1er août"), [[{ year: null, month: 8, day: 1 }]]);
  assert.deepEqual(read("am 5. Okt. 2021"), [[{ year: 2021, month: 10, day: 5 }]]);
  assert.deepEqual(read("am 31. Dezember und am 1. Jänner"), [
    [{ year: null, month: 12, day: 31 }],
    [{ year: null, month: 1, day: 1 }],
  ]);
});

test("a day of another month is another date, in words as in digits", () => {
  const [[may], [june]] = [datesIn("am 3. Mai 2024").dates[0] ?? [], datesIn("3. Juni 2024").dates[0] ?? []];
  const [[digits]] = [datesIn("03.05.2024").dates[0] ?? []];
  assert.ok(may !== undefined && june !== undefined && digits !== undefined);
  assert.equal(sameDate(may, june), false);
  assert.equal(sameDate(may, digits), true);
});

test("words that begin as a month does are no dates", () => {
  for (const text of ["3. Maiwald", "2 marsouins", "der 5. Augustiner"])
    assert.deepEqual(read(text), [], text);
});
