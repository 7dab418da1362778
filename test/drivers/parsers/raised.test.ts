import assert from "node:assert/strict";
import { test } from "node:test";
import { markRaised, resolveMarks, resolveRaised } from "../../../src/drivers/parsers/raised.ts";

test("a raised number belongs to what stands before it as writers set it", () => {
  const all = [
    ["45", "1", "45[1]"],
    ["1,234", "1,2", "1,234[1,2]"],
    ["2.0", "5", "2.0[5]"],
    ["85", "2)", "85[2]"],
    ["85", "1–3", "85[1–3]"],
    ["word", "2a", "word[2a]"],
    ["x", "2", "x²"],
    ["10", "6", "10⁶"],
    ["3 × 10", "-7", "3 × 10⁻⁷"],
    ["10", "6.5", "10^6.5"],
    ["10", "1000", "10¹⁰⁰⁰"],
    ["2", "8", "2⁸"],
    ["2", "n-1", "2ⁿ⁻¹"],
    ["2", "x+1", "2^(x+1)"],
    ["Ca", "2+", "Ca²⁺"],
    ["25", "0", "25⁰"],
    ["210", "6", "210[6]"],
    ["40 feet", "2", "40 feet²"],
    ["sin", "2", "sin²"],
    ["5", "th", "5th"],
    ["word", "[3]", "word[3]"],
  ] as const;
  for (const [before, text, expected] of all) assert.equal(before + resolveRaised(before, text), expected);
});

test("raised and lowered parts of a paragraph do not change the figures beside them", () => {
  const up = (text: string) => markRaised("sup", text);
  const down = (text: string) => markRaised("sub", text);
  const all = [
    [`3 × 10${up("−")}${up("3")} mol`, "3 × 10⁻³ mol"],
    [`H${down("2")}O and C${down("6")}H${down("12")}O${down("6")}`, "H2O and C6H12O6"],
    [`log${down("10")}100, 1010${down("2")}, x${down("1")}2`, "log₁₀100, 1010₂, x₁2"],
    [`SO${down("4")}${up("2-")}, x${down("1")}${up("2")}`, "SO4²⁻, x1²"],
    [`5${up("1")}/${down("2")} cups or ${up("3")}⁄${down("4")}`, "5 1/2 cups or 3/4"],
    [`${up("1")}2019 figures`, "¹2019 figures"],
    [`${up("1")} estimated`, "1 estimated"],
    [`25 m ${up("2")}`, "25 m ²"],
    [`an open ${up("6").slice(0, -1)} mark`, "an open 6 mark"],
  ] as const;
  for (const [text, expected] of all) assert.equal(resolveMarks(text), expected);
});
