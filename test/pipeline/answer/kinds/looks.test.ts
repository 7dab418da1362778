import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lookAsked } from "../../../../src/language/looks.ts";
import { isUnseen } from "../../../../src/pipeline/answer/kinds/looks.ts";
import { readQuestion } from "../../../../src/pipeline/answer/question.ts";
import { synthesize, synthesizeDefaults } from "../../../../src/pipeline/answer/synthesize.ts";
import { fakeModel, hitOf, runOf } from "../../fixtures.ts";

const unseen = (question: string, text: string): boolean => isUnseen(readQuestion(question), [hitOf(text)]);

describe("a question about how a page looks", () => {
  it("is recognised in English, German and Vietnamese", () => {
    for (const question of [
      "What are the underlined words on page 2?",
      "Which words are in italics?",
      "Which pages have information blacked out?",
      "How many lines are highlighted in yellow on the first page?",
      "How many red arrows are in the drawing?",
      "How many green and grey rectangles are in the first figure?",
      "What is the color of the boat in the picture on page 4?",
      "How many photos are in the report?",
      "What types of charts are in the document?",
      "How many people are there in the images on the cover?",
      "What does the picture on page 3 show?",
      "Have both fridges the orange in the picture?",
      "How many complete examples are shown in the figure at the bottom of page 9?",
      "Welche Wörter sind auf Seite 2 unterstrichen?",
      "Wie viele rote Pfeile zeigt die Zeichnung?",
      "Wie viele Fotos enthält der Bericht?",
      "Những từ được gạch chân ở trang 2 là gì?",
      "Có bao nhiêu mũi tên màu đỏ?",
      "Có bao nhiêu bức ảnh trong báo cáo?",
    ])
      assert.notEqual(lookAsked(question), null, question);
  });

  it("is not one about figures, drawings and colours that a text speaks of by itself", () => {
    for (const question of [
      "What color is the LED when charging?",
      "Which color coding applies to gas bottles?",
      "How many images can the camera store?",
      "Which figures were revised in the report?",
      "What information is highlighted in the CEO's letter?",
      "Who drew the illustrations?",
      "Who holds the rights in the pictures of the report?",
      "Which author is published by Dim Gray Bar Press?",
      "What does the chart of accounts contain?",
      "Welche Farbe hat die Leuchte beim Laden?",
      "Wie viele Bilder speichert die Kamera?",
      "Đèn có màu gì khi sạc?",
    ])
      assert.equal(lookAsked(question), null, question);
  });

  it("is answered by a text that tells the look of the thing in its own words", () => {
    assert.equal(
      unseen("What do the words in italics mean?", "Words in italics are defined in part 9."),
      false,
    );
    assert.equal(
      unseen("What does the red arrow mean?", "The arrow, printed in red, shows the flow."),
      false,
    );
    const photos = "How many photos are in the report?";
    assert.equal(unseen(photos, "This report contains twelve photos of bridges."), false);
    assert.equal(
      unseen("What is the color of the icon that removes an app?", "Touch the red icon to remove the app."),
      false,
    );
    assert.equal(unseen(photos, "Bridges are inspected in spring."), true);
    const examples = "How many complete examples of pumps are shown in the figure at the bottom of page 9?";
    assert.equal(unseen(examples, "Figure 4: Five complete examples of pumps."), false);
    assert.equal(unseen(examples, "Figure 4: Errors by number of examples, of 200 runs."), true);
    assert.equal(unseen("What are the underlined words on page 2?", "Ports in Oslo and Bergen."), true);
    assert.equal(unseen("How many red arrows are in the drawing?", "The drawing is of a pump."), true);
  });

  it("is refused with that reason before a model is loaded, however near the passages are", async () => {
    const hits = [hitOf("The bridges were inspected in spring; photos were taken of each.")];
    const model = fakeModel("Twelve photos of the bridges are in the report. [1]");
    const asked = "How many photos of bridges are in the report?";
    const options = { ...synthesizeDefaults, evidence: { ...synthesizeDefaults.evidence, threshold: 0.01 } };
    const steps = synthesize(
      asked,
      hits,
      options,
      { model: async () => model, fence: () => "f00d" },
      runOf(),
    );
    let step = await steps.next();
    while (step.done !== true) step = await steps.next();
    assert.equal(step.value.verdict.status, "refused");
    assert.match(step.value.verdict.reason, /is about how a page looks, but only its text was read/);
    assert.equal(model.asked.length, 0);
  });
});
