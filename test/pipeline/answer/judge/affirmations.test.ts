import assert from "node:assert/strict";
import { it } from "node:test";
import { reasonOf } from "./verdicts.ts";

const rules = `4.4 Alcohol and drugs
Work under the influence of alcohol or drugs is forbidden. The limit for driving company vehicles, fork-lift trucks included, is 0.0 per mille.`;
const travel = `3.1 Booking
Flights are booked in economy class, and in premium economy when the flight lasts more than seven hours.
A meal may be shared with guests of the company.

Destination | Daily allowance | Hotel limit
Asia | 58 | 150`;

it("removes a yes over a passage that lacks much of what is asked", () => {
  const asked = "Can I fly business class to Asia?";
  assert.match(
    reasonOf(asked, travel, "Yes, you can fly business class to Asia.") ?? "",
    /hardly anything of what is asked/,
  );
});

it("removes a yes to what one sentence refuses and none that has as much of it allows", () => {
  const asked = "Is it allowed to drink alcohol before driving a fork-lift?";
  const yes = "Yes, it is allowed to drink alcohol before driving a fork-lift.";
  assert.match(reasonOf(asked, rules, yes) ?? "", /refuses something of it/);
  const canteen = "Alcohol may be sold in the canteen on Fridays. Smoking is forbidden in the canteen.";
  const sold = "Yes, alcohol may be sold in the canteen.";
  assert.equal(reasonOf("May alcohol be sold in the canteen?", canteen, sold), undefined);
});

it("keeps a yes whose passage says what is asked, in its words or others", () => {
  const text = "Employees whose tasks allow it may work from home up to two days a week.";
  assert.equal(
    reasonOf("May employees work from home?", text, "Yes, employees may work from home."),
    undefined,
  );
  const leave = "Vacation may be carried into the next year, up to eight days.";
  assert.equal(
    reasonOf("Can leave be carried into next year?", leave, "Yes, leave can be carried into next year."),
    undefined,
  );
});

it("removes what allows under a limit that its passage refuses under the same one", () => {
  const text =
    "Gifts worth more than 40 EUR are declined or handed to the compliance officer. Meals may cost up to 85 EUR.";
  const asked = "May I accept a bottle of wine from a supplier?";
  const over = "Yes, you may accept a bottle of wine from a supplier if it is worth more than 40 EUR.";
  assert.equal(reasonOf(asked, text, over), "[1] refuses that under the same limit");
  const meal = "Yes, a meal may cost up to 85 EUR.";
  assert.equal(reasonOf("May a meal with customers cost anything?", text, meal), undefined);
});
