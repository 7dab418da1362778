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

test("subtitles without a cue hold no text", async () => {
  await assert.rejects(read("talk.srt", "not a cue"), { code: "SOURCE_EMPTY" });
});
