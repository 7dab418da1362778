import assert from "node:assert/strict";
import { test } from "node:test";
import subtitlesParser from "../../../../src/drivers/parsers/source/subtitles.ts";

const read = async (name: string, text: string) =>
  (await subtitlesParser().parse(new Uint8Array(Buffer.from(text)), { name })).blocks.map(
    ({ text: said, place }) => [place?.unit, place?.number, said],
  );

test("subtitles are read as what is said, sentence by sentence at the time at which it begins", async () => {
  const srt =
    "1\r\n00:00:01,000 --> 00:00:03,000\r\nThe pump was <i>installed</i>\r\nin March.\r\n\r\n2\r\n01:02:05,000 --> 01:02:08,000\r\nIts pressure\r\n\r\n3\r\n01:02:09,000 --> 01:02:10,000\r\nis 150 PSI.\r\n";
  assert.deepEqual(await read("talk.srt", srt), [
    ["second", 1, "The pump was installed in March."],
    ["second", 3725, "Its pressure is 150 PSI."],
  ]);
});

test("WebVTT is read without its notes, styles and names of cues, and with who speaks", async () => {
  const vtt =
    "WEBVTT\n\nNOTE a note\n\nSTYLE\n::cue { color: red }\n\nintro\n00:05.500 --> 00:07.000 align:start\n<v Ann Lee>Welcome.\n";
  assert.deepEqual(await read("talk.vtt", vtt), [["second", 5, "Ann Lee: Welcome."]]);
});

test("signs that are no marks are text, and a cue is all that stands before the next", async () => {
  const srt = [
    "1",
    "00:00:01,000 --> 00:00:04,000",
    "<b>Keep</b> the pressure < 5 bar and the",
    "temperature > 60 degrees.",
    "",
    "2",
    "00:00:10,000 --> 00:00:12,000",
    "The captain said:",
    "",
    '"We sail at noon',
    "",
    "in",
    '1999."',
    "3",
    "0:00:12,000 -> 0:00:14,00",
    '{\\an8}The <font color="#fff">rope</font> <s>costs 40</s> costs 48 euros, x<y & a&lt;b.',
    "",
    "4",
    "00:01:13 --> 00:01:14",
    "1999",
  ].join("\n");
  assert.deepEqual(await read("talk.srt", srt), [
    ["second", 1, "Keep the pressure < 5 bar and the temperature > 60 degrees."],
    ["second", 10, 'The captain said: "We sail at noon in 1999."'],
    ["second", 12, "The rope costs 48 euros, x<y & a<b."],
    ["second", 73, "1999"],
  ]);
  const vtt =
    "WEBVTT\n\na\n00:01.000 --> 00:02.000\n<00:01.500><c.red>Hold</c>\n\nNOTE never\nsaid\n\nb\n00:03.000 --> 00:04.000\nthe line.";
  assert.deepEqual(await read("talk.vtt", vtt), [["second", 1, "Hold the line."]]);
});

test("subtitles without a cue hold no text", async () => {
  await assert.rejects(read("talk.srt", "not a cue"), { code: "SOURCE_EMPTY" });
});
