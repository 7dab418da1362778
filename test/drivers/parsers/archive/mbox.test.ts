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

const texts = async (mailbox: string) =>
  (await read(mailbox)).blocks.filter(({ kind }) => kind === "paragraph").map(({ text }) => text);

test("a paragraph that begins with “From” belongs to its message", async () => {
  const body =
    "The key hangs here.\n\nFrom next week on the shed is locked at 21:00.\nNote: bring a lamp.\n\nFrom Mon Mar 2 08:00 on it rains.\nTake care.";
  for (const line of ["", "\r"]) {
    const mailbox = message("Shed", body) + message("Quay", "Closed.");
    assert.deepEqual(
      (await texts(mailbox.replaceAll("\n", `${line}\n`))).filter((text) => !text.startsWith("From: ")),
      [...body.split("\n\n"), "Closed."],
    );
  }
});

test("a mailbox whose separators have no dates is divided before headers", async () => {
  const mailbox = (message("Shed", "One.\n\nFrom here on two.") + message("Quay", "Three.")).replaceAll(
    / Sat Nov 28 07:00:00 2026/g,
    "",
  );
  assert.deepEqual(
    (await texts(mailbox)).filter((text) => !text.startsWith("From: ")),
    ["One.", "From here on two.", "Three."],
  );
});

test("the sign before a line that begins with “From” is no text of the message", async () => {
  assert.deepEqual(
    (
      await texts(message("Quotes", ">From the minutes: 12.\n>>From the older ones: 10.\n> From is quoted."))
    ).at(-1),
    "From the minutes: 12.\n>From the older ones: 10.\n> From is quoted.",
  );
});
