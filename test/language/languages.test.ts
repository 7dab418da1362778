import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detectScript, languages, parseWords } from "../../src/language/languages.ts";
import { sentences } from "../../src/language/sentences.ts";
import { contentTerms, isStopWord, stem } from "../../src/language/terms.ts";
import { contentWords, foldWord, isFunctionWord, isVague } from "../../src/language/words.ts";

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
      for (const word of [functionWords, stopWords, vagueWords].flatMap((list) => parseWords(list)))
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
    assert.equal(foldWord(word), stem(word));
  assert.deepEqual(["stopped", "1,5", "1,500"].map(foldWord), ["stopp", "1,5", "1500"]);
  assert.deepEqual(["stopped", "1,5", "1,500"].map(stem), ["stop", "15", "1500"]);
  assert.equal(foldWord("Company's"), "company");
});

it("takes an irregular form of an English word for its base, but none that is as often another word", () => {
  for (const [form, base] of [
    ["worn", "wear"],
    ["bought", "buying"],
    ["held", "holds"],
    ["children", "child"],
    ["rose", "rising"],
    ["understood", "understanding"],
  ] as const)
    assert.equal(stem(form), stem(base));
  assert.notEqual(stem("left"), stem("leave"));
  assert.notEqual(stem("led"), stem("lead"));
});

it("cuts sentences at full stops, not at abbreviations of any language", () => {
  assert.deepEqual(sentences("PGS. Lan met Dr. Ray et al. Yesterday. They left."), [
    "PGS. Lan met Dr. Ray et al. Yesterday.",
    "They left.",
  ]);
});

it("leaves the mark of a note with the sentence that it follows", () => {
  assert.deepEqual(
    sentences("The pump runs at 3 bar.[1] The valve is open.[2][13] „Done.“[4] It ends [5]."),
    ["The pump runs at 3 bar.[1]", "The valve is open.[2][13]", "„Done.“[4]", "It ends [5]."],
  );
});

it("cuts no date, ordinal or abbreviation of a German, Vietnamese or English text", () => {
  for (const whole of [
    "Die Frist endet am 3. Mai 2024.",
    "Sie gilt vom 1. Januar bis 31. Dezember 2023.",
    "Die Kirche wurde im 19. Jahrhundert gebaut.",
    "Der 1. Vorsitzende ist Karl Weber.",
    "Werkzeuge, z. B. Hammer und Zange, sind erlaubt.",
    "Der Umsatz betrug 5 Mio. Euro bzw. Dollar nach Art. 5 Abs. 3.",
    "Công ty có trụ sở tại TP. Hồ Chí Minh.",
    "The contact for quality is Mr. Deniz Aksoy, ext. 4711.",
    "Call Dr. Ray, tel. 555 0100.",
    "Mr. S.V. Shanbhag and K.K. Modi paid Rs. 500 for no. 5.",
    "Fit a 19-in. Rack, e.g. Model 5, in the U.S. Office.",
    "Gen. Smith and Lt. Col. Jones left on Jan. 5, as Vol. 3 says.",
    "The document states the opinions of the Del. Superior Court under 29 Del. C. § 5805, pp. 12 and p. 6.",
  ])
    assert.deepEqual(sentences(whole), [whole]);
  for (const two of [
    "Der Wert ist 5. Danach sinkt er.",
    "I am 30. You are not.",
    "Siehe Kapitel 3. Maiwald hat es geschrieben.",
    "Choose option b. Then press the button.",
    "It opens at 5 p.m. The bus leaves later.",
  ])
    assert.equal(sentences(two).length, 2, two);
});

it("tells Vietnamese by the share of its own letters, and scripts by theirs", () => {
  const texts = [
    "Nghỉ phép được bao nhiêu ngày?",
    "The đ is a letter of Vietnamese",
    "休暇は何日ですか",
    "Отпуск",
  ];
  assert.deepEqual(texts.map(detectScript), ["vi", "latin", "cjk", "other"]);
});
