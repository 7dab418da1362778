import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { languageOf, languages, listed } from "../../src/language/languages.ts";
import { sentences } from "../../src/language/sentences.ts";
import { contentTerms, isStopWord, stem } from "../../src/language/terms.ts";
import { contentWords, fold, isFunctionWord, isVague } from "../../src/language/words.ts";

describe("the words of a language", () => {
  for (const { code, functionWords = [], stopWords = [], vagueWords = [] } of languages) {
    it(`stand in one group each, whatever the group is used for (${code})`, () => {
      const words = [...new Set([...functionWords, ...stopWords, ...vagueWords])].flatMap((group) =>
        group.split(/\s+/),
      );
      assert.deepEqual(
        words.filter((word, at) => words.indexOf(word) !== at),
        [],
      );
    });
  }

  it("are listed in lower case and composed", () => {
    for (const { functionWords, stopWords, vagueWords } of languages)
      for (const word of [functionWords, stopWords, vagueWords].flatMap((list) => listed(list)))
        assert.equal(word, word.toLowerCase().normalize("NFC"));
  });

  it("differ by purpose: what carries no subject in a question may still be a term of a text", () => {
    assert.deepEqual([isFunctionWord("after"), isStopWord("after"), isVague("after")], [true, false, false]);
    assert.deepEqual(
      [isFunctionWord("report"), isStopWord("report"), isVague("report")],
      [false, true, true],
    );
    assert.deepEqual([isFunctionWord("based"), isStopWord("based"), isVague("based")], [false, true, false]);
    assert.deepEqual([isFunctionWord("cost"), isStopWord("cost"), isVague("cost")], [false, false, true]);
    assert.deepEqual(contentWords("Tell me what happens after the outage"), ["happens", "outage"]);
    assert.deepEqual(contentTerms("Tell me what happens after the outage"), ["happen", "after", "outag"]);
  });

  it("leave of German and French what carries a subject, and take no word of English away", () => {
    assert.deepEqual(contentTerms("Wer genehmigt den Antrag auf Urlaub, und bis wann?"), [
      "genehmigt",
      "den",
      "antrag",
      "urlaub",
    ]);
    assert.deepEqual(contentTerms("Quelle est la pression de la pompe ?"), ["pression", "pomp"]);
    for (const word of ["war", "die", "man", "bin", "hat", "car", "son", "comment", "pour"])
      assert.equal(isStopWord(word), false, word);
  });
});

it("stems a word alike in questions and texts, except for doubled letters and numbers", () => {
  for (const word of ["stores", "cities", "working", "bus", "nghỉ", "löschen"])
    assert.equal(fold(word), stem(word));
  assert.deepEqual(["stopped", "1,5", "1,500"].map(fold), ["stopp", "1,5", "1500"]);
  assert.deepEqual(["stopped", "1,5", "1,500"].map(stem), ["stop", "15", "1500"]);
  assert.equal(fold("Company's"), "company");
});

it("cuts sentences at full stops, not at abbreviations of any language", () => {
  assert.deepEqual(sentences("PGS. Lan met Dr. Ray et al. Yesterday. They left."), [
    "PGS. Lan met Dr. Ray et al. Yesterday.",
    "They left.",
  ]);
});

it("tells Vietnamese by the share of its own letters, and scripts by theirs", () => {
  const texts = [
    "Nghỉ phép được bao nhiêu ngày?",
    "The đ is a letter of Vietnamese",
    "休暇は何日ですか",
    "Отпуск",
  ];
  assert.deepEqual(texts.map(languageOf), ["vi", "latin", "cjk", "other"]);
});
