import { open, writeFile } from "node:fs/promises";
import type { Command } from "commander";
import type { EvalReport, EvalRequest } from "../../core/answers/evaluation.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { askFields } from "../../operations/answers/ask.ts";
import { narrowingCollections } from "../../operations/answers/narrowing.ts";
import { text, textFlags, toggle } from "../../operations/fields.ts";
import { defined, field, type InputOf } from "../../operations/operation.ts";
import { plural } from "../../operations/text.ts";
import { evaluationShape } from "../../shapes/evaluation.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { shareField } from "../shell/options.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";
import { questionSource, readReport, writeUserFile } from "./files.ts";
import { reportHtml } from "./html.ts";
import { registerMake } from "./make.ts";
import { reportText } from "./text.ts";

/** Mode of a report: answers quote documents, so that only who ran the evaluation may read it. */
const ownerOnly = 0o600;

const input = {
  questions: field(
    "<questions>",
    z.string(),
    "JSONL file of {id, question, …} with optional doc, answer and evidence_pages, or - for stdin",
  ),
  collections: narrowingCollections,
  topK: field(
    "-k, --top-k <n>",
    z.int().min(1).default(10),
    "number of passages to retrieve for the search metrics",
  ),
  groupBy: field(
    "--group-by <field>",
    z.string().default("group"),
    "also report results grouped by this field of the questions",
  ),
  noAnswers: toggle("--no-answers", "evaluate retrieval only, without answering"),
  ablate: toggle("--ablate", "also measure the contribution of each part of the search"),
  compare: text("--compare <file>", "compare with the report of an earlier run, written with --format json"),
  gate: textFlags(
    "--gate <condition>",
    "fail unless a metric meets this bound, e.g. 'page_hit@5>=0.7'; may be repeated",
  ),
  tolerance: shareField("--tolerance <share>", 0.01, "relative tolerance when comparing numbers"),
  agent: askFields.agent,
  html: field(
    "--html <file>",
    z
      .string()
      .pipe(z.string().regex(/\.html?$/i, "must end in .html"))
      .optional(),
    "also write the report to an HTML file, worst questions first",
  ),
};

/** `ragctl eval`: how good search and answers are on one's own questions. */
export function registerEval(program: Command): void {
  const command = declare(program, "eval");
  const examples = ["ragctl eval questions.jsonl --gate 'page_hit@5>=0.7' --html report.html"];
  defineCommand(command, { input, examples }, runEval);
  registerMake(command);
}

async function runEval(session: Session, flags: InputOf<typeof input>): Promise<void> {
  const { questions, collections = [], topK, groupBy, ablate, tolerance, gate = [], html } = flags;
  session.onStop("stopping: the next evaluation starts from the beginning");
  const { evaluation } = await session.app();
  // Tried before the run, which takes minutes.
  if (html !== undefined)
    await writeUserFile(html, async (path) => (await open(path, "a", ownerOnly)).close());
  const request: EvalRequest = {
    source: questionSource(questions),
    ...{ groupBy, topK, collections, ablate, tolerance },
    answers: !flags.noAnswers,
    gates: gate.map((condition) => evaluation.gate(condition, topK)),
    ...defined({ agent: flags.agent }),
    ...(flags.compare === undefined ? {} : { earlier: await readReport(flags.compare) }),
  };
  const report = await evaluated(request, session);
  const name = request.source.name;
  session.output.result({ text: reportText(report, name), data: evaluationShape(report) });
  if (html !== undefined) await writeHtml(html, report, name, session);
  conclude(report, session);
}

async function evaluated(request: EvalRequest, session: Session): Promise<EvalReport> {
  const { evaluation } = await session.app();
  using progress = createProgress("eval", "question", session.output);
  progress.stage("reading questions");
  for await (const event of evaluation.evaluate(request, session.run)) {
    if (event.type === "eval-end") return event.report;
    progress.set(event.done, event.total, event.id);
  }
  throw new TypeError("the evaluation ended without a report");
}

async function writeHtml(path: string, report: EvalReport, name: string, session: Session): Promise<void> {
  const { evaluation } = await session.app();
  const page = reportHtml(report, evaluation.worstFirst(report), name);
  await writeUserFile(path, (file) => writeFile(file, page, { mode: ownerOnly }));
  session.output.note(`report: ${path}`);
}

const gateHint =
  "docs/reference/evaluation.md lists the fields each metric needs; --html FILE shows every question";

/** Says what did not pass or was not evaluated, and sets the exit status. */
function conclude({ excluded, gates }: EvalReport, session: Session): void {
  const { output } = session;
  const unread = excluded.filter(({ kind }) => kind !== "document");
  const without = excluded.length - unread.length;
  if (without > 0) output.note(`${plural(without, "question")} skipped: document not ingested`);
  for (const { line, reason } of unread) output.note(`line ${line} skipped: ${reason}`);
  if (unread.length > 0) session.exit(1);
  for (const { passed, reason } of gates)
    if (!passed)
      session.exit(output.error(new RagctlError("GATE_FAILED", reason, { hint: gateHint })).exitStatus);
}
