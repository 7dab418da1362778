import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Chunk } from "../../src/core/documents/chunk.ts";
import { z } from "../../src/core/schema.ts";
import { namesIn } from "../../src/language/names.ts";
import { sentences } from "../../src/language/sentences.ts";
import { normalize } from "../../src/language/terms.ts";
import { holdsAnswer } from "./held-answer.ts";
import { isTextual, pageQuestion, parseLines, squad } from "./questions.ts";

/**
 * How a question was made one that nothing answers: its document or only the passage with its answer left
 * out, its years replaced, or a name by another one of the set or by one that nothing has; `labelled`: its
 * set says that nothing answers it.
 */
export type Fault = "none" | "document" | "passage" | "year" | "name" | "stranger" | "labelled";

/** A question asked of a collection, of which some chunks are left out. */
export interface EvidenceCase {
  readonly id: string;
  readonly question: string;
  readonly fault: Fault;
  /** Name of its document as its set has it; cases of one document are of one fold. */
  readonly document: string;
  /** Files that are not searched, by name. */
  readonly excludedNames: readonly string[];
  /** Whether a chunk is left out of what is found. */
  readonly hides: (chunk: Chunk) => boolean;
  /** Whether a chunk answers the question as its set has it. */
  readonly answers: (chunk: Chunk) => boolean;
  /** Its answer as its set has it; "" for none. */
  readonly gold: string;
}

/** A labelled question with what tells the passages that answer it. */
interface Labelled {
  readonly id: string;
  readonly question: string;
  readonly gold: string;
  readonly document: string;
  readonly isAnswerable: boolean;
  /** Name of the file of the document, where the set tells. */
  readonly file: string | null;
  readonly isOwn: (chunk: Chunk) => boolean;
  readonly answers: (chunk: Chunk) => boolean;
}

const answeredQuestion = pageQuestion.extend({
  id: z.string(),
  answer: z.unknown(),
});

const plain = (text: string): string =>
  normalize(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

function pageQuestions(text: string): Labelled[] {
  return parseLines(text, answeredQuestion)
    .filter((one) => !one.answerable || isTextual(one))
    .map(({ id, question, doc, answer, answerable, evidence_pages }) => ({
      id,
      question,
      gold: typeof answer === "string" ? answer : JSON.stringify(answer ?? ""),
      document: basename(doc ?? ""),
      isAnswerable: answerable,
      file: basename(doc ?? ""),
      isOwn: ({ sourceName }) => basename(sourceName) === basename(doc ?? ""),
      answers: ({ pages, text: own }) =>
        pages.some((page) => evidence_pages.includes(page)) ||
        (typeof answer === "string" && answer.length > 2 && plain(own).includes(plain(answer))),
    }));
}

/** Characters of a chunk's end by which it is found in its article: its start may be a heading. */
const chunkEnd = 80;

function squadQuestions(text: string): Labelled[] {
  return squad.parse(JSON.parse(text)).data.flatMap(({ title, paragraphs }, at) => {
    const article = plain(paragraphs.map(({ context }) => context).join(" "));
    return paragraphs.flatMap(({ context, qas }) =>
      qas.map(({ id, question, answers, is_impossible }): Labelled => {
        const held = sentences(context)
          .filter((sentence) => answers.some((answer) => sentence.includes(answer.text)))
          .map(plain)
          .filter((sentence) => sentence.length > 20);
        return {
          id,
          question,
          gold: answers[0]?.text ?? "",
          // The notes of one file share their title or, where the set has one title for all, their paragraph.
          document: paragraphs.length > 1 ? title : `${title} ${at}`,
          isAnswerable: is_impossible !== true,
          file: null,
          isOwn: ({ text: own }) => article.includes(plain(own).slice(-chunkEnd)),
          answers: ({ text: own }) => held.some((sentence) => plain(own).includes(sentence)),
        };
      }),
    );
  });
}

const folderQuestion = z.object({
  id: z.string(),
  question: z.string(),
  kind: z.string(),
  answerable: z.boolean(),
  gold: z.string().nullable(),
  gold_where: z.array(z.string()).nullable(),
});

const sheets = /\.(?:xlsx|ods|csv)$/i;

/** Questions about a folder of mixed files, without those that a sheet answers. */
function folderQuestions(text: string): Labelled[] {
  return parseLines(text, folderQuestion)
    .filter(({ kind, gold_where }) => !kind.startsWith("sheet") && !sheets.test(gold_where?.[0] ?? ""))
    .map(({ id, question, answerable, gold, gold_where }) => {
      const file = basename(gold_where?.[0] ?? "");
      const isOwn = ({ sourceName }: Chunk): boolean => basename(sourceName) === file;
      const own = gold ?? "";
      return {
        ...{ id, question, gold: own, document: file, isAnswerable: answerable, file, isOwn },
        answers: (chunk) => isOwn(chunk) && holdsAnswer(own, [chunk.text]),
      };
    });
}

/** Years before the one asked about, so that no table of several years holds it too. */
const yearsBack = 9;
const year = /(?<!\d)(?:19|20)\d\d(?!\d)/g;

/** A name that stands in a question about another document, as long as the one it replaces. */
function otherName(
  name: string,
  { document }: Labelled,
  all: readonly Labelled[],
  at: number,
): string | null {
  const length = name.split(" ").length;
  for (let step = 1; step < all.length; step += 1) {
    const other = all[(at + step * 7) % all.length];
    if (other === undefined || other.document === document) continue;
    const found = namesIn(other.question).find(
      (one) => one.split(" ").length === length && !one.includes(name) && !name.includes(one),
    );
    if (found !== undefined) return found;
  }
  return null;
}

/** A name that no text has: each of its words backwards. */
const backwards = (name: string): string =>
  name
    .split(" ")
    .map((word) => [...word.toLowerCase()].reverse().join(""))
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join(" ");

/** A question as it is, and what can be made of it that nothing answers. */
function casesOf(labelled: Labelled, all: readonly Labelled[], at: number): EvidenceCase[] {
  const { id, question, gold, document, isAnswerable, file, isOwn, answers } = labelled;
  const whole = { id, gold, document, answers, excludedNames: [], hides: () => false };
  if (!isAnswerable) return [{ ...whole, question, fault: "labelled" }];
  const without = file === null ? { hides: isOwn } : { excludedNames: [file] };
  const cases: EvidenceCase[] = [
    { ...whole, question, fault: "none" },
    { ...whole, question, fault: "document", ...without },
    { ...whole, question, fault: "passage", hides: (chunk) => isOwn(chunk) && answers(chunk) },
  ];
  if (/(?<!\d)(?:19|20)\d\d(?!\d)/.test(question)) {
    const other = question.replace(year, (one) => String(Number(one) - yearsBack));
    cases.push({ ...whole, question: other, fault: "year" });
  }
  const [name] = namesIn(question);
  const replacement = name === undefined ? null : otherName(name, labelled, all, at);
  if (name !== undefined && replacement !== null)
    cases.push({ ...whole, question: question.replace(name, replacement), fault: "name" });
  if (name !== undefined)
    cases.push({ ...whole, question: question.replace(name, backwards(name)), fault: "stranger" });
  return cases;
}

/**
 * The questions of a file (JSONL with pages, or SQuAD JSON), at most `limit` spread over it, each as it is and
 * as near misses.
 */
export function evidenceCases(path: string, limit: number): readonly EvidenceCase[] {
  const text = readFileSync(path, "utf8");
  const read = path.endsWith(".jsonl")
    ? text.includes('"gold_where"')
      ? folderQuestions
      : pageQuestions
    : squadQuestions;
  const all = read(text);
  const step = Math.max(1, all.length / limit);
  const chosen = all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  return chosen.flatMap((labelled, at) => casesOf(labelled, chosen, at));
}
