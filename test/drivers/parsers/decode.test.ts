import assert from "node:assert/strict";
import { test } from "node:test";
import iconv from "iconv-lite";
import { decode } from "../../../src/drivers/parsers/decode.ts";

const read = async (bytes: Uint8Array, declared?: string) => await decode(bytes, "a.txt", declared);
const textOf = async (bytes: Uint8Array, declared?: string) => (await read(bytes, declared)).text;
const german = "Die Schleuse öffnet um 6:30 Uhr.\nDie Gebühr beträgt 14 Euro, außer für Fähren.\n";
const russian = "Шлюз открывается в шесть тридцать утра.\nПлавать здесь запрещено с первого мая.\n";

test("a text in a set of two or four bytes is read without a mark, too", async () => {
  for (const charset of ["utf-16le", "utf-16be", "utf-32le", "utf-32be"])
    for (const text of [german, russian, "水闸早上六点半开放。\n费用是十四欧元。\n", "ab"])
      for (const mark of ["", "\ufeff"]) {
        if (text === "ab" && mark === "") continue;
        const bytes = iconv.encode(mark + text, charset, { addBOM: false });
        assert.equal(await textOf(bytes), text, `${charset} ${text} ${mark === "" ? "" : "marked"}`);
      }
});

test("texts of the Mac and of DOS are told from those of Windows, and a guess is said", async () => {
  for (const [charset, text] of [
    ["macintosh", german],
    ["cp850", german],
    ["windows-1252", german],
    ["macintosh", "L’écluse ouvre à six heures trente, après la marée.\nLe péage coûte 14 euros.\n"],
    ["windows-1252", "L’écluse ouvre à six heures – après la marée.\nLe péage coûte 14 €.\n"],
    ["cp866", russian],
    ["koi8-r", russian],
    ["windows-1251", russian],
    ["iso-8859-5", russian],
    ["x-mac-cyrillic", russian],
    ["gb18030", "水闸早上六点半开放。费用是十四欧元。船只必须提前登记。"],
    ["big5", "水閘早上六點半開放。費用是十四歐元。船隻必須提前登記。"],
    ["shift_jis", "水門は朝六時半に開きます。料金は十四ユーロです。"],
    ["euc-kr", "수문은 아침 여섯 시 반에 열립니다. 요금은 십사 유로입니다."],
  ] as const) {
    const encoded =
      charset === "x-mac-cyrillic" ? iconv.encode(text, "maccyrillic") : iconv.encode(text, charset);
    const { text: got, warnings } = await read(encoded);
    assert.equal(got, text, charset);
    assert.match(warnings.join(), /\(a guess\)$/);
  }
});

test("what a text declares about its set goes before a guess", async () => {
  const croatian = "Brodarska pumpa Šibenik, čelik";
  for (const [charset, text] of [
    ["iso-8859-2", `<?xml version="1.0" encoding="ISO-8859-2"?>\n<a>${croatian}</a>`],
    ["iso-8859-2", `<html><head><title>a</title><meta charset=iso-8859-2></head>${croatian}`],
    [
      "windows-1250",
      `<meta http-equiv="Content-Type" content="text/html; charset=windows-1250"><p>${croatian}`,
    ],
    ["iso-8859-2", `#!/usr/bin/python\n# -*- coding: iso-8859-2 -*-\nname = "${croatian}"`],
    ["iso-8859-2", `\\documentclass{article}\n\\usepackage[latin2]{inputenc}\n${croatian}`],
    ["macintosh", "\\usepackage[applemac]{inputenc}\nGröße"],
    ["iso-8859-2", `@charset "iso-8859-2";\n/* ${croatian} */`],
    ["utf-16le", `<?xml version="1.0" encoding="utf-16"?>\n<a>${croatian}</a>`],
  ] as const) {
    const { text: got, warnings } = await read(iconv.encode(text, charset));
    assert.equal(got, text);
    assert.doesNotMatch(warnings.join(), /guess/);
  }
  assert.equal(await textOf(iconv.encode("水門", "shift_jis"), "cp932"), "水門");
  const wrong = await read(
    Buffer.from('<meta charset="no-such-set"><p>Gr\u00f6\u00dfe des Geh\u00e4uses', "latin1"),
  );
  assert.match(wrong.text, /Größe des Gehäuses$/);
  assert.equal(await textOf(Buffer.from("\u001b$B?eLg\u001b(B", "latin1")), "水門");
  assert.equal(await textOf(Buffer.from("Gr+APYA3w-e"), "utf-7"), "Größe");
});

test("a line in another set does not spoil those in UTF-8, nor a character that was cut", async () => {
  const lines = Array.from({ length: 40 }, (_, at) => `10:${at} Pumpe läuft – ${at} °C`);
  const spoilt = (at: number, line: Buffer) =>
    Buffer.concat(lines.flatMap((own, index) => [index === at ? line : Buffer.from(own), Buffer.from("\n")]));
  const latin = await read(spoilt(7, Buffer.from("10:07 Prüfer: Jörg Größer", "latin1")));
  assert.equal(latin.text.split("\n")[7], "10:07 Prüfer: Jörg Größer");
  assert.deepEqual(latin.text.split("\n").filter((line, at) => line !== lines[at] && at < 40).length, 1);
  assert.match(
    latin.warnings.join(),
    /^line 8 is not UTF-8; it was read as (?:windows-1252|ISO-8859-1) \(a guess\)$/,
  );
  const cut = await read(spoilt(9, Buffer.from("10:09 Gebühr für Fähre – ä").subarray(0, -1)));
  assert.match(cut.text.split("\n")[9] ?? "", /^10:09 Gebühr für Fähre – \ufffd$/);
  const one = Buffer.concat([
    Buffer.from("Ölstand geprüft: größer\n", "latin1"),
    Buffer.from("Prüfer Müller\n", "latin1"),
    Buffer.from("Jörg hört\n"),
  ]);
  assert.equal(await textOf(one), "Ölstand geprüft: größer\nPrüfer Müller\nJörg hört\n");
});

test("zeros and codes for terminals are left out of a text", async () => {
  const { text, warnings } = await read(
    Buffer.from(
      "a\u001b[1;31mERROR\u001b[0m stop\u0000\u0000\n\u001b]8;;http://x\u0007link\u001b]8;;\u0007 #033[32mok#033[0m N\bNO\bO",
    ),
  );
  assert.deepEqual([text, warnings], ["aERROR stop\nlink ok NO", ["2 zero bytes were left out of the text"]]);
});
