import assert from "node:assert/strict";
import { test } from "node:test";
import { numbersPrintedOn, pagesNamed } from "../../../src/language/asking/pages.ts";

test("a question names pages by number, word, list, span and place, in each language", () => {
  for (const [question, pages] of [
    ["What is the colour on page 14?", [14]],
    ["What date stands at the beginning of page(1)?", [1]],
    ["What is the fax number on page fourteen?", [14]],
    ["Compare pages 3, 5 and 7.", [3, 5, 7]],
    ["Who is in the pictures of Pages 30-33?", [30, 31, 32, 33]],
    ["What is on page 15 and page 16?", [15, 16]],
    ["What stands on the second page, and what on the 6th slide?", [2, 6]],
    ["What type of court is noted on the cover page?", [1]],
    ["Was steht auf Seite 5?", [5]],
    ["Was steht auf der zweiten Seite?", [2]],
    ["Trang 12 nói gì?", [12]],
    ["Trang 3 đến 5 nói gì?", [3, 4, 5]],
    ["What is on pages 3 through 5, or on page 9?", [3, 4, 5, 9]],
    ["Was steht auf Seiten 3 oder 5?", [3, 5]],
    ["What does page 5, 2019 edition, say?", [5]],
    ["Que dit la première page ?", [1]],
  ] as const)
    assert.deepEqual(pagesNamed(question), pages, question);
});

test("a question about pages, or without one, names none", () => {
  for (const question of [
    "How many pages contain tables?",
    "On what page does the first part end?",
    "Which pages are blacked out?",
    "Is the page 100% done?",
    "What is the homepage 2 of?",
    "Write a one page summary.",
    "Write a report of two pages.",
  ])
    assert.deepEqual(pagesNamed(question), [], question);
});

test("the number of a page is read at its head and foot, not from its text", () => {
  const page = (head: string, foot: string): string =>
    [head, "Annual report", "We sold 41 pumps", "and 17 valves", "in 2019 alone", foot].join("\n");
  assert.deepEqual(numbersPrintedOn(page("12 | Our business", "")), [12]);
  assert.deepEqual(numbersPrintedOn(page("", "16 17")), [16, 17]);
  assert.deepEqual(numbersPrintedOn(page("", "Page 9 of 40")), [9]);
  assert.deepEqual(numbersPrintedOn(page("5. Results", "3 Tightening torques")), []);
  assert.deepEqual(numbersPrintedOn(page("Sales of $12 and 4.5 %, 30% more", "")), []);
});
