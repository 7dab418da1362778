// Checks the prose of README.md, AGENTS.md, CONTRIBUTING.md, docs/ and every --help: node scripts/lint/prose.ts
// Reports long sentences, words that this project does not use, paragraphs of passives and long lines. Exit status 1
// when there is one. (textlint would do this with 180 packages; marked is here already.)
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { lexer, type Token } from "marked";
import { helpProgram } from "../docs/commands.ts";

/** Words in a sentence; a longer one is two. */
const longestSentence = 35;
/** Characters in a line of a page, except tables, code and addresses. */
const longestLine = 100;
/** Sentences of a paragraph that may be passive before it reads like a report. */
const mostPassives = 3;

/** Words that read like a translation, with what to write instead. */
const avoided: readonly (readonly [RegExp, string])[] = [
  [/\b(stands?|standing) (in|at|on|beside|under|above|below)\b/i, "is, appears"],
  [/\bbeside\b/i, "next to, in addition to, along with"],
  [/\b(is|are|was|were|be|been) told\b/i, "shows, reports, is notified"],
  [/\bapart\b(?! from)/i, "separately"],
  [/\b(whoever|whosoever|thereby|therein|wherein|hereby)\b/i, "a plain word"],
  [/\banew\b/i, "again"],
  [/\bin one go\b/i, "at once"],
  [/\b(utilize|leverage|in order to)\b/i, "use, to"],
  [/\b(simply|obviously|of course|easily)\b/i, "nothing"],
  [/\b(no longer|used to be|as before)\b/i, "what is true today"],
  [/\b(is|are) away\b/i, "is unavailable"],
  [/\bsigns? of life\b/i, "a response, a heartbeat"],
  [/\bable reader\b/i, "a large model"],
  [/\bof others\b/i, "other people's"],
];

/** A stretch of prose and where it is. */
interface Passage {
  readonly place: string;
  readonly text: string;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });
const passive =
  /\b(?:is|are|was|were|been|being|be) (?:\w+ly )?(?:\w+ed|known|made|given|taken|written|kept|read|sent|shown|found)\b/i;

const faults = [...pages().flatMap(pageFaults), ...commandTexts(await helpProgram()).flatMap(passageFaults)];
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`prose: ${faults.length} findings\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

function pages(): string[] {
  const below = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  return ["README.md", "AGENTS.md", "CONTRIBUTING.md", ...below.map((name) => `docs/${name}`)].filter(
    (name) => name.endsWith(".md"),
  );
}

function pageFaults(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...longLines(page, text), ...proseOf(lexer(text), page).flatMap(passageFaults)];
}

function longLines(page: string, text: string): string[] {
  const outside = text.replace(/^(`{3,})[\s\S]*?^\1/gm, (block) => block.replace(/[^\n]/g, ""));
  return outside.split("\n").flatMap((line, index) => {
    const isExempt = line.length <= longestLine || /^\s*\||\]\(|https?:|^\s*<|^\[/.test(line);
    return isExempt ? [] : [`${page}:${index + 1}: line of ${line.length} characters`];
  });
}

/** Paragraphs, items and cells of a page; code in them is one word each. */
function proseOf(tokens: readonly Token[], place: string): Passage[] {
  return tokens.flatMap((token): Passage[] => {
    if (token.type === "paragraph" || token.type === "text") return [{ place, text: plain(token.raw) }];
    if (token.type === "blockquote") return proseOf(token.tokens ?? [], place);
    if (token.type === "list")
      return token.items.flatMap((item: Token & { tokens: Token[] }) => proseOf(item.tokens, place));
    if (token.type !== "table") return [];
    return token.rows.flat().map((cell: { text: string }) => ({ place, text: plain(cell.text) }));
  });
}

function plain(markdown: string): string {
  const words = markdown.replace(/`+[^`]*`+/g, "X").replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
  return words
    .replace(/<[^>]*>|[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function commandTexts(command: Command): Passage[] {
  const place = `ragctl ${command.name()} --help`;
  const own = [
    command.description(),
    ...[...command.options, ...command.registeredArguments].map((each) => each.description),
  ];
  return [...own.map((text) => ({ place, text })), ...command.commands.flatMap(commandTexts)];
}

function passageFaults({ place, text }: Passage): string[] {
  const all = [...sentences.segment(text)].map(({ segment }) => segment.trim());
  const long = all.flatMap((one) =>
    one.split(" ").length > longestSentence ? [`${one.split(" ").length} words: ${one.slice(0, 70)}…`] : [],
  );
  const words = avoided.flatMap(([word, instead]) => {
    const found = word.exec(text);
    return found === null
      ? []
      : [`“${found[0]}” (${instead}): …${text.slice(Math.max(0, found.index - 30), found.index + 40)}…`];
  });
  const passives = all.filter((one) => passive.test(one)).length;
  const heap =
    passives > mostPassives && passives * 2 > all.length
      ? [`${passives} of ${all.length} sentences are passive: ${text.slice(0, 60)}…`]
      : [];
  return [...long, ...words, ...heap].map((fault) => `${place}: ${fault}`);
}
