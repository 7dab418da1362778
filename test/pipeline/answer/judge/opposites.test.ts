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
    ["The timer starts the pump in the morning.", "The timer stops the pump in the morning."],
    ["Valve 3 fills the tank.", "Valve 3 drains the tank."],
    ["The heater is switched off at night.", "The heater is switched on at night."],
    ["Turn the valve off before the test.", "Turn the valve on before the test."],
    ["Die Uhr startet die Pumpe am Morgen.", "Die Uhr stoppt die Pumpe am Morgen."],
  ] as const)
    it(`${statement} from “${text}”`, () => {
      assert.equal(verdictOf("", text, statement)?.reason, "[1] says the opposite");
    });
});

describe("a passage bears what it says in other words", () => {
  for (const [question, text, statement] of [
    ["", "Access logs are retained for 30 days and then deleted.", "Access logs are deleted after 30 days."],
    ["", "The gate is not open on Sundays.", "The gate is closed on Sundays."],
    [
      "",
      "Net sales in Asia rose 4% on higher prices, partly offset by lower volumes.",
      "Net sales in Asia rose 4% on increased prices and despite lower volumes.",
    ],
    [
      "",
      "Margins fell on lower volumes in Asia. Sales rose 4% in Europe on higher volumes.",
      "Sales rose 4% in Europe on higher volumes.",
    ],
    [
      "",
      "Sales in Asia fell 2% on lower volumes.",
      "Sales in Asia fell 2%, in spite of higher prices, on lower volumes in Asia.",
    ],
    ["", "The gate is open, not closed.", "The gate is open."],
    [
      "",
      "Of the adults 26 percent have an unfavorable view; 40 percent have a favorable view.",
      "40 percent of the adults have a favorable view.",
    ],
    ["", "The timer starts the pump at 6 and stops the pump at 9.", "The timer stops the pump at 9."],
    ["", "Stop the pump before you open the valve.", "The pump is stopped before the valve is opened."],
    ["", "The pump stops when the tank is filled.", "When the tank is filled, the pump stops."],
    ["", "The pump does not start at night.", "The pump does not start at night, it says."],
    [
      "",
      "When the level falls, the sensor stops the pump. The timer starts the pump at 6.",
      "The sensor stops the pump.",
    ],
    ["", "The light is switched on at dusk and switched off at dawn.", "The light is switched off at dawn."],
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
