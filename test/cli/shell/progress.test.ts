import assert from "node:assert/strict";
import { test } from "node:test";
import { table } from "../../../src/cli/shell/output.ts";
import { createProgress, roughDuration } from "../../../src/cli/shell/progress.ts";
import { createStatusLine } from "../../../src/cli/shell/status-line.ts";
import { truncateToWidth, wrap } from "../../../src/operations/text.ts";

/** A terminal that keeps what it was sent, and what stands on its screen. */
function terminal(columns = 40) {
  const screen: string[] = [""];
  const write = (text: string): void => {
    for (const part of text.split(/(\r\u001b\[K|\n)/)) {
      if (part === "\r\u001b[K") screen[screen.length - 1] = "";
      else if (part === "\n") screen.push("");
      else screen[screen.length - 1] += part;
    }
  };
  return { columns, write, screen };
}

test("the status line is replaced, stays below what is printed, and leaves nothing behind", () => {
  const screen = terminal();
  const line = createStatusLine(screen, true);
  line.show("ingest 1 of 3 files");
  line.aside(() => screen.write("added a.pdf\n"));
  assert.deepEqual(screen.screen, ["added a.pdf", "ingest 1 of 3 files"]);
  line.show("ingest 2 of 3 files");
  assert.deepEqual(screen.screen, ["added a.pdf", "ingest 2 of 3 files"]);
  line.show("");
  assert.deepEqual(screen.screen, ["added a.pdf", ""]);
});

test("a line of text that is still being written is never erased by the status", () => {
  const screen = terminal();
  const line = createStatusLine(screen, true);
  line.show("reading 5 passages");
  line.aside(() => screen.write("The crane lifts"), false);
  line.show("reading 5 passages … 3 s");
  assert.deepEqual(screen.screen, ["The crane lifts"]);
  line.aside(() => screen.write(" 40 tonnes.\n"), true);
  assert.deepEqual(screen.screen, ["The crane lifts 40 tonnes.", "reading 5 passages … 3 s"]);
});

test("the status line never wraps, wide characters included, and elsewhere than on a terminal there is none", () => {
  const screen = terminal(30);
  createStatusLine(screen, true).show(`ingest · ${"報告".repeat(20)}.pdf`);
  assert.match(screen.screen[0] ?? "", /^ingest · 報告報告報告報告報…$/u);
  const pipe = terminal();
  const none = createStatusLine(pipe, false);
  none.show("anything");
  none.aside(() => pipe.write("result\n"));
  assert.deepEqual(pipe.screen, ["result", ""]);
});

test("lines of a table's cell stay in their column, the last column fits the terminal, and numbers have no float noise", () => {
  const rows = [
    ["topics", "leave and sick days\npayroll"],
    ["score", 0.9920571088790893],
  ];
  assert.equal(
    table(["field", "value"], rows, 60),
    ["field   value", "topics  leave and sick days", "        payroll", "score   0.992"].join("\n"),
  );
  const wrapped = table(["field", "value"], [["topics", "a word after another word and one more"]], 30).split(
    "\n",
  );
  assert.deepEqual(wrapped, ["field   value", "topics  a word after another", "        word and one more"]);
});

test("texts are cut and wrapped by the columns they take, and times are rough", () => {
  assert.equal(truncateToWidth("報告報告", 5), "報告…");
  assert.deepEqual(wrap("one two three", 7), ["one two", "three"]);
  assert.deepEqual([8400, 200_000, 7_300_000].map(roughDuration), ["8 s", "3 min", "2 h"]);
});

test("a stage says how long it has taken and what it usually takes", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const shown: string[] = [];
  const output = { interactive: true, status: (text: string) => void shown.push(text) };
  const clock = context.mock.method(performance, "now", () => 0);
  const progress = createProgress("", "", output);
  progress.stage("writing the answer from 5 passages", 60_000);
  clock.mock.mockImplementation(() => 40_000);
  context.mock.timers.tick(1000);
  // Less than a second is no time for people.
  progress.stage("writing the answer from 5 passages", 90);
  progress.close();
  assert.deepEqual(shown, [
    "writing the answer from 5 passages …",
    "writing the answer from 5 passages … 40 s; usually 60 s",
    "writing the answer from 5 passages … 40 s; usually 1 s",
    "",
  ]);
});
