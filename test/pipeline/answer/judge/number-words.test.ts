import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { quantitiesIn } from "../../../../src/language/quantities.ts";
import { verdictOf } from "./verdicts.ts";

const german = "Die Lieferzeit beträgt derzeit acht Wochen.";
const asked = "Wie lange ist die Lieferzeit bei Lüdecke?";
const vietnamese = "Thời gian giao hàng là bao lâu?";

it("reads number words of every language, joined as each joins them", () => {
  const valuesOf = (text: string) => quantitiesIn(text).flatMap(({ readings }) => readings);
  assert.deepEqual(valuesOf("twenty-two pumps"), [22]);
  assert.deepEqual(valuesOf("fünfundzwanzig pumpen und zwölf ventile"), [25, 12]);
  assert.deepEqual(valuesOf("hai mươi lăm máy bơm"), [25]);
  assert.deepEqual(valuesOf("soixante-douze jours"), [72]);
});

it("takes no Vietnamese syllable for a number that is a year, a month or a word of another language", () => {
  assert.deepEqual(quantitiesIn("mỗi năm kiểm tra vào tháng ba và thứ hai"), []);
  assert.deepEqual(quantitiesIn("she has a ba and is called hai"), []);
  assert.equal(quantitiesIn("trong năm tuần, được")[0]?.unit, "wk");
});

describe("a number in words", () => {
  for (const [question, text, statement] of [
    [asked, german, german],
    [asked, german, "Die Lieferzeit beträgt 8 Wochen."],
    ["How long is the Lieferzeit at Lüdecke?", german, "The Lieferzeit is eight weeks."],
    ["How long is the Lieferzeit at Lüdecke?", "Die Lieferzeit beträgt 8 Wochen.", "It is eight weeks."],
    [vietnamese, "Thời gian giao hàng là tám tuần.", "Thời gian giao hàng là 8 tuần."],
  ] as const)
    it(`answers “${question}”: ${statement}`, () => {
      assert.equal(verdictOf(question, text, statement)?.support, "supported");
    });

  for (const [question, text, statement] of [
    [asked, german, "Die Lieferzeit beträgt neun Wochen."],
    [asked, german, "Die Lieferzeit beträgt 8 Tage."],
    ["How long is the Lieferzeit?", german, "The Lieferzeit is nine weeks."],
    [vietnamese, "Thời gian giao hàng là tám tuần.", "Thời gian giao hàng là chín tuần."],
  ] as const)
    it(`must stand in the passage: ${statement}`, () => {
      assert.equal(verdictOf(question, text, statement)?.support, "unsupported");
    });
});
