import assert from "node:assert/strict";
import { it } from "node:test";
import { detectLanguage } from "../../../src/language/languages.ts";
import { namesIn } from "../../../src/language/names.ts";
import { evidence } from "../../../src/pipeline/answer/evidence.ts";
import { analyzeQuestion } from "../../../src/pipeline/answer/question.ts";
import { refusal } from "../../../src/pipeline/answer/refuse.ts";
import { hitOf } from "../fixtures.ts";

const travel = [
  hitOf(
    "Bahnreisen in der zweiten Klasse sind die Regel. Flüge unter 600 km sind nicht erlaubt. " +
      "Die Abrechnung muss spätestens 21 Tage nach Ende der Reise beim Personalbüro eingehen.",
    { sourceName: "reisekosten.md" },
  ),
];
const scoreOf = (question: string): number => evidence(analyzeQuestion(question), travel).score;

it("takes single German nouns for words, and only runs of capitals for names", () => {
  assert.deepEqual(namesIn("Darf ich einen Flug von 500 km buchen?"), []);
  assert.deepEqual(namesIn("Bis Ende Februar muss Frau Petra Zeil der Halden GmbH was vorlegen?"), [
    "Frau Petra Zeil",
    "Halden",
  ]);
  assert.deepEqual(namesIn("What did Toller pay to Halden?"), ["Toller", "Halden"]);
});

it("tells German by its small words, not by one that other languages share", () => {
  const languages = [
    "Wie lange dauert die Garantie?",
    "Was kostet der Filter?",
    "Who was the editor of Der Spiegel?",
    "Qui est le directeur des ventes ?",
  ].map(detectLanguage);
  assert.deepEqual(languages, ["de", "de", "en", "fr"]);
});

it("finds enough where a German passage has a noun in another form or as part of a compound", () => {
  assert.ok(scoreOf("Darf ich Flüge unter 600 km buchen?") > 0.24);
  assert.ok(scoreOf("Ist ein Flug unter 600 km erlaubt?") > 0.24);
  assert.ok(scoreOf("Bis wann muss die Reisekostenabrechnung eingehen?") > 0.24);
  assert.ok(scoreOf("Wie hoch ist der Mindestlohn in Bayern?") < 0.24);
});

it("says in German why there is no answer", () => {
  assert.match(
    refusal(
      analyzeQuestion("Wie viele Tage Bildungsurlaub gibt es?"),
      travel.map(({ chunk }) => ({ chunk, quote: chunk.text })),
    ),
    /^Ich habe in den durchsuchten Sammlungen .*\nAm nächsten kommen:\n- /,
  );
});
