import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { languages, parseWords } from "../../../src/language/languages.ts";
import { rulesForLanguage } from "../../../src/tables/query/reading.ts";

describe("the words of questions over spreadsheets", () => {
  for (const { code, cells, limits, sheets } of languages) {
    it(`are complete, with those of its lexicon for the highest, the lowest and for limits (${code})`, () => {
      const { silent, figures, meanings, roots: _, apart: __, ...others } = sheets;
      for (const [name, words] of Object.entries({ ...figures, ...meanings, ...others }))
        assert.notEqual(String(words).trim(), "", name);
      assert.ok(parseWords(silent).length > 50);
      for (const word of [cells?.most, cells?.least, cells?.more, cells?.less, cells?.apart?.than])
        assert.ok(word);
      for (const word of [limits?.above, limits?.below, limits?.from, limits?.upTo]) assert.ok(word);
    });

    it(`are in lower case and composed, and none listed twice (${code})`, () => {
      const { silent } = sheets;
      for (const word of parseWords(silent)) assert.equal(word, word.toLowerCase().normalize("NFC"));
      for (const group of silent) {
        const words = group.split(/\s+/).filter((word) => word !== "");
        assert.deepEqual(
          words.filter((word, at) => words.indexOf(word) !== at),
          [],
        );
      }
    });
  }

  it("are compared without the endings of cases, plurals and genders", () => {
    const root = (code: "de" | "fr" | "en", words: string): readonly string[] => [
      ...new Set(words.split(" ").map(rulesForLanguage(code).rootOf)),
    ];
    for (const words of [
      "betrag beträge betrags betrages beträgen",
      "preis preise preises preisen",
      "menge mengen",
      "bestand bestände bestands",
      "lager lagers",
      "artikel artikeln artikels",
      "höchste höchster höchsten höchstes",
    ])
      assert.equal(root("de", words).length, 1, `${words}: ${root("de", words).join(" ")}`);
    for (const words of ["élevé élevée élevés élevées", "total totaux totale", "bureau bureaux", "prix"])
      assert.equal(root("fr", words).length, 1, `${words}: ${root("fr", words).join(" ")}`);
    assert.equal(root("en", "pump pumps").length, 1);
  });
});
