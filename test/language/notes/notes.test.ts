import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { languages } from "../../../src/language/languages.ts";
import { notesFor, notesIn } from "../../../src/language/notes/notes.ts";

/** Every text of a table under its path; a function gives those of one and of several. */
function textsOf(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function")
    return [
      [`${path} of one`, String(value(1, 1, "A", "B"))],
      [`${path} of several`, String(value(2, 2, "A", "B"))],
    ];
  return Object.entries(Object(value)).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`));
}

describe("the notes of a language", () => {
  for (const { code } of languages)
    it(`have a text for everything, and none of English in another language (${code})`, () => {
      const texts = textsOf(notesIn(code), code);
      const english = textsOf(notesIn("en"), code);
      assert.deepEqual(
        texts.map(([path]) => path),
        english.map(([path]) => path),
      );
      for (const [at, [path, text]] of texts.entries()) {
        assert.notEqual(text.trim(), "", path);
        assert.doesNotMatch(text, /undefined/, path);
        // A page is called so in French too; a colon and a unit are no words.
        if (code !== "en" && !/pages|colon|amount/.test(path)) assert.notEqual(text, english[at]?.[1], path);
      }
    });

  const asked = {
    de: [
      "Wie viele Urlaubstage gibt es insgesamt?",
      "Welche Dokumente erwähnen Urlaub?",
      "Nenne alle Schritte",
      "Worum geht es in diesem Dokument?",
      "Danke",
    ],
    fr: [
      "Combien de jours de congé ai-je ?",
      "Quelle est la pression de la pompe ?",
      "Qui es-tu ?",
      "Bonjour",
    ],
    vi: ["Bơm P-107 nặng bao nhiêu?", "Xin chào", "Bơm P-107?"],
    es: ["¿Cuál es la presión de la bomba?", "¿Quién eres?", "Gracias", "¿Bomba P-107?"],
    en: [
      "How heavy is the pump?",
      "P-107",
      "When did Nguyễn Văn A join?",
      "Who wrote Les Misérables?",
      "Where is the Haus der Kunst?",
      // Of no language with words of its own here.
      "Qual è la pressione della pompa?",
      "Qual é a pressão da bomba?",
    ],
  };
  for (const [code, questions] of Object.entries(asked))
    for (const question of questions)
      it(`are chosen by the words of the question: “${question}” (${code})`, () => {
        assert.equal(notesFor(question), notesIn(code));
      });
});
