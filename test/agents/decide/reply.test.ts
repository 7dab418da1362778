import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inventoryReply, isInventoryQuestion } from "../../../src/agents/decide/inventory.ts";
import { clarifyingQuestion, directReply } from "../../../src/agents/decide/reply.ts";

const facts = { agents: ["HR Assistant", "IT Support"], collections: ["handbook", "manuals"], documents: 12 };
const titles = ["Leave policy 2024", "Pump manual", "Travel policy", "Safety"];

describe("the direct reply", () => {
  it("greets, thanks and takes leave in the language it is spoken to", () => {
    assert.match(directReply("hi there", facts), /^Hello/);
    assert.match(directReply("thanks, bye", facts), /^Goodbye/);
    assert.match(directReply("thank you!", facts), /welcome/);
    assert.match(directReply("Xin chào", facts), /^Xin chào/);
    assert.match(directReply("bonjour", facts), /^Bonjour/);
    assert.match(directReply("Vielen Dank, auf Wiedersehen", facts), /^Auf Wiedersehen/);
    assert.match(directReply("ciao", facts), /^Hello/);
  });

  it("says who it is, what it can search and which agents there are", () => {
    const text = directReply("Who are you and what can you do?", facts);
    for (const part of ["ragctl", "12 documents", "handbook and manuals", "HR Assistant and IT Support"])
      assert.ok(text.includes(part), part);
    assert.match(directReply("Bạn là ai?", facts), /12 tài liệu/);
    assert.match(directReply("Wer bist du?", facts), /12 Dokumente in 2 Sammlungen: handbook und manuals/);
  });

  it("tells what is held when asked for documents, and how to add some when there are none", () => {
    assert.equal(
      directReply("What documents do you have?", facts),
      "I can search 12 documents in 2 collections: handbook and manuals.",
    );
    assert.match(
      directReply("what documents do you have", { agents: [], collections: [], documents: 0 }),
      /ragctl ingest/,
    );
  });

  it("shortens long lists and says how many it left out", () => {
    const many = Array.from({ length: 30 }, (_, index) => `collection_${index}`);
    assert.match(
      directReply("which collections are there", { ...facts, collections: many }),
      /collection_7 and 22 more/,
    );
  });
});

describe("the question back", () => {
  it("names the titles nearest to the question", () => {
    assert.equal(
      clarifyingQuestion("the policy", titles),
      "Do you mean “Leave policy 2024” or “Travel policy”?",
    );
    assert.equal(
      clarifyingQuestion("what about the pump", titles),
      "What exactly would you like to know about “Pump manual”?",
    );
  });

  it("names what there is when nothing is near, and asks for the subject when there is nothing", () => {
    assert.match(
      clarifyingQuestion("tell me more", titles),
      /“Leave policy 2024”, “Pump manual” and “Travel policy”/,
    );
    assert.match(clarifyingQuestion("tell me more", []), /^Which subject/);
    assert.match(clarifyingQuestion("Cái đó là gì?", titles), /^Bạn muốn hỏi/);
  });
});

it("tells what a collection holds that is named as it is written", () => {
  const held = [
    { collection: "general_knowledge", title: "", name: "safety.pptx", path: "/srv/safety.pptx" },
    { collection: "hr_private_docs", title: "", name: "handbook.pdf", path: "/srv/handbook.pdf" },
  ];
  for (const question of [
    "What is in the general_knowledge collection?",
    "What does the collection general_knowledge hold?",
  ]) {
    assert.ok(isInventoryQuestion(question), question);
    assert.equal(inventoryReply(question, held), "1 document:\ngeneral_knowledge (1)\n- safety.pptx");
  }
  assert.ok(!isInventoryQuestion("What is the leak rate in the HP-200 archive pump?"));
});

describe("what is in a folder", () => {
  const held = ["finance/budget.md", "finance/old/plan.md", "hr/Annual leave/leave.md", "top.txt"].map(
    (name) => ({
      collection: "stuff",
      title: "",
      name,
      path: `/srv/shared/${name}`,
    }),
  );
  const lines = (question: string) => inventoryReply(question, held).split("\n");

  it("lists what lies in the folder that is named, and below it", () => {
    for (const question of [
      "What is in the finance folder?",
      "Which documents are in the folder finance?",
      "What files are in the directory “Finance”?",
      "Was liegt im Ordner finance?",
      "Welche Dokumente liegen im Finance-Ordner?",
      "Quels fichiers sont dans le dossier finance ?",
    ]) {
      assert.ok(isInventoryQuestion(question), question);
      assert.deepEqual(
        lines(question).slice(1),
        ["stuff (2)", "- finance/budget.md", "- finance/old/plan.md"],
        question,
      );
    }
    assert.deepEqual(lines("Trong thư mục finance có gì?")[0], "2 tài liệu trong thư mục “finance”:");
  });

  it("lists a folder within a folder, one whose name has a blank, and the one that was ingested", () => {
    assert.deepEqual(lines("What files are in the folder finance/old?").slice(2), ["- finance/old/plan.md"]);
    assert.deepEqual(lines("What files are in the annual leave folder?").slice(2), [
      "- hr/Annual leave/leave.md",
    ]);
    assert.equal(lines("What is in the shared folder?")[0], "4 documents in the folder “shared”:");
  });

  it("says that there is no such folder, and lists what there is", () => {
    for (const question of ["What is in the legal folder?", "Which documents are in the folder legal?"])
      assert.deepEqual(lines(question).slice(0, 3), [
        "There is no folder “legal”.",
        "4 documents:",
        "stuff (4)",
      ]);
  });

  it("takes no verb or pronoun beside the word for a name", () => {
    for (const [question, first] of [
      ["What is in this folder?", "4 documents:"],
      ["What does the folder contain?", "4 documents:"],
      ["Was enthält der Ordner?", "4 Dokumente:"],
    ] as const)
      assert.equal(lines(question)[0], first, question);
  });
});

it("gives the name of a document held one line, whatever breaks are in it", () => {
  const name = "pump.md\n- payroll.md";
  assert.equal(
    inventoryReply("What documents do you have?", [{ collection: "manuals", title: "", name, path: name }]),
    "1 document:\nmanuals (1)\n- pump.md - payroll.md",
  );
});
