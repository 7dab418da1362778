import assert from "node:assert/strict";
import { test } from "node:test";
import iconv from "iconv-lite";
import emlParser from "../../../../src/drivers/parsers/mail/eml.ts";

const eml = (bytes: string | Buffer) =>
  emlParser().parse(new Uint8Array(Buffer.from(bytes)), { name: "mail.eml" });
const lines = (...all: readonly string[]) => all.join("\r\n");
const texts = ({ blocks }: { readonly blocks: readonly { readonly text: string }[] }) =>
  blocks.map(({ text }) => text);

/** A message of one part whose body is these bytes. */
const message = (type: string, body: Buffer, encoding = "8bit") =>
  Buffer.concat([
    Buffer.from(
      lines("Subject: x", `Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, "", ""),
    ),
    encoding === "base64" ? Buffer.from(body.toString("base64")) : body,
  ]);

test("a part of text that is UTF-8 is read as that, whatever one-byte character set it declares", async () => {
  const text = "Die Größe beträgt 5 µm für Müller — Đo.";
  for (const charset of ["iso-8859-1", "windows-1252", "us-ascii", "koi8-r", '"ISO-8859-15"'])
    for (const encoding of ["8bit", "base64"]) {
      const read = await eml(message(`text/plain; charset=${charset}`, Buffer.from(text), encoding));
      assert.deepEqual([texts(read).at(-1), read.warnings], [text, []], `${charset} ${encoding}`);
    }
  for (const [charset, said] of [
    ["iso-8859-1", "Größe für Müller"],
    ["koi8-r", "Размер насоса"],
    ["gb2312", "联通电信泵的压力"],
    ["shift_jis", "ポンプの圧力"],
  ] as const) {
    const read = await eml(message(`text/plain; charset=${charset}`, iconv.encode(said, charset)));
    assert.deepEqual([texts(read).at(-1), read.warnings], [said, []], charset);
  }
});

test("a part of HTML is read in the character set that its page names, where its header names none that fits", async () => {
  const page =
    '<html><head><meta charset="windows-1251"></head><body><p>Давление насоса 5 бар</p></body></html>';
  for (const type of ["text/html", "text/html; charset=us-ascii", "text/html; charset=utf-8"])
    assert.equal(
      texts(await eml(message(type, iconv.encode(page, "windows-1251")))).at(-1),
      "Давление насоса 5 бар",
      type,
    );
  const other = page.replace(
    'charset="windows-1251"',
    'http-equiv="Content-Type" content="text/html; charset=koi8-r"',
  );
  const mixed = lines(
    "Subject: x",
    "Content-Type: multipart/alternative; boundary=b",
    "",
    "--b",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "plain",
    "--b",
    "Content-Type: text/html",
    "Content-Transfer-Encoding: base64",
    "",
    iconv.encode(other, "koi8-r").toString("base64"),
    "--b--",
  );
  assert.equal(texts(await eml(mixed)).at(-1), "Давление насоса 5 бар");
});

test("the header of a message in an old character set is read, with a warning", async () => {
  const { title, warnings } = await eml(
    iconv.encode("Subject: Prüfung der Größe für Müller\r\n\r\nHello\r\n", "latin1"),
  );
  assert.equal(title, "Prüfung der Größe für Müller");
  assert.match(warnings.join(), /^the header of the message: the text is not UTF-8/);
});

const inner = lines(
  "Subject: Invoice 8841",
  "From: Billing <bill@example.net>",
  'Content-Type: multipart/mixed; boundary="in"',
  "",
  "--in",
  "Content-Type: text/plain",
  "",
  "Please pay 412.50.",
  "--in",
  "Content-Type: text/csv",
  'Content-Disposition: attachment; filename="positions.csv"',
  "",
  "pos;amount",
  "1;400,00",
  "--in--",
);
const outer = (...parts: readonly string[]) =>
  lines(
    "Subject: Fwd",
    "Content-Type: multipart/mixed; boundary=out",
    "",
    ...parts.map((part) => lines("--out", part)),
    "--out--",
  );

test("a message that another has attached is opened, with its own attachments", async () => {
  const read = [
    "Attachment: message 1",
    "Invoice 8841",
    "From: Billing <bill@example.net>",
    "Please pay 412.50.",
    "Attachments: positions.csv",
    "Attachment: positions.csv",
    "pos | amount\n1 | 400,00",
  ];
  for (const disposition of ["", "Content-Disposition: attachment\r\n", "Content-Disposition: inline\r\n"]) {
    const found = await eml(outer(`Content-Type: message/rfc822\r\n${disposition}\r\n${inner}`));
    assert.deepEqual([texts(found).slice(2), found.warnings], [read, []], disposition);
    assert.deepEqual(
      found.blocks.filter(({ kind }) => kind === "heading").map(({ level }) => level),
      [1, 2, 3, 4],
    );
  }
  const named = lines(
    "Content-Type: application/octet-stream",
    'Content-Disposition: attachment; filename="old.eml"',
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(inner).toString("base64"),
  );
  assert.ok(texts(await eml(outer(named))).includes("Please pay 412.50."));
});

test("a bounce gives its report, and the message that came back or its header", async () => {
  const report = (type: string, body: string) =>
    lines(
      "Subject: Undelivered",
      "Content-Type: multipart/report; report-type=delivery-status; boundary=r",
      "",
      "--r",
      "Content-Type: text/plain",
      "",
      "It could not be delivered.",
      "--r",
      "Content-Type: message/delivery-status",
      "",
      "Final-Recipient: rfc822; ann@example.org",
      "Status: 5.1.1",
      "--r",
      `Content-Type: ${type}`,
      "",
      body,
      "--r--",
    );
  const whole = await eml(report("message/rfc822", inner));
  assert.match(
    texts(whole).join("\n"),
    /could not be delivered[\s\S]*Status: 5\.1\.1[\s\S]*Please pay 412\.50/,
  );
  assert.deepEqual(whole.warnings, []);
  const header = await eml(report("text/rfc822-headers", "Subject: Invoice 8841\r\nFrom: bill@example.net"));
  assert.match(texts(header).join("\n"), /Invoice 8841\nFrom: bill@example\.net/);
});

test("messages within messages are opened to a depth and a number, and the rest is named", async () => {
  let deep = "Subject: deepest\r\n\r\nbottom";
  for (let depth = 0; depth < 8; depth++)
    deep = outer(`Content-Type: message/rfc822\r\n\r\n${deep}`).replaceAll("out", `out${depth}`);
  const cut = await eml(deep);
  assert.ok(!texts(cut).includes("bottom"));
  assert.match(cut.warnings.join(), /was not opened: attached messages are opened 5 levels deep/);
  const many = outer(...Array.from({ length: 60 }, () => `Content-Type: message/rfc822\r\n\r\n${inner}`));
  const { warnings } = await eml(many);
  assert.equal(warnings.filter((warning) => /50 attachments/.test(warning)).length > 30, true);
});
