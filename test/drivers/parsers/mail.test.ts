import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import emlParser from "../../../src/drivers/parsers/mail/eml.ts";
import msgParser from "../../../src/drivers/parsers/mail/msg.ts";

const eml = (text: string | Buffer) =>
  emlParser().parse(new Uint8Array(Buffer.from(text)), { name: "mail.eml" });
const shape = (blocks: readonly { kind: string; text: string }[]) =>
  blocks.map(({ kind, text }) => [kind, text]);

test("a message gives its subject, its headers as the first block, and the HTML body without scripts", async () => {
  const { blocks, title } = await eml(
    [
      "From: =?utf-8?B?w4RubmU=?= <ann@example.org>",
      "To: Bob <bob@example.org>, team: c@example.org, d@example.org;",
      "Date: Mon, 6 May 2024 10:00:00 +0200",
      "Subject: =?iso-8859-1?Q?Pr=FCfung?=",
      "MIME-Version: 1.0",
      'Content-Type: multipart/alternative; boundary="b"',
      "",
      "--b",
      "Content-Type: text/plain",
      "",
      "plain",
      "--b",
      "Content-Type: text/html; charset=utf-8",
      "",
      "<p>Dear Bob,</p><script>x()</script><ul><li>one</li></ul>",
      "--b--",
    ].join("\r\n"),
  );
  assert.equal(title, "Prüfung");
  assert.deepEqual(shape(blocks), [
    ["heading", "Prüfung"],
    [
      "paragraph",
      "From: Änne <ann@example.org>\nTo: Bob <bob@example.org>, team: c@example.org, d@example.org\nDate: Mon, 6 May 2024 10:00:00 +0200",
    ],
    ["paragraph", "Dear Bob,"],
    ["list", "- one"],
  ]);
});

test("attachments are listed; those of a readable format are read once, archives are not opened", async () => {
  const part = (name: string, type: string, body: string) =>
    `--b\r\nContent-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\n${body}\r\n`;
  const { blocks, warnings } = await eml(
    `From: a@example.org\r\nSubject: S\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n${part("list.csv", "text/csv", "k,v\r\na,1")}${part("all.zip", "application/zip", "PK")}${part("bad.docx", "application/octet-stream", "no zip")}${part("winmail.dat", "application/ms-tnef", "x")}--b--\r\n`,
  );
  assert.deepEqual(shape(blocks).slice(2), [
    ["paragraph", "Hello"],
    ["paragraph", "Attachments: list.csv, all.zip, bad.docx, winmail.dat"],
    ["heading", "Attachment: list.csv"],
    ["table", "k | v\na | 1"],
  ]);
  const [archive, broken, unknown] = warnings;
  assert.equal(archive, "attachment all.zip was not opened: to read it, save it next to the message");
  assert.match(broken ?? "", /^cannot read attachment bad\.docx/);
  assert.equal(unknown, "attachment winmail.dat was not opened: its format is not read");
});

test("a message that declares the wrong character set is read all the same, with a warning", async () => {
  const bytes = Buffer.concat([
    Buffer.from(
      "Subject: x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nK\xf6ln liegt am Rhein",
      "latin1",
    ),
  ]);
  const { blocks, warnings } = await eml(bytes);
  assert.equal(blocks.at(-1)?.text, "Köln liegt am Rhein");
  assert.match(warnings.join(), /does not use its declared character set/);
  const unknown = await eml("Subject: x\r\nContent-Type: text/plain; charset=x-none\r\n\r\nplain words");
  assert.equal(unknown.blocks.at(-1)?.text, "plain words");
});

test("parts nested without end are refused or cut, not followed", async () => {
  let body = "Content-Type: text/plain\r\n\r\ndeep\r\n";
  for (let depth = 0; depth < 500; depth++)
    body = `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${body}\r\n--b${depth}--\r\n`;
  const outcome = await eml(`Subject: nested\r\n${body}`).then(
    () => "read",
    (error: { code?: string }) => error.code,
  );
  assert.ok(outcome === "read" || outcome === "SOURCE_DAMAGED", String(outcome));
});

test("an Outlook message gives subject, sender, recipients and body; a cut one is unreadable", async () => {
  // The library's own writer of the container makes the file.
  const { burn } = createRequire(import.meta.url)("@kenjiuno/msgreader/lib/Burner.js") as {
    burn(entries: readonly object[]): Uint8Array;
  }; // its declared signature
  const wide = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));
  const stream = (name: string, bytes: Uint8Array) => ({
    name,
    type: 2,
    binaryProvider: () => bytes,
    length: bytes.length,
  });
  const entries = [
    { name: "Root Entry", type: 5, children: [1, 2, 3, 4], length: 0 },
    stream("__properties_version1.0", new Uint8Array(32)),
    stream("__substg1.0_0037001F", wide("Pump order")),
    stream("__substg1.0_1000001F", wide("Please send two pumps.")),
    stream("__substg1.0_0C1A001F", wide("Ann")),
  ];
  const bytes = burn(entries);
  const { blocks, title } = await msgParser().parse(bytes, { name: "order.msg" });
  assert.equal(title, "Pump order");
  assert.deepEqual(shape(blocks), [
    ["heading", "Pump order"],
    ["paragraph", "From: Ann"],
    ["paragraph", "Please send two pumps."],
  ]);
  await assert.rejects(msgParser().parse(bytes.subarray(0, 600), { name: "cut.msg" }), {
    code: /SOURCE_(DAMAGED|EMPTY)/,
  });
});
