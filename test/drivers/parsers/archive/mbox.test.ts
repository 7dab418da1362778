import assert from "node:assert/strict";
import { test } from "node:test";
import mboxParser from "../../../../src/drivers/parsers/archive/mbox.ts";

const read = (text: string) => mboxParser().parse(new Uint8Array(Buffer.from(text)), { name: "inbox.mbox" });
const message = (subject: string, body: string) =>
  `From ann@example.org Sat Nov 28 07:00:00 2026\nSubject: ${subject}\nFrom: Ann <ann@example.org>\n\n${body}\n\n`;

test("a mailbox is read as a folder of messages", async () => {
  const { blocks, warnings } = await read(
    message("Pumps", "They leak.\nFrom now on.") + message("Seals", "They last.").replaceAll("\n", "\r\n"),
  );
  assert.deepEqual(
    blocks.map(({ kind, text, level }) => (kind === "heading" ? `${"#".repeat(level ?? 0)} ${text}` : text)),
    [
      "# message 1",
      "## Pumps",
      "From: Ann <ann@example.org>",
      "They leak.\nFrom now on.",
      "# message 2",
      "## Seals",
      "From: Ann <ann@example.org>",
      "They last.",
    ],
  );
  assert.deepEqual(warnings, []);
});

test("of a mailbox of very many messages the first are read, and the others counted", async () => {
  const { blocks, warnings } = await read(message("Pumps", "They leak.").repeat(2_004));
  assert.equal(blocks.filter(({ isName }) => isName).length, 2_000);
  assert.deepEqual(warnings, [
    "message 2001, message 2002, message 2003 and 1 more: skipped: only 2000 messages of a mailbox are read",
  ]);
});

test("what is named a mailbox and is none is damaged", async () => {
  await assert.rejects(read("Words."), { code: "SOURCE_DAMAGED", message: /a mailbox/ });
});
