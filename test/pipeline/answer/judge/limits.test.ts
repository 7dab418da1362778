import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reasonOf } from "./verdicts.ts";

const gifts =
  "Gifts from suppliers or customers worth more than 40 EUR are declined or handed to the compliance officer, who keeps the gift register. Cash is never accepted.";
const data = [
  "Property | HP-200A | HP-200S",
  "Casing | Cast iron | Duplex steel",
  "Liquid temperature | -10 to 110 °C | -30 to 140 °C",
  "Rated flow | 210 m3/h | 195 m3/h",
].join("\n");
const wine = (price: number): string =>
  `May I keep a bottle of wine worth ${price} EUR that a supplier gave me?`;
const purchases = "Purchases above 500 EUR need the approval of the head of department.";

describe("yes and no agree with the limit that the passage draws", () => {
  for (const [question, text, statement] of [
    [wine(50), gifts, "Yes, you may keep a bottle of wine worth 50 EUR that a supplier gave you."],
    [wine(50), gifts, "You may keep a bottle of wine worth 50 EUR that a supplier gave you."],
    [wine(50), gifts, "Yes."],
    [wine(30), gifts, "No, you may not keep a bottle of wine worth 30 EUR that a supplier gave you."],
    ["Do I need approval for purchases of 400 EUR?", purchases, "Yes, purchases of 400 EUR need approval."],
    [
      "May I make purchases of 600 EUR without approval?",
      purchases,
      "Yes, you may make purchases of 600 EUR without approval.",
    ],
    ["May I make purchases of 600 EUR?", purchases, "Yes, you may make purchases of 600 EUR."],
    [
      "Can the HP-200A pump handle a liquid at 120 °C?",
      data,
      "Yes, the HP-200A pump can handle a liquid at 120 °C.",
    ],
    [
      "Can the HP-200S pump handle a liquid at -40 °C?",
      data,
      "Yes, the HP-200S pump can handle a liquid at -40 °C.",
    ],
    ["Can goods be returned after 20 days?", "Goods can be returned within 14 days.", "Yes, after 20 days."],
    ["May a trainee lift 30 kg?", "A trainee may lift at most 25 kg.", "Yes, a trainee may lift 30 kg."],
    [
      "May a trainee lift 20 kg?",
      "A trainee may lift no more than 25 kg.",
      "No, a trainee may not lift 20 kg.",
    ],
    ["Is a load of 600 kg allowed?", "Maximum load: 500 kg.", "Yes, a load of 600 kg is allowed."],
    [
      "Darf ich ein Geschenk im Wert von 50 EUR behalten?",
      "Geschenke im Wert von mehr als 40 EUR werden abgelehnt.",
      "Ja, Sie dürfen ein Geschenk im Wert von 50 EUR behalten.",
    ],
    [
      "Darf ein Lehrling 30 kg heben?",
      "Lehrlinge dürfen Lasten bis zu 25 kg heben.",
      "Ja, ein Lehrling darf 30 kg heben.",
    ],
    [
      "Tôi có được nhận quà trị giá 50 EUR không?",
      "Quà trị giá trên 40 EUR phải từ chối.",
      "Có, bạn được nhận quà trị giá 50 EUR.",
    ],
  ] as const)
    it(`so that “${statement}” is removed`, () => {
      assert.equal(reasonOf(question, text, statement), "[1] draws the limit elsewhere");
    });

  for (const [question, text, statement] of [
    [wine(30), gifts, "Yes, you may keep a bottle of wine worth 30 EUR that a supplier gave you."],
    [wine(50), gifts, "No, gifts from suppliers worth more than 40 EUR are declined."],
    [
      "Can the HP-200S pump handle a liquid at 120 °C?",
      data,
      "Yes, the HP-200S pump can handle a liquid at 120 °C.",
    ],
    ["Do I need approval for purchases of 600 EUR?", purchases, "Yes, purchases of 600 EUR need approval."],
    ["May I make purchases of 400 EUR?", purchases, "Yes, you may make purchases of 400 EUR."],
    [
      "May I keep a gift of 30 EUR?",
      "Up to 40 EUR, a gift needs no approval.",
      "Yes, you may keep a gift of 30 EUR.",
    ],
    ["Can goods be returned after 12 days?", "Goods can be returned within 14 days.", "Yes, after 12 days."],
    ["May a trainee lift 20 kg?", "A trainee may lift up to 25 kg.", "Yes, a trainee may lift 20 kg."],
    ["Must gifts of 50 EUR be declined?", gifts, "Yes, gifts of 50 EUR must be declined."],
    [
      "Do employees get 30 days of leave?",
      "Employees get 30 days of leave, and up to 5 days of leave may be carried over.",
      "Yes, employees get 30 days of leave.",
    ],
    [
      "Is VAT due on a turnover of 20,000 EUR?",
      "Businesses with a turnover of up to 22,000 EUR are exempt from VAT.",
      "No, businesses with a turnover of up to 22,000 EUR are exempt from VAT.",
    ],
    [
      "Darf ein Lehrling 30 kg heben?",
      "Lasten über 25 kg sind ohne Hebezeug für Lehrlinge zu schwer, mit Hebezeug heben sie diese.",
      "Ja, ein Lehrling darf 30 kg mit Hebezeug heben.",
    ],
    [
      "May a gift of 50 EUR be accepted?",
      "Gifts worth more than 40 EUR are declined, except those from family.",
      "Yes, from family.",
    ],
    [
      "Is shipping free for an order of 60 EUR?",
      "Shipping is free for orders from 50 EUR; below 50 EUR shipping costs 5 EUR.",
      "Yes, shipping is free for an order of 60 EUR.",
    ],
  ] as const)
    it(`so that “${statement}” is kept`, () => {
      assert.equal(reasonOf(question, text, statement), undefined);
    });
});
