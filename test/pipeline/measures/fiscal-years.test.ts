import assert from "node:assert/strict";
import { it } from "node:test";
import { fiscalYearOffset } from "../../../src/pipeline/measures/fiscal-years.ts";
import { chunkOf } from "../fixtures.ts";

const statement =
  "Consolidated Statements of Income\n | 52 Weeks Ended\n | January 28, | January 29,\n | 2023 | 2022\nNet sales | 10,208 | 8,630";
const shiftOf = (...texts: readonly string[]) =>
  fiscalYearOffset([statement, ...texts].map((text) => chunkOf(text)));

it("takes a fiscal year's name from a sentence that says when it ended", () => {
  assert.equal(shiftOf("Fiscal 2022, the 52 weeks ended January 28, 2023, had fewer days."), 1);
  assert.equal(shiftOf("The year ended January 28, 2023 (“fiscal 2022”) had 52 weeks."), 1);
  const compared = "Revenue for the year ended January 29, 2023 increased 5% compared to fiscal 2022.";
  assert.equal(shiftOf(compared, "Fiscal year 2023 was our best; it was fiscal 2023 again."), 0);
  assert.equal(shiftOf("In fiscal 2023, which ended on January 28, 2023, we opened 47 stores."), 0);
});

it("takes it from the two years that a report compares where no sentence says that", () => {
  const results = "Net sales increased to $10.2 billion compared to $8.6 billion in fiscal 2021.";
  const outlook = "For fiscal 2023 we expect more. The year ended January 28, 2023.";
  assert.equal(
    shiftOf(
      "For the full year of fiscal 2022:",
      results,
      "Margins were higher than in fiscal 2021.",
      outlook,
    ),
    1,
  );
  assert.equal(shiftOf("Fiscal 2023 was better than fiscal 2022.", outlook), 0);
});

it("leaves years as they are that end in other months, or that nobody names", () => {
  assert.equal(shiftOf(), 0);
  const june = "Years ended June 30, 2023 and 2022. Fiscal 2022 and fiscal 2021 were alike.";
  assert.equal(fiscalYearOffset([chunkOf(june)]), 0);
});
