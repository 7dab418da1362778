import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { beginningOf, unread } from "../beginning.ts";
import { requireText, squeeze, titleFromName } from "../blocks.ts";
import { decode } from "../decode.ts";

/** `00:02:05,400 --> 00:02:08,000`, the hours left out by some. */
const times = /^(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,]\d{3}[ \t]+-->/;

/** Cues that are read as one at most, where none of them ends a sentence. */
const mostCues = 8;

interface Cue {
  readonly seconds: number;
  readonly text: string;
}

/** A cue without its number and marks; the speaker comes before the text. Undefined for notes and styles. */
function cueOf(part: string): Cue | undefined {
  const lines = part.split("\n");
  const at = lines.findIndex((line) => times.test(line));
  const [, hours = "0", minutes = "0", seconds = "0"] = times.exec(lines[at] ?? "") ?? [];
  if (at < 0 || at > 1) return undefined;
  const said = lines
    .slice(at + 1)
    .join(" ")
    .replace(/<v(?:\.[\w.]{1,80})?[ \t]([^<>]{1,200})>/g, "$1: ")
    .replace(/<[^<>]{0,200}>|\{\\[^{}]{0,80}\}/g, "");
  return { seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds), text: squeeze(said) };
}

/** Cues as paragraphs that end with a sentence, each at the time of its first. */
function paragraphs(cues: readonly Cue[]): readonly Block[] {
  const groups: Cue[][] = [];
  for (const cue of cues) {
    const open = groups.at(-1);
    const isEnded =
      open === undefined || open.length >= mostCues || /[.?!…。！？]["”’)]?$/.test(open.at(-1)?.text ?? "");
    if (isEnded) groups.push([cue]);
    else open.push(cue);
  }
  return groups.map((group) => ({
    kind: "paragraph",
    text: group.map(({ text }) => text).join(" "),
    pages: [],
    place: { unit: "second", number: group[0]?.seconds ?? 0 },
  }));
}

async function parse(bytes: Uint8Array, { name }: { readonly name: string }): Promise<ParsedContent> {
  const read = beginningOf(bytes);
  const { text, warnings } = await decode(read, name);
  const cues = text.split(/\n[ \t]*\n/).flatMap((part) => cueOf(part.trim()) ?? []);
  return {
    title: titleFromName(name),
    blocks: requireText(paragraphs(cues.filter((cue) => cue.text !== "")), name),
    pageCount: 0,
    pagesWithoutText: [],
    warnings: [...warnings, ...unread(bytes, read)],
  };
}

/** Subtitles (SubRip, WebVTT) as the text that is spoken, cited by its time. */
export default (): Parser => ({ id: "subtitles", parse });
