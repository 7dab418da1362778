import assert from "node:assert/strict";
import { test } from "node:test";
import recordsParser from "../../../../src/drivers/parsers/source/records.ts";
import { processorMs } from "../../../helpers/processor-time.ts";

const parse = (name: string, ...lines: readonly string[]) =>
  recordsParser().parse(new Uint8Array(Buffer.from(lines.join("\n"))), { name });
/** Records as their name and their lines. */
const read = async (name: string, ...lines: readonly string[]) => {
  const { title, blocks, warnings } = await parse(name, ...lines);
  return {
    title,
    records: blocks.map(({ kind, text }) => (kind === "heading" ? `# ${text}` : text)),
    warnings,
  };
};

test("entries of BibTeX are read under their keys as they are printed, and damaged ones are named", async () => {
  const { title, records, warnings } = await read(
    "refs.bib",
    '% a comment with a " quote',
    '@string{ports = "Ports and " # "Harbours"}',
    "@article{vos24,",
    String.raw`  author = {Vos, Anna and M{\"u}ller, J.},`,
    String.raw`  title = {{Silt} in \emph{tidal} basins~2},`,
    "  journal = ports, year = 2024, month = may,",
    '  note = {Uses {"}quotes{"}, } # ports,',
    "}",
    "stray text }",
    "@book{bad, title = {No end, year = 2020}",
    '@Misc(key2, title = "In {"}quotes{"}")',
    "@comment{x}",
    "@inproceedings{miss, title = {A} year = 2020}",
    "@online{title = {No key}}",
  );
  assert.equal(title, "refs");
  assert.deepEqual(records, [
    "# vos24",
    'type: article\nauthor: Vos, Anna and Müller, J.\ntitle: Silt in tidal basins 2\njournal: Ports and Harbours\nyear: 2024\nmonth: may\nnote: Uses "quotes", Ports and Harbours',
    "# key2",
    'type: misc\ntitle: In "quotes"',
    "# online",
    "type: online\ntitle: No key",
  ]);
  assert.deepEqual(warnings, [
    "2 records were damaged and skipped: line 10 (it has no end), line 13 (a comma is missing)",
  ]);
});

test("references of RIS are read under their titles, with words for their tags", async () => {
  const { records, warnings } = await read(
    "refs.ris",
    ...["TY  - JOUR", "AU  - Vos, A.", "AU  - Beer, B.", "TI  - Silt", "PY  - 2024", "C7  - x", "ER  - ", ""],
    ...["TY  - BOOK", "AU  - Nobody", "ER  -"],
  );
  assert.deepEqual(records, [
    "# Silt",
    "type: JOUR\nauthor: Vos, A.\nauthor: Beer, B.\ntitle: Silt\nyear: 2024\nC7: x",
  ]);
  assert.deepEqual(warnings, ["1 record was damaged and skipped: line 9 (it has no title)"]);
});

test("cards of every version are read under the names of their people, without pictures", async () => {
  const { records, warnings } = await read(
    "people.vcf",
    ...["BEGIN:VCARD", "VERSION:2.1", "FN:Ann Beer", "TEL;WORK;VOICE:+49 1", "END:VCARD"],
    ...[
      "BEGIN:VCARD",
      "VERSION:3.0",
      "FN:Jo Süß",
      "N:Süß;Jo;;Dr.;",
      "ADR;TYPE=home:;;Main St 1;Köln;;50667;DE",
    ],
    ...[
      "ORG:Acme;R&D",
      "BDAY:1980-02-03",
      "PHOTO;ENCODING=b;TYPE=JPEG:AAAA",
      "item1.EMAIL:a@x.org",
      "END:VCARD",
    ],
    ...[
      "BEGIN:VCARD",
      "VERSION:4.0",
      "FN:Lee",
      "TEL;VALUE=uri;TYPE=home:tel:+33-1",
      "NOTE:long",
      "  er",
      "END:VCARD",
    ],
    ...["BEGIN:VCARD", "FN:No end"],
  );
  assert.deepEqual(records, [
    "# Ann Beer",
    "name: Ann Beer\ntelephone (WORK, VOICE): +49 1",
    "# Jo Süß",
    "name: Jo Süß\nnames: Süß, Jo, Dr.\naddress (home): Main St 1, Köln, 50667, DE\norganization: Acme, R&D\nbirthday: 1980-02-03\nemail: a@x.org",
    "# Lee",
    "name: Lee\ntelephone (home): tel:+33-1\nnote: long er",
  ]);
  assert.deepEqual(warnings, [
    "1 record was damaged and skipped: line 23 (invalid ical body. component began but did not end)",
  ]);
});

test("events and tasks of a calendar are read under their summaries, their times unharmed", async () => {
  const event = (...lines: readonly string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"];
  const { records, warnings } = await read(
    "plan.ics",
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "END:VTIMEZONE"],
    ...event(
      ...["UID:1", String.raw`SUMMARY:Board\, all`, "DTSTART;TZID=Europe/Berlin:20260504T100000"],
      ...["DTEND:20260504T110000Z", "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3", "DESCRIPTION:Lon", " ger"],
      ...['ATTENDEE;CN="Ann B":mailto:ann@x.org', "BEGIN:VALARM", "TRIGGER:-PT15M", "END:VALARM"],
    ),
    ...event("DTSTART:garbage", "SUMMARY:x"),
    ...["BEGIN:VTODO", "SUMMARY:Paint hull", "DUE;VALUE=DATE:20260601", "END:VTODO", "END:VCALENDAR"],
  );
  assert.deepEqual(records, [
    "# Board, all",
    "uid: 1\nsummary: Board, all\nstart (Europe/Berlin): 2026-05-04T10:00:00\nend: 2026-05-04T11:00:00Z\nrepeats: freq WEEKLY, byday MO, count 3\ndescription: Longer\nattendee (Ann B): mailto:ann@x.org",
    "# Paint hull",
    "summary: Paint hull\ndue: 2026-06-01",
  ]);
  assert.deepEqual(warnings, ["1 record was damaged and skipped: line 19 (dtstart is no date)"]);
});

test("a file of another kind under the extension, and one with nothing but damage, are read as text", async () => {
  assert.deepEqual((await read("genes.vcf", "##fileformat=VCFv4.2", "1\t100")).records, [
    "##fileformat=VCFv4.2\n1\t100",
  ]);
  const { records, warnings } = await read("a.bib", "@book{a, title = {No end");
  assert.deepEqual(
    [records, warnings],
    [["@book{a, title = {No end"], ["1 record was damaged and skipped: line 1 (a value has no end)"]],
  );
});

test("a file of thousands of records, or of their beginnings, takes time in proportion to its length", async () => {
  const kinds: readonly (readonly [string, string])[] = [
    ["a.bib", "@a{k, t = {x {y}} # z}\n"],
    ["a.bib", '@a{k, t = {{{ "\n'],
    ["a.bib", "{ a, = # "],
    ["a.ris", "TY  - A\nTI  - x\n"],
    ["a.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:a\nEND:VCARD\n"],
    ["a.ics", "BEGIN:VEVENT\nSUMMARY;A;B:a\n"],
  ];
  for (const [name, piece] of kinds) {
    const cost = (often: number) => processorMs(() => parse(name, piece.repeat(often)));
    await cost(500);
    const before = Math.max(20, await cost(1_500));
    const growth = (await cost(12_000)) / before;
    assert.ok(growth < 20, `${name} ${piece}: 8 times the text, ${growth.toFixed(1)} times the work`);
  }
});
