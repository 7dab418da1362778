import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import type { Hit } from "../../../src/core/retrieval.ts";
import {
  createPageCache,
  featureNames,
  questionFeatures,
  readFeatures,
} from "../../../src/pipeline/retrieve/features.ts";
import { glossaryWords } from "../../../src/pipeline/retrieve/glossary.ts";
import {
  demoteTemplates,
  readFeatureWeights,
  rescoreByFeatures,
} from "../../../src/pipeline/retrieve/rescore.ts";
import { hitOf } from "../fixtures.ts";

test("a template ranks behind the best other document, whatever its name is worth, and the parts say so", () => {
  const form = hitOf("Pressure: ____", { id: "form", sourceName: "pressure_template.txt" }, 1.225);
  const named: Hit = { ...form, parts: { fused: 1, name: 0.225 } };
  const data = hitOf("12 bar", { id: "data", sourceName: "data.csv" }, 0.604);
  const [first, last] = demoteTemplates([named, data]);
  assert.deepEqual([first, last?.chunk.id, last?.score.toFixed(3)], [data, "form", "0.423"]);
  const sum = Object.values(last?.parts ?? {}).reduce((all, part) => all + part, 0);
  assert.equal(sum.toFixed(3), "0.423");
  assert.equal(demoteTemplates([named])[0]?.score.toFixed(4), "0.8575", "alone it keeps seven tenths");
});

const weights = readFeatureWeights(
  parse(readFileSync(new URL("../../../config/ranking.yaml", import.meta.url), "utf8")),
  "config/ranking.yaml",
);
const nothing = { text: "", dense: [], lexical: [] };
const onPage = (id: string, page: number, pageText: string, score: number): Hit =>
  hitOf(
    pageText,
    { id, versionId: "v", pages: [page], window: { pageText, start: 0, end: pageText.length } },
    score,
  );
const balance = onPage(
  "a-1",
  60,
  "Acme Inc.\nCONSOLIDATED BALANCE SHEETS\nCash 1,204 1,873\nDebt 9,811 7,402",
  0.2,
);
const talk = onPage(
  "a-2",
  30,
  "Our balance sheets are strong, and our liquidity gives us room in 2022.",
  0.6,
);
const ids = (hits: readonly Hit[]): readonly string[] => hits.map(({ chunk }) => chunk.id);

test("a page headed as the statement a question is about rises above a page that speaks of it", () => {
  const sought = questionFeatures("Is there liquidity?", "Is there liquidity?", [
    glossaryWords("balance sheet"),
  ]);
  assert.deepEqual(ids(rescoreByFeatures([talk, balance], sought, nothing, weights, createPageCache())), [
    "a-1",
    "a-2",
  ]);
  const other = questionFeatures("Is there liquidity?", "Is there liquidity?", []);
  assert.deepEqual(ids(rescoreByFeatures([talk, balance], other, nothing, weights, createPageCache())), [
    "a-2",
    "a-1",
  ]);
});

test("what only the companion's search found is ranked with the rest, and nothing is lost", () => {
  const sought = questionFeatures("capex?", "capex?", []);
  const beside = { text: "debt", dense: [{ ...balance, score: 1 }], lexical: [{ ...balance, score: 1 }] };
  assert.deepEqual(
    ids(rescoreByFeatures([{ ...talk, score: 0.4 }], sought, beside, weights, createPageCache())),
    ["a-1", "a-2"],
  );
});

test("windows of a page share what any of them shows, and the best of them leads", () => {
  const text = "Figure 10 shows the step response.";
  const [first, second] = [onPage("a-3", 7, text, 0.3), onPage("a-4", 7, text, 0.25)];
  const sought = questionFeatures("Which step of Figure 10?", "Which step of Figure 10?", []);
  const beside = { text: "response", dense: [{ ...second, score: 1 }], lexical: [] };
  const ranked = rescoreByFeatures([first, second], sought, beside, weights, createPageCache());
  assert.deepEqual(ids(ranked), ["a-3", "a-4"]);
  assert.ok((ranked[0]?.score ?? 0) >= 0.3 + weights.companionDense + weights.reference);
});

test("pages, references and years are read from a question however they are written", () => {
  const read = (question: string) => questionFeatures(question, question, []);
  assert.deepEqual(read("What stands on page 14, and on the second slide?").pages, [14, 2]);
  assert.deepEqual(read("How many logos are on the cover page?").pages, [1]);
  assert.deepEqual(read("Does Fig. 10 follow section 3.3?").references, ["figure 10", "section 3.3"]);
  assert.deepEqual(read("Sales of FY2019 against 2018").years, ["2019", "2018"]);
  assert.equal(read("Who is the plaintiff?").wantsFront, true);
});

test("every feature stays within 0 and 1, for pages with and without text", () => {
  const sought = questionFeatures("What was the ratio on page 60 in 2022?", "ratio?", [
    glossaryWords("balance sheet"),
  ]);
  for (const features of readFeatures(
    [balance, talk, onPage("a-5", 1, "", 0)],
    sought,
    nothing,
    createPageCache(),
  ))
    for (const name of featureNames) assert.ok(features[name] >= 0 && features[name] <= 1, name);
});

test("a companion counts as far as a page speaks its words", () => {
  const manual = onPage("m-1", 3, "Check the inventory of spare seals.", 0.5);
  const found = [{ ...manual, score: 1 }];
  const beside = { text: "inventories total current assets", dense: found, lexical: found };
  const sought = questionFeatures("Which inventory?", "Which inventory?", []);
  const [features] = readFeatures([manual], sought, beside, createPageCache());
  assert.equal(features?.companionLexical, 0.25);
});

test("a text without pages is weighed by its companion only", () => {
  const note = hitOf("The quick ratio of 2022 was 1.4.", { id: "n-1", versionId: "n", pages: [] }, 0.5);
  const sought = questionFeatures("quick ratio of 2022?", "What was the quick ratio of 2022?", []);
  const [features] = readFeatures([note], sought, nothing, createPageCache());
  assert.ok(featureNames.every((name) => features?.[name] === 0));
});
