import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { callerPath } from "../../config/caller.ts";
import { asRagctlError, isPerQuestionError, RagctlError } from "../../core/errors.ts";
import { isBlank } from "../../core/text.ts";
import { openUserFile } from "../../files.ts";
import { errorShape } from "../../shapes/error.ts";
import { fileReadError } from "../evaluate/files.ts";
import type { Session } from "../shell/session.ts";
import { terminal } from "../shell/terminal.ts";

/** One question of a batch. */
interface Question {
  readonly id: string | number;
  readonly query: string;
}

/** An invalid line of a batch; `id` where it can be read. */
interface Unread {
  readonly id: string | number | null;
  readonly error: RagctlError;
}

/** The work of a command on questions. */
interface Work {
  /** The question that was typed. */
  one(query: string): Promise<void>;
  /** A question of a batch; what it gives is one line of the output, after `id` and `line`. */
  line(query: string): Promise<object>;
}

/**
 * Does the work for the question on the command line or on standard input, or for every line of the batch
 * file in order. A line of a batch that cannot be read or answered becomes an error line of the output, with
 * its number, and the others continue; the exit status is then 1.
 * @throws USAGE_INVALID
 */
export async function forEachQuestion(
  words: readonly string[],
  batch: string | undefined,
  session: Session,
  work: Work,
): Promise<void> {
  const typed = words.join(" ").trim();
  if (batch === undefined)
    return work.one(typed === "" || typed === "-" ? await pipedQuestion(typed, session) : said(typed));
  if (typed !== "")
    throw new RagctlError("USAGE_INVALID", "a question cannot be combined with --batch", {
      hint: "remove one of them",
    });
  session.onStop(
    "stopping: answers already printed are kept; running the command again starts from the first question",
  );
  let failed = false;
  for await (const { number, text } of linesOf(batch, session.run.signal)) {
    const question = read(text, `${batch}:${number}`);
    const error = "error" in question ? question.error : await failureOf(question, session, work);
    if (error === null) continue;
    session.run.signal.throwIfAborted();
    failed = true;
    session.output.line({ id: question.id, line: number, ...errorShape(error) });
    const { code, message, hint } = error;
    session.output.error(
      new RagctlError(code, `line ${number}: ${message}`, hint === undefined ? {} : { hint }),
    );
  }
  session.run.signal.throwIfAborted();
  if (failed) session.exit(1);
}

/**
 * Prints the line of one question, or its error. An error of the run would recur with every line, so it is
 * thrown.
 */
async function failureOf(question: Question, session: Session, work: Work): Promise<RagctlError | null> {
  try {
    session.output.line({ id: question.id, ...(await work.line(question.query)) });
    return null;
  } catch (thrown) {
    session.run.signal.throwIfAborted();
    const error = asRagctlError(thrown);
    if (!isPerQuestionError(error.code)) throw thrown;
    return error;
  }
}

/**
 * The question from a pipe or a file; `-` asks for it, and nothing typed does where standard input is no
 * terminal.
 */
async function pipedQuestion(typed: string, session: Session): Promise<string> {
  session.output.status("");
  const { input } = terminal();
  const query = typed === "-" || input.isTTY !== true ? (await textOf(input)).trim() : "";
  return said(query);
}

/** A question that says something. @throws USAGE_INVALID */
function said(query: string): string {
  if (!isBlank(query)) return query;
  throw new RagctlError("USAGE_INVALID", "no question given", {
    hint: 'add it to the command, pipe it in, or use --batch FILE.jsonl with {"id","query"} lines',
  });
}

const bytesOf = async (path: string): Promise<Readable> =>
  (await openUserFile(callerPath(path), "it")).createReadStream({ encoding: "utf8" });

async function* linesOf(batch: string, signal: AbortSignal) {
  let number = 0;
  try {
    const input = batch === "-" ? terminal().input : await bytesOf(batch);
    for await (const text of createInterface({ input, signal, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      // Trimmed of the byte order mark too that editors and spreadsheets begin a file with.
      if (text.trim() !== "") yield { number, text: text.trim() };
    }
  } catch (cause) {
    throw fileReadError(batch, cause, "pass an existing JSONL file");
  }
}

function read(text: string, where: string): Question | Unread {
  const hint = 'each line must be {"id": …, "query": "…"}';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return { id: null, error: new RagctlError("USAGE_INVALID", `${where} is not JSON`, { hint, cause }) };
  }
  const members: Readonly<Record<string, unknown>> =
    typeof value === "object" && value !== null ? { ...value } : {};
  const { id, query: asked = members["question"] } = members;
  const query = typeof asked === "string" ? asked.trim() : "";
  const named = typeof id === "string" || typeof id === "number" ? id : null;
  if (named !== null && !isBlank(query)) return { id: named, query };
  return { id: named, error: new RagctlError("USAGE_INVALID", `${where} lacks id or query`, { hint }) };
}
