import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import iconv from "iconv-lite";
import emlParser from "../../../../src/drivers/parsers/mail/eml.ts";
import msgParser from "../../../../src/drivers/parsers/mail/msg.ts";

// The library's own writer of the container makes the files.
const { burn } = createRequire(import.meta.url)("@kenjiuno/msgreader/lib/Burner.js") as {
  burn(entries: readonly object[]): Uint8Array;
}; // its declared signature

/** Properties of a message by tag: bytes, or a number. */
type Properties = Readonly<Record<string, Uint8Array | number>>;

function outlook(properties: Properties): Uint8Array {
  const numbers = Object.entries(properties).flatMap(([tag, value]) => {
    if (typeof value !== "number") return [];
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(Number.parseInt(tag, 16), 0);
    entry.writeUInt32LE(value, 8);
    return [entry];
  });
  const streams = Object.entries(properties).flatMap(([tag, value]) =>
    typeof value === "number" ? [] : [[`__substg1.0_${tag}`, value] as const],
  );
  const all = [
    ["__properties_version1.0", Buffer.concat([Buffer.alloc(32), ...numbers])] as const,
    ...streams,
  ];
  return burn([
    { name: "Root Entry", type: 5, children: all.map((_, index) => index + 1), length: 0 },
    ...all.map(([name, bytes]) => ({
      name,
      type: 2,
      binaryProvider: () => new Uint8Array(bytes),
      length: bytes.length,
    })),
  ]);
}

const wide = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));
const read = (properties: Properties) => msgParser().parse(outlook(properties), { name: "order.msg" });
const last = async (properties: Properties) => (await read(properties)).blocks.at(-1)?.text;

/** RTF as Outlook stores it: packed by literals only, or not packed. */
function packed(rtf: string, isPacked: boolean, size = 0): Uint8Array {
  const text = Buffer.from(rtf, "latin1");
  const content = isPacked
    ? Buffer.concat(
        Array.from({ length: Math.ceil(text.length / 8) }, (_, at) =>
          Buffer.concat([Buffer.from([0]), text.subarray(at * 8, at * 8 + 8)]),
        ),
      )
    : text;
  const head = Buffer.alloc(16);
  head.writeUInt32LE(size || content.length + 12, 0);
  head.writeUInt32LE(text.length, 4);
  head.write(isPacked ? "LZFu" : "MELA", 8, "latin1");
  return new Uint8Array(Buffer.concat([head, content]));
}

const rtf =
  "{\\rtf1\\ansi\\ansicpg1251 The boom of crane 7 is limited to 18 metres.\\par \\'ca\\'f0\\'e0\\'ed\\par}";

test("a body in RTF alone is read, packed or not", async () => {
  for (const isPacked of [true, false]) {
    const { blocks, warnings } = await read({ "0037001F": wide("Crane"), "10090102": packed(rtf, isPacked) });
    assert.deepEqual(
      [blocks.slice(1).map(({ text }) => text), warnings],
      [["The boom of crane 7 is limited to 18 metres.", "Кран"], []],
    );
  }
  const html =
    "{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 Lift 5 t at most.{\\*\\htmltag72 </p>}\\htmlrtf\\par}\\htmlrtf0}";
  assert.equal(
    await last({ "0037001F": wide("Crane"), "10090102": packed(html, false) }),
    "Lift 5 t at most.",
  );
  assert.equal(
    await last({ "1000001F": wide("plain"), "10090102": packed(rtf, true) }),
    "plain",
    "a plain body is read as it is",
  );
});

test("a body in RTF that cannot be unpacked is named, and one that claims a great size takes no memory", async () => {
  const broken = packed(rtf, false);
  broken.set(Buffer.from("none"), 8);
  const { warnings } = await read({ "0037001F": wide("Crane"), "10090102": broken });
  assert.match(warnings.join(), /cannot read the RTF body of the message/);
  assert.match(
    String(await last({ "0037001F": wide("Crane"), "10090102": packed(rtf, true, 0x7fffffff) })),
    /Кран|crane/,
  );
});

test("text in a code page is read in the one that the message declares, or in a guessed one with a warning", async () => {
  const text = "Давление насоса не должно превышать пяти бар, иначе его нужно остановить.";
  const cyrillic = (charset: string) => ({
    "0037001E": iconv.encode("Насос", charset),
    "1000001E": iconv.encode(text, charset),
  });
  assert.equal(await last({ ...cyrillic("windows-1251"), "3FFD0003": 1251 }), text);
  assert.equal(await last({ ...cyrillic("koi8-r"), "3FDE0003": 20866 }), text);
  assert.equal(await last({ ...cyrillic("utf8"), "3FFD0003": 1252 }), text);
  const guessed = await read(cyrillic("windows-1251"));
  assert.deepEqual([guessed.title, guessed.blocks.at(-1)?.text], ["Насос", text]);
  assert.match(guessed.warnings.join(), /read as windows-1251 \(a guess\)/);
  const page = iconv.encode("<p>Давление насоса</p>", "windows-1251");
  assert.equal(await last({ "0037001F": wide("x"), "10130102": page, "3FDE0003": 1251 }), "Давление насоса");
});

test("an Outlook message attached to another message is opened", async () => {
  const attached = Buffer.from(
    outlook({ "0037001F": wide("Pump order"), "1000001F": wide("Send two pumps.") }),
  );
  const { blocks, warnings } = await emlParser().parse(
    new Uint8Array(
      Buffer.from(
        `Subject: Fwd\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: application/vnd.ms-outlook\r\nContent-Disposition: attachment; filename="order.msg"\r\nContent-Transfer-Encoding: base64\r\n\r\n${attached.toString("base64")}\r\n--b--\r\n`,
      ),
    ),
    { name: "mail.eml" },
  );
  assert.deepEqual(
    [blocks.slice(-2).map(({ text }) => text), warnings],
    [["Pump order", "Send two pumps."], []],
  );
});
