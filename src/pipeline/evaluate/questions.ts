import { basename } from "node:path/posix";
import type { EvalQuestion, ExcludedQuestion } from "../../core/answers/evaluation.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { acceptedAnswers } from "./compare-texts.ts";

/** Limits of a question file; a larger one was not written by hand. */
const limits = { lineBytes: 1024 * 1024, questions: 50_000, totalBytes: 256 * 1024 * 1024 };

/** The questions of a file, and its invalid lines. */
export interface QuestionFile {
  readonly questions: readonly EvalQuestion[];
  readonly excluded: readonly ExcludedQuestion[];
}

const lineSchema = z.looseObject({
  id: z.union([z.string().min(1), z.number()]).transform(String),
  question: z.string().trim().min(1),
  doc: z.string().nullish(),
  answer: z.unknown().optional(),
  answerable: z.boolean().default(true),
  evidence_pages: z.array(z.int().min(1)).default([]),
  draft: z.boolean().default(false),
});

/** The default field that groups questions; a file need not have it. */
const usualGroup = "group";

/**
 * Parses questions line by line as they arrive; an invalid line is excluded with its number and the rest
 * continues. `name` is the file's name in messages. @throws USAGE_INVALID for a file without questions or
 * beyond the limits, and for a grouping field that no question has
 */
export async function readQuestions(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  groupBy: string,
): Promise<QuestionFile> {
  const questions: EvalQuestion[] = [];
  const excluded: ExcludedQuestion[] = [];
  const lineOf = new Map<string, number>();
  for await (const { line, text } of linesOf(bytes, name)) {
    const read =
      text === null ? `it is longer than ${limits.lineBytes} bytes` : parseLine(text, line, groupBy);
    const first = typeof read === "string" ? undefined : lineOf.get(read.id);
    if (typeof read === "string") excluded.push({ line, id: "", kind: "line", reason: read });
    else if (first !== undefined)
      excluded.push({
        line,
        id: read.id,
        kind: "line",
        reason: `it repeats the id "${shown(read.id)}" of line ${first}`,
      });
    else {
      lineOf.set(read.id, line);
      questions.push(read);
    }
    if (questions.length > limits.questions) throw tooLarge(name, `more than ${limits.questions} questions`);
  }
  if (questions.length === 0) throw withoutQuestions(name, excluded);
  if (groupBy !== usualGroup && questions.every(({ group }) => group === ""))
    throw new RagctlError("USAGE_INVALID", `no question in ${name} has the field "${shown(groupBy)}"`, {
      hint: "--group-by takes a field of the questions; docs/reference/evaluation.md lists the standard ones",
    });
  return { questions, excluded };
}

function withoutQuestions(name: string, [first]: readonly ExcludedQuestion[]): RagctlError {
  const message =
    first === undefined
      ? `${name} contains no questions`
      : `${name} contains no valid question; line ${first.line}: ${first.reason}`;
  return new RagctlError("USAGE_INVALID", message, {
    hint: 'each line must be {"id": …, "question": …, "doc": …, "answer": …}; see docs/reference/evaluation.md, or draft some with `ragctl eval make`',
  });
}

const tooLarge = (name: string, what: string): RagctlError =>
  new RagctlError("USAGE_INVALID", `${name} has ${what}, which is too much for one evaluation`, {
    hint: "split the file and evaluate each part",
  });

const shown = (text: string): string => text.slice(0, 80).replace(/\p{Cc}/gu, " ");

/** Parses a line; a reason if it is not a question. */
function parseLine(text: string, line: number, groupBy: string): EvalQuestion | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const member = issue?.path.join(".") ?? "";
    return member === "" ? "it is not a JSON object" : `its ${member} ${issue?.message}`;
  }
  const { id, question, doc, answer, answerable, evidence_pages: pages, draft } = parsed.data;
  const answers = acceptedAnswers(answer).filter((each) => each.trim() !== "");
  const document = doc === null || doc === undefined || doc === "" ? null : baseName(doc);
  if (answerable && document === null && answers.length === 0)
    return "it is answerable but has neither doc nor answer, so nothing can be measured";
  return {
    line,
    id,
    question,
    document,
    answers,
    answerable,
    pages: [...new Set(pages)],
    group: groupOf(parsed.data[groupBy]),
    draft,
  };
}

/** Documents are compared by the last part of their path, whatever system it was written on. */
export const baseName = (path: string): string => basename(path.replaceAll("\\", "/")).normalize("NFC");

function groupOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return Array.isArray(value) ? value.map(String).join("+") : String(value);
}

/** A line; the text is null if it is too long. */
export interface QuestionLine {
  readonly line: number;
  readonly text: string | null;
}

/** Assembles lines from pieces; the text of an overlong line is discarded. */
function lineBuffer() {
  let line = 0;
  let held: Uint8Array[] = [];
  let size = 0;
  return {
    add(piece: Uint8Array): void {
      size += piece.length;
      if (size <= limits.lineBytes) held.push(piece);
      else held = [];
    },
    /** The line that ends here; nothing for a blank one. */
    end(): readonly QuestionLine[] {
      const text =
        size > limits.lineBytes
          ? null
          : Buffer.concat(held)
              .toString("utf8")
              .replace(/^\uFEFF/, "");
      [held, size] = [[], 0];
      line += 1;
      return text?.trim() === "" ? [] : [{ line, text }];
    },
  };
}

/** Non-blank lines with their numbers. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<QuestionLine> {
  const buffer = lineBuffer();
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > limits.totalBytes) throw tooLarge(name, `more than ${limits.totalBytes} bytes`);
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      buffer.add(chunk.subarray(from, at));
      yield* buffer.end();
      from = at + 1;
    }
    buffer.add(chunk.subarray(from));
  }
  yield* buffer.end();
}
