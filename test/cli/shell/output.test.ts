import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutputFormat } from "../../../src/cli/shell/global-options.ts";
import { openOutput } from "../../../src/cli/shell/output.ts";
import { asRagctlError, RagctlError } from "../../../src/core/errors.ts";
import { oneLine } from "../../../src/operations/text.ts";
import { json } from "../../../src/server/reply.ts";
import { eventResponse, type ServerEvent } from "../../../src/server/stream/events.ts";
import { roundForOutput } from "../../../src/shapes/printed.ts";

/** What a document can hold: clears the screen, writes the clipboard, hides a file's ending. */
const steering = "a\u001b[2Jb\u009b31mc\u001b]52;c;AAAA\u0007d\u202Etxt.exe\u2066\tz\nend";
const steers = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

const streamOptions = {
  leave: () => undefined,
  onEnd: () => undefined,
  publicError: asRagctlError,
  stopped: new AbortController().signal,
};

function written(format: OutputFormat): string {
  const parts: string[] = [];
  const [out, error] = [process.stdout.write, process.stderr.write];
  const keep = (text: string | Uint8Array): boolean => parts.push(String(text)) > 0;
  process.stdout.write = keep;
  process.stderr.write = keep;
  try {
    const output = openOutput({ format, quiet: false });
    output.result({ text: steering, data: { text: steering }, lines: [{ text: steering }] });
    output.line({ text: steering });
    if (format === "text") output.stream(steering);
    output.note(steering);
    output.error(new RagctlError("NOT_FOUND", steering, { hint: steering }));
  } finally {
    process.stdout.write = out;
    process.stderr.write = error;
  }
  return parts.join("");
}

test("a document that is nothing but a list is one JSON line an item, any other one line", () => {
  const linesOf = (data: unknown): readonly unknown[] => {
    const parts: string[] = [];
    const out = process.stdout.write;
    process.stdout.write = (text: string | Uint8Array): boolean => parts.push(String(text)) > 0;
    try {
      openOutput({ format: "jsonl", quiet: false }).result({ text: "", data });
    } finally {
      process.stdout.write = out;
    }
    return parts.map((line) => JSON.parse(line));
  };
  assert.deepEqual(linesOf({ schema_version: 1, models: [{ id: "a" }, { id: "b" }] }), [
    { id: "a" },
    { id: "b" },
  ]);
  assert.deepEqual(linesOf({ schema_version: 1, models: [] }), []);
  for (const whole of [
    { schema_version: 1, names: ["a"] },
    { schema_version: 1, room: "r", messages: [{ id: "a" }] },
    { schema_version: 1, running: false },
  ])
    assert.deepEqual(linesOf(whole), [whole]);
});

test("nothing that a document holds steers the terminal, in any format; lines and tabs stay", () => {
  for (const format of ["text", "json", "jsonl"] as const)
    assert.doesNotMatch(written(format), steers, format);
  assert.match(written("text"), /txt\.exe.\tz\nend/u);
  assert.doesNotMatch(oneLine(steering, 200), /\p{Cc}/u);
});

test("what is escaped in JSON is read back as it was", () => {
  const [line = ""] = written("jsonl").split("\n");
  assert.deepEqual(JSON.parse(line), { text: steering });
});

test("nothing that a document holds steers a client of the server, in answers and in streams", async () => {
  const held = { [steering]: [steering, { data: { rows: [[steering, 1.23456789]] } }] };
  async function* events(): AsyncGenerator<ServerEvent> {
    yield { name: "answer-end", data: held };
    throw new RagctlError("NOT_FOUND", steering, { hint: steering });
  }
  const stream = eventResponse(events(), streamOptions);
  const streamed = (await stream.text()).matchAll(/^data: (.*)$/gm);
  for (const text of [await json(held).text(), ...Array.from(streamed, ([, data = ""]) => data)]) {
    const read: string[] = [];
    JSON.parse(text, (key, value) => read.push(key, String(value)) && value);
    assert.doesNotMatch(read.join(""), steers);
    assert.match(read.join(""), /txt\.exe.\tz\nend/u);
  }
});

test("JSON has no noise of floating point, and leaves what a tool computed as it is", () => {
  const noisy = {
    duration_ms: 0.766085999999973,
    score: 0.9920571088790893,
    count: 12345678,
    phases: [{ prefill_ms: 15.927351000000272 }],
  };
  assert.deepEqual(roundForOutput({ ...noisy, tools: [{ data: { rows: [[1.23456789]] } }] }), {
    duration_ms: 0.766,
    score: 0.992057,
    count: 12345678,
    phases: [{ prefill_ms: 15.927 }],
    tools: [{ data: { rows: [[1.23456789]] } }],
  });
});

test("the server sends numbers as the command line prints them, in answers and in streams", async () => {
  const noisy = { duration_ms: 0.022453000012319535, score: 0.9969193285043192 };
  const tidied = '{"duration_ms":0.022,"score":0.996919}';
  assert.equal(await json(noisy).text(), tidied);
  async function* events(): AsyncGenerator<ServerEvent> {
    yield { name: "agent", data: noisy };
  }
  const stream = eventResponse(events(), streamOptions);
  assert.match(await stream.text(), new RegExp(`\ndata: ${tidied}\n`));
});
