import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { notesFor } from "../../../../src/language/notes/notes.ts";
import { reasonOf } from "./verdicts.ts";

const yearly = "Is the reference electrode calibrated yearly?";
const replaced = "The reference electrodes are calibrated every six months instead of yearly.";
const german = "Werden die Elektroden jährlich kalibriert?";
const vietnamese = "Điện cực có được hiệu chuẩn hàng năm không?";

describe("a yes is removed over what denies it", () => {
  for (const [question, text, statement] of [
    [yearly, replaced, `Yes, ${replaced}`],
    [
      yearly,
      "The reference electrodes are calibrated every six months rather than yearly.",
      "Yes, every six months.",
    ],
    [
      yearly,
      "The reference electrodes are no longer calibrated yearly.",
      "Yes, the reference electrodes are no longer calibrated yearly.",
    ],
    [
      yearly,
      "The reference electrodes are calibrated not yearly but every six months.",
      "Yes, the reference electrodes are calibrated not yearly but every six months.",
    ],
    [
      german,
      "Die Elektroden werden alle sechs Monate statt wie bisher jährlich kalibriert.",
      "Ja, die Elektroden werden alle sechs Monate statt wie bisher jährlich kalibriert.",
    ],
    [
      german,
      "Die Elektroden werden nicht mehr jährlich kalibriert, sondern alle sechs Monate.",
      "Ja, die Elektroden werden nicht mehr jährlich kalibriert, sondern alle sechs Monate.",
    ],
    [
      vietnamese,
      "Điện cực được hiệu chuẩn sáu tháng một lần thay vì hàng năm.",
      "Có, điện cực được hiệu chuẩn sáu tháng một lần thay vì hàng năm.",
    ],
    [
      vietnamese,
      "Điện cực không còn được hiệu chuẩn hàng năm.",
      "Có, điện cực không còn được hiệu chuẩn hàng năm.",
    ],
  ] as const)
    it(statement, () => {
      assert.equal(reasonOf(question, text, statement), notesFor(question).judged.denied("[1]"));
    });
});

describe("an answer is kept that goes with its passage", () => {
  for (const [question, text, statement] of [
    [yearly, replaced, `No, ${replaced}`],
    [
      yearly,
      "The reference electrodes are calibrated yearly rather than every six months.",
      "Yes, the reference electrodes are calibrated yearly rather than every six months.",
    ],
    [
      "Findet die Prüfung jährlich statt?",
      "Die Prüfung findet jährlich statt und dauert zwei Tage.",
      "Ja, die Prüfung findet jährlich statt und dauert zwei Tage.",
    ],
    [vietnamese, "Điện cực được hiệu chuẩn hàng năm.", "Có, điện cực được hiệu chuẩn hàng năm."],
    [
      "Do I have to submit receipts?",
      "Expenses without receipts are not reimbursed.",
      "Yes, expenses without receipts are not reimbursed.",
    ],
    [
      "Are deposits refunded?",
      "Not only deposits but also fees are refunded.",
      "Yes, not only deposits but also fees are refunded.",
    ],
    ["Is smoking prohibited?", "Smoking is prohibited everywhere.", "Yes, smoking is prohibited everywhere."],
  ] as const)
    it(statement, () => {
      assert.equal(reasonOf(question, text, statement), undefined);
    });
});
