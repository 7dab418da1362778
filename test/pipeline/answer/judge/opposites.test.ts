import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { verdictOf } from "./verdicts.ts";

describe("a word of the opposite meaning is not what a passage says", () => {
  for (const [text, statement] of [
    ["The north gate is closed on Sundays.", "The north gate is open on Sundays."],
    ["Access logs are deleted after 30 days.", "Access logs are retained after 30 days."],
    ["The hearing test is optional for office staff.", "The hearing test is mandatory for office staff."],
    ["Toller won the harbour contract.", "Toller lost the harbour contract."],
    ["Das Tor ist sonntags geschlossen.", "Das Tor ist sonntags geöffnet."],
    ["Die Teilnahme ist für alle freiwillig.", "Die Teilnahme ist für alle verpflichtend."],
  ] as const)
    it(`${statement} from “${text}”`, () => {
      assert.equal(verdictOf("", text, statement)?.reason, "[1] says the opposite");
    });
});

describe("a passage bears what it says in other words", () => {
  for (const [question, text, statement] of [
    ["", "Access logs are retained for 30 days and then deleted.", "Access logs are deleted after 30 days."],
    ["", "The gate is not open on Sundays.", "The gate is closed on Sundays."],
    ["", "The gate is open, not closed.", "The gate is open."],
    ["Are private calls allowed?", "Private calls are not allowed at work.", "Private calls are prohibited."],
    [
      "Are mobile phones allowed in the clean room?",
      "Mobile phones are not allowed in the clean room.",
      "No, mobile phones are prohibited in the clean room.",
    ],
    ["", "Rauchen ist in der Halle nicht erlaubt.", "Rauchen ist in der Halle verboten."],
  ] as const)
    it(`${statement} from “${text}”`, () => {
      assert.equal(verdictOf(question, text, statement)?.support, "supported");
    });

  it("but not where it neither forbids nor allows anything", () => {
    const text = "Private calls cost 2 EUR at work.";
    assert.equal(
      verdictOf("Are private calls allowed?", text, "Private calls are prohibited.")?.support,
      "unsupported",
    );
  });
});
