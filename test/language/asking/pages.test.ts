import assert from "node:assert/strict";
import { test } from "node:test";
import { pageNumbersInQuestion, printedPageNumbers } from "../../../src/language/asking/pages.ts";

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
    ["What do pages 5, 6, and 7 show?", [5, 6, 7]],
    ["Compare pages 3 and 5 to 7.", [3, 5, 6, 7]],
    ["What is on page 1,234 of the filing?", [1234]],
    ["Was steht auf Seite 1.234?", [1234]],
    ["What stands on the twenty-first page?", [21]],
    ["What stands on page twenty-five?", [25]],
    ["Was steht auf der 3. Seite?", [3]],
  ] as const)
    assert.deepEqual(pageNumbersInQuestion(question), pages, question);
});

test("a page is named by an abbreviation, a word or a sign before its number", () => {
  for (const [question, pages] of [
    ["What does p. 12 say?", [12]],
    ["What do pp. 3-5 say?", [3, 4, 5]],
    ["What is on pg. 4?", [4]],
    ["What is on page no. 12?", [12]],
    ["What is on page number 12?", [12]],
    ["What is on page #12?", [12]],
    ["What is on page (1)?", [1]],
    ["Was steht auf S. 12?", [12]],
    ["Was steht auf S. 3 bis S. 5?", [3, 4, 5]],
    ["Was steht auf Seite Nr. 12?", [12]],
    ["Que dit la page n° 12 ?", [12]],
    ["Que dit la p. 12 ?", [12]],
    ["Trang số 12 nói gì?", [12]],
    ["Bảng ở tr. 12 nói gì?", [12]],
  ] as const)
    assert.deepEqual(pageNumbersInQuestion(question), pages, question);
});

test("a number behind what only looks like a page names none", () => {
  for (const question of [
    "Doanh thu chi nhánh Nha Trang 6 tháng đầu năm là bao nhiêu?",
    "Khách sạn nha trang 5 sao có bao nhiêu phòng?",
    "Chị Trang 30 tuổi làm gì?",
    "Nhà ở p. 12 quận 3 giá bao nhiêu?",
    "Lương 15 tr. 12 tháng là bao nhiêu?",
    "Welcher Abstand ist auf beiden Seiten 5 cm?",
    "Wie lang ist die Schraube auf beiden Seiten 5-10 cm?",
    "How far is it if the door slides 20 mm?",
    "Does the drawer slide 2.5 mm?",
    "How many pages 1 MB each are there?",
    "Is the web page 404 described?",
    "What does the page (2 columns) show?",
    "Which page first mentions the pump?",
    "How fast is Model S. 12?",
    "The price was 50. Page layout?",
  ])
    assert.deepEqual(pageNumbersInQuestion(question), [], question);
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
    assert.deepEqual(pageNumbersInQuestion(question), [], question);
});

test("the number of a page is read at its head and foot, not from its text", () => {
  const page = (head: string, foot: string): string =>
    [head, "Annual report", "We sold 41 pumps", "and 17 valves", "in 2019 alone", foot].join("\n");
  assert.deepEqual(printedPageNumbers(page("12 | Our business", "")), [12]);
  assert.deepEqual(printedPageNumbers(page("", "16 17")), [16, 17]);
  assert.deepEqual(printedPageNumbers(page("", "Page 9 of 40")), [9]);
  assert.deepEqual(printedPageNumbers(page("5. Results", "3 Tightening torques")), []);
  assert.deepEqual(printedPageNumbers(page("Sales of $12 and 4.5 %, 30% more", "")), []);
});

test("what counts or measures behind a page is none, and a span between two has those in it", () => {
  for (const [question, pages] of [
    ["On page 5, 12 employees are named. Who?", [5]],
    ["On page 5, two methods are named. Which?", [5]],
    ["What stands on page 3, 5 and 7?", [3, 5, 7]],
    ["What stands on page 3, 5?", [3, 5]],
    ["What is said between pages 4 and 7?", [4, 5, 6, 7]],
    ["Was steht zwischen den Seiten 4 und 6?", [4, 5, 6]],
    ["trang thứ 2 nói gì?", [2]],
    ["trang 3, 5 nói gì?", [3, 5]],
    ["Welche Schalter sind auf der linken Seite 3?", []],
    ["Does the page 5 million people read exist?", []],
    ["What is on page one hundred?", []],
  ] as const)
    assert.deepEqual(pageNumbersInQuestion(question), pages, question);
});
