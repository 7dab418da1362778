import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ground } from "../../../../src/pipeline/answer/ground.ts";
import { chunkOf } from "../../fixtures.ts";
import { reasonOf } from "./verdicts.ts";

const devices = "Source code may be stored only on a company laptop.";

describe("a yes over what restricts, excepts or forbids is removed", () => {
  for (const [question, text, statement] of [
    ["Can I store source code on my Android phone?", devices, "Yes."],
    [
      "Can I store source code on my Android phone?",
      devices,
      "Yes, you can store source code on your phone.",
    ],
    [
      "May visitors enter the laboratory?",
      "Visitors must not enter the laboratory.",
      "Visitors may enter the laboratory.",
    ],
    [
      "Are pets allowed in the flat?",
      "Pets are not allowed in the flat, except guide dogs.",
      "Yes, pets are allowed in the flat.",
    ],
    [
      "May I keep a gift worth 50 EUR?",
      "Gifts worth up to 40 EUR may be kept.",
      "Yes, you may keep a gift worth 50 EUR.",
    ],
    [
      "Darf ich am Wochenende parken?",
      "Am Wochenende dürfen nur Anwohner parken.",
      "Ja, Sie dürfen am Wochenende parken.",
    ],
    ["Dürfen Besucher im Lager fotografieren?", "Im Lager dürfen Besucher nicht fotografieren.", "Ja."],
    [
      "Puis-je apporter un vélo dans le train ?",
      "Un vélo est accepté dans le train uniquement le dimanche.",
      "Oui, un vélo est accepté dans le train.",
    ],
    [
      "Tôi có được mang đồ ăn vào thư viện không?",
      "Chỉ nhân viên được mang đồ ăn vào thư viện.",
      "Có, bạn được mang đồ ăn vào thư viện.",
    ],
  ] as const)
    it(`${statement} to “${question}”`, () => {
      assert.notEqual(reasonOf(question, text, statement), undefined);
    });
});

describe("an answer stays that goes with its passage", () => {
  for (const [question, text, statement] of [
    [
      "Can I store source code on a company laptop?",
      "Source code may be stored on a company laptop.",
      "Yes, source code may be stored on a company laptop.",
    ],
    [
      "Can I store source code on my phone?",
      devices,
      "No, source code may be stored only on a company laptop.",
    ],
    ["Can I store source code on a company laptop?", devices, "Yes, but only on a company laptop."],
    [
      "May I keep a gift worth 30 EUR?",
      "Gifts worth up to 40 EUR may be kept.",
      "Yes, you may keep a gift worth 30 EUR.",
    ],
    [
      "Ist das Parken am Wochenende frei?",
      "Am Wochenende ist das Parken frei.",
      "Ja, am Wochenende ist das Parken frei.",
    ],
  ] as const)
    it(`${statement} to “${question}”`, () => {
      assert.equal(reasonOf(question, text, statement), undefined);
    });
});

it("removes a no that adds nothing over a passage that denies nothing", () => {
  const text = "Visitors may take photos in the garden.";
  assert.notEqual(reasonOf("May visitors take photos in the garden?", text, "No."), undefined);
  assert.equal(
    reasonOf("Does the museum open at eight?", "The museum opens at nine.", "No, it opens at nine."),
    undefined,
  );
});

it("shows what the passage says in place of a yes that it restricts", () => {
  const passages = [{ marker: 1, text: devices, chunk: chunkOf(devices) }];
  const { text, sentences } = ground("Yes. [1]", passages, "Can I store source code on my phone?", "strict");
  assert.equal(text, `${devices} [1]`);
  assert.deepEqual(
    sentences.map(({ rule, support }) => [rule, support]),
    [
      ["restrictedYes", "unsupported"],
      ["quote", "supported"],
    ],
  );
});
