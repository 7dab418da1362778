import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { z } from "../../../src/core/schema.ts";
import { classifyMessage } from "../../../src/language/asking/messages.ts";

const fixture = (name: string, field: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, "../../../fixtures", name), "utf8")
    .trim()
    .split("\n")
    .map((line) => String(z.record(z.string(), z.unknown()).parse(JSON.parse(line))[field]));

it("tells questions and requests, with or without a mark, in each language", () => {
  for (const text of [
    "How long does a session of remote access last?",
    "And how many wrong codes lock the token?",
    "what is the torque of the drain plug",
    "Tell me about the warranty of the compressor.",
    "I need the phone number of the site nurse",
    "Thanks. And the drain plug?",
    "Good morning, does the contract renew by itself",
    "ragctl, the drain plug",
    "Assistant: the minutes of March",
    "The alarm is on again. Why?",
    "thời hạn bảo hành là bao lâu",
    "Cho tôi biết số ngày nghỉ phép.",
    "wie lange gilt die Garantie",
    "Zeig mir die Anzugsmomente.",
    "combien de jours de congé avons-nous",
  ])
    assert.equal(classifyMessage(text), "request", text);
  const questions = fixture("question-kinds.jsonl", "question");
  const bare = questions.map((text) => text.replace(/[?？]\s*$/u, ""));
  const share = (texts: readonly string[], form: string | null): number =>
    texts.filter((text) => classifyMessage(text) === form).length / texts.length;
  assert.ok(share(questions, "request") > 0.98);
  assert.ok(share(bare, "request") > 0.9);
  assert.ok(share(bare, "remark") < 0.01);
});

it("tells remarks among people", () => {
  for (const text of [
    "I had lunch at the canteen today.",
    "lol nice",
    "thanks",
    "Thanks, the crane is back at 7.",
    "The pump is running again",
    "Good morning everyone",
    "I was at the dentist this morning.",
    "We moved the meeting to Thursday!",
    "Tôi đã ăn trưa rồi.",
    "Der Kran ist wieder da.",
    "Je suis en retard.",
    "ok",
  ])
    assert.equal(classifyMessage(text), "remark", text);
});

it("leaves open what its form does not tell", () => {
  for (const text of [
    "torque casing bolts",
    "error code E42 on the dryer",
    "I wonder what the alarm means",
    "Bob, please call me.",
    "@bob did you call the vendor?",
    "can't make it today",
    "When I came in, it was dark.",
    "Will do.",
    "What a day!",
    "I don't know how the token is reset.",
    "Write a summary.",
    "Translate that into German.",
    "I can't find the torque of the drain plug.",
  ])
    assert.notEqual(classifyMessage(text), "remark", text);
  for (const text of [
    "torque casing bolts",
    "When I came in, it was dark.",
    "Will do.",
    "What a day!",
    "@bob why?",
    "can't make it today",
  ])
    assert.notEqual(classifyMessage(text), "request", text);
});
