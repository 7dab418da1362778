import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { chunkOf } from "../../fixtures.ts";
import { reasonOf } from "./verdicts.ts";

test("the name of its file is no answer, unless a document or a page is asked for", () => {
  const text = "Interviews with patients are transcribed by a company outside the hospital.";
  const chunk = chunkOf(text, { sourceName: "NCT06152679_Prot.pdf", pages: [11] });
  const reason = (question: string, statement: string): string | undefined => {
    const [verdict] = judge(`${statement} [1]`, [{ marker: 1, text, chunk }], question);
    return verdict?.support === "unsupported" ? verdict.reason : undefined;
  };
  const statement =
    "The company that transcribes the interviews with patients is NCT06152679_Prot.pdf, page 11.";
  const question = "Which company transcribes the interviews with patients?";
  assert.equal(reason(question, statement), "only says where it stands");
  const told = "A company outside the hospital transcribes them (NCT06152679_Prot.pdf, page 11).";
  assert.equal(reason(question, told), undefined);
  assert.equal(
    reason(
      "Which document is about interviews with patients?",
      "NCT06152679_Prot.pdf is about interviews with patients.",
    ),
    undefined,
  );
});

test("that something is outlined in an appendix does not answer, in any language of the lexicons", () => {
  for (const [question, text, statement] of [
    [
      "Write down the pseudo code of the tree traversal method",
      "The tree traversal method selects the root nodes. Pseudo code is outlined in Appendix F.",
      "The pseudo code of the tree traversal method is outlined in Appendix F.",
    ],
    [
      "Wie lautet die Formel für die Prämie?",
      "Die Formel für die Prämie ist in Tabelle 3 angegeben.",
      "Die Formel für die Prämie ist in Tabelle 3 angegeben.",
    ],
    [
      "Công thức tính phí bảo hiểm là gì?",
      "Công thức tính phí bảo hiểm được trình bày trong bảng 3.",
      "Công thức tính phí bảo hiểm được trình bày trong bảng 3.",
    ],
    ["What is the premium formula?", "For the premium formula see Appendix B.", "See Appendix B."],
    ["Wie lautet die Formel für die Prämie?", "Zur Formel für die Prämie siehe Anhang B.", "Siehe Anhang B."],
    ["Quelle est la formule de la prime ?", "Pour la formule de la prime, voir annexe B.", "Voir annexe B."],
    ["Công thức tính phí bảo hiểm là gì?", "Công thức tính phí bảo hiểm: xem Phụ lục B.", "Xem Phụ lục B."],
  ] as const)
    assert.match(reasonOf(question, text, statement) ?? "", /where it stands|repeats/, statement);
});

test("a place in a document answers who asks for it, and a sentence that says more stays", () => {
  const text = "Pseudo code of the tree traversal method is outlined in Appendix F.";
  for (const [question, statement] of [
    ["Where is the pseudo code of the tree traversal method?", "It is outlined in Appendix F."],
    ["In which appendix is the pseudo code outlined?", "The pseudo code is outlined in Appendix F."],
    [
      "Is there pseudo code of the traversal?",
      "Yes, pseudo code of the traversal is outlined in Appendix F.",
    ],
    [
      "What is outlined in the appendix?",
      "Pseudo code of the tree traversal method is outlined in Appendix F.",
    ],
  ] as const)
    assert.equal(reasonOf(question, text, statement), undefined, question);
});

test("who does something is not told by its being done, unless it says by whom", () => {
  const text =
    "The Pittsburgh score is assessed one month after the injection. It is assessed by the shoulder fellow.";
  const question = "According to the schedule, who assesses patients one month after the injection?";
  assert.match(
    reasonOf(question, text, "The Pittsburgh score is assessed one month after the injection.") ?? "",
    /names nobody/,
  );
  for (const told of ["It is assessed by the shoulder fellow.", "The shoulder fellow assesses the score."])
    assert.equal(reasonOf(question, text, told), undefined);
  const german = "Die Patienten werden bewertet. Die Ärztin bewertet die Patienten.";
  const asked = "Wer bewertet die Patienten?";
  assert.match(reasonOf(asked, german, "Die Patienten werden bewertet.") ?? "", /names nobody/);
  assert.equal(reasonOf(asked, german, "Die Ärztin bewertet die Patienten."), undefined);
  assert.equal(
    reasonOf("What is assessed after the injection?", text, "The Pittsburgh score is assessed."),
    undefined,
  );
});

test("figures of a row are no reason, what a row says in words is", () => {
  const question = "What drove the increase in merchandise inventories?";
  const statement = "It was driven by a decrease in merchandise inventories, which was 104,233.";
  const table = "Changes in assets | 2022 | 2021\nMerchandise inventories | (104,233) | (331,003)";
  assert.equal(reasonOf(question, table, statement), "[1] has figures of it, and no reason");
  const prose = "Merchandise inventories rose by 104,233 because of 47 new stores.";
  assert.equal(
    reasonOf(question, prose, "Merchandise inventories rose because of 47 new stores."),
    undefined,
  );
  const faults = "Fault | Cause | Code\nThe pump is loud | Air of 3 bar in the suction line | 104";
  const loud = "The pump is loud because of air of 3 bar in the suction line.";
  assert.equal(reasonOf("Why is the pump loud?", faults, loud), undefined);
});

test("a reason lets nothing fall of which nothing falls in what it cites", () => {
  const asked = "What drove the increase in merchandise inventories at the end of FY2023?";
  const text =
    "Merchandise inventories at the end of fiscal 2023 totaled $1.6 billion. The increase was primarily due to the opening of 47 new stores and inventory cost increases.";
  const fallen =
    "The increase in merchandise inventories was driven by a decrease in inventory cost of new stores.";
  assert.equal(reasonOf(asked, text, fallen), "nothing in [1] goes that way");
  const stores = "The increase in merchandise inventories was driven by the opening of 47 new stores.";
  assert.equal(reasonOf(asked, text, stores), undefined);
  const lower = `${text} Part of it came from lower sales of brands.`;
  assert.equal(reasonOf(asked, lower, "It was driven by a decline in sales of brands."), undefined);
});

test("removes a statement that is a file's name and a place in it, however the name is written", () => {
  const minutes = "The maintenance meeting was attended by Karin Moe, Jonas Lie and Ali Haddad.";
  const asked = "Who attended the maintenance meeting?";
  for (const statement of [
    "Maintenance_minutes.docx",
    "Workshop_safety_training.pptx",
    "supplier_prices.csv",
  ])
    assert.equal(reasonOf(asked, minutes, statement), "only says where it stands");
  assert.equal(reasonOf(asked, minutes, "Karin Moe, Jonas Lie and Ali Haddad (minutes.docx)"), undefined);
});
