import { decodeHTMLStrict } from "entities";
import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { decodeBeginning } from "../beginning.ts";
import { contentOf, hiddenWarnings, squeeze, type Unsaid } from "../blocks.ts";

/**
 * `00:02:05,400 --> 00:02:08,000`; some leave the hours out, or write fewer digits. Groups: hours, minutes,
 * seconds.
 */
const times = /^\s{0,20}(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})(?:[.,:]\d{0,6})?\s{0,20}--?>/;

/** Cues that are read as one at most, where none of them ends a sentence. */
const mostCues = 8;

interface Cue {
  readonly seconds: number;
  readonly text: string;
}

/** Marks of subtitles, and times within a cue: other signs `<` are text. */
const marks =
  /<\/?(?:[biu]|em|strong|ruby|rt|[cv]|lang|font|span)(?:\.[\w.-]{1,80})?>|<(?:font|span)\s[^<>]{0,200}>|<(?:c|lang)(?:\.[\w.-]{1,80})?\s[\w-]{1,40}>|<(?:\d{1,3}:)?\d{2}:\d{2}\.\d{3}>|\{\\[^{}]{0,80}\}/gi;
const speaker = /<v(?:\.[\w.]{1,80})?[ \t]([^<>]{1,200})>/g;
/** Text that is struck out. */
const struck = /<s>[^<]{0,2000}<\/s>/gi;

/** What a cue says, without marks, its speaker before it. */
function saidIn(lines: readonly string[], tally: Unsaid): string {
  const said = lines
    .join(" ")
    .replace(speaker, "$1: ")
    .replace(struck, () => {
      tally.struck++;
      return "";
    })
    .replace(marks, "")
    .replace(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, (named) =>
      decodeHTMLStrict(named).replace(/[\u200e\u200f]/, ""),
    );
  return squeeze(said);
}

/** Parts of WebVTT that are not said, up to the next blank line. */
const unsaid = /^(?:NOTE|STYLE|REGION)(?:\s|$)/;

/**
 * The lines of a cue, from one time to the next: blank lines do not end it, the number or the name of the
 * next cue does.
 */
function ownLines(lines: readonly string[], isLast: boolean): readonly string[] {
  const own: string[] = [];
  let isSkipped = false;
  for (const [at, line] of lines.entries()) {
    const isBlank = line.trim() === "";
    if (isBlank) isSkipped = false;
    else if (unsaid.test(line) && (lines[at - 1] ?? "x").trim() === "") isSkipped = true;
    const isName =
      !isLast && at === lines.length - 1 && (/^\s*\d+\s*$/.test(line) || lines[at - 1]?.trim() === "");
    if (!isBlank && !isSkipped && !isName) own.push(line);
  }
  return own;
}

/** The cues of subtitles, each from the line with its time on. */
function cuesOf(text: string, tally: Unsaid): readonly Cue[] {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, at) => (times.test(line) ? [at] : []));
  return starts.map((start, index) => {
    const [, hours = "0", minutes = "0", seconds = "0"] = times.exec(lines[start] ?? "") ?? [];
    const next = starts[index + 1];
    return {
      seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds),
      text: saidIn(ownLines(lines.slice(start + 1, next), next === undefined), tally),
    };
  });
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
  const { text, warnings } = await decodeBeginning(bytes, name);
  const tally: Unsaid = { struck: 0, hidden: 0 };
  const blocks = paragraphs(cuesOf(text, tally).filter((cue) => cue.text !== ""));
  return contentOf(name, blocks, { warnings: [...warnings, ...hiddenWarnings(tally)] });
}

/** Subtitles (SubRip, WebVTT) as the text that is spoken, cited by its time. */
export default (): Parser => ({ id: "subtitles", parse });
