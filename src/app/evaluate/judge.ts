import type { ExcludedQuestion, JudgeReport, RuleWorth } from "../../core/answers/evaluation.ts";
import { RagctlError } from "../../core/errors.ts";
import type { NamedBytes } from "../../core/flow.ts";
import type { Passage } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import { openJudge } from "../../pipeline/answer/judge/judge.ts";
import { rules, ties, vouching } from "../../pipeline/answer/judge/rules.ts";
import { readQuestion } from "../../pipeline/answer/question.ts";
import { statementsOf } from "../../pipeline/answer/statements.ts";
import { linesOf } from "../../pipeline/evaluate/questions.ts";

/** A labelled draft of an answer: one line of a file (docs/reference/evaluation.md). */
const labelled = z.looseObject({
  question: z.string().min(1),
  /** Texts of the passages, by marker; with their document and headings where these count. */
  passages: z
    .array(
      z.union([
        z.string(),
        z.object({
          text: z.string(),
          document: z.string().default(""),
          headings: z.array(z.string()).default([]),
          pages: z.array(z.int()).default([]),
        }),
      ]),
    )
    .min(1),
  draft: z.string().min(1),
  right: z.boolean(),
  /** Who wrote it. */
  reader: z.enum(["small", "able"]).default("small"),
});
type Draft = z.infer<typeof labelled>;

/** A passage of a draft as the judge reads it. */
function passageOf(given: Draft["passages"][number], at: number): Passage {
  const { text, document, headings, pages } =
    typeof given === "string" ? { text: given, document: "", headings: [], pages: [] } : given;
  return {
    marker: at + 1,
    text,
    chunk: {
      ...{ id: `${at}`, documentId: document, versionId: "", ordinal: at, text, title: "", headings },
      ...{ pages, contentType: "paragraph", tokenCount: 0, sourcePath: document, sourceName: document },
      ...{ format: "text", collection: "", department: "", method: "", contentHash: "" },
    },
  };
}

/** The ids that remove a sentence of a draft; empty where all is kept. */
function removing({ question, passages, draft, reader }: Draft, off: readonly string[]): ReadonlySet<string> {
  const shown = passages.map(passageOf);
  const judge = openJudge(shown, readQuestion(question), { off: new Set(off), isAble: reader === "able" });
  const statements = statementsOf(
    draft,
    shown.map(({ text }) => text),
  );
  const verdicts = statements.map(({ bare, markers }) => judge.sentence(bare, markers));
  return new Set(verdicts.filter(({ support }) => support === "unsupported").map(({ rule }) => rule));
}

/** Counts for the parts of the judge, by id. */
type Counts = Map<string, { [key in Exclude<keyof RuleWorth, "rule">]: number }>;

function count(counts: Counts, rule: string, what: Exclude<keyof RuleWorth, "rule">): void {
  const own = counts.get(rule) ?? { wrong: 0, right: 0, keptRight: 0, keptWrong: 0 };
  own[what] += 1;
  counts.set(rule, own);
}

/** Judges a draft with each part switched off that may have decided, and counts whom it would change. */
function ablate(draft: Draft, removed: ReadonlySet<string>, counts: Counts): void {
  const isKept = removed.size === 0;
  for (const rule of isKept ? vouching : removed) {
    const isKeptWithout = removing(draft, [rule]).size === 0;
    if (isKept === isKeptWithout) continue;
    if (isKept) count(counts, rule, draft.right ? "keptRight" : "keptWrong");
    else count(counts, rule, draft.right ? "right" : "wrong");
  }
}

function parsed(text: string | null): Draft | string {
  if (text === null) return "it is too long";
  try {
    const read = labelled.safeParse(JSON.parse(text));
    const [issue] = read.error?.issues ?? [];
    return read.success ? read.data : `its ${issue?.path.join(".") || "line"} ${issue?.message}`;
  } catch {
    return "it is not JSON";
  }
}

/**
 * The judge over the labelled drafts of a file, as a whole and with each part switched off. @throws
 * USAGE_INVALID
 */
export async function judgeDrafts(source: NamedBytes, programVersion: string): Promise<JudgeReport> {
  const counts: Counts = new Map();
  const excluded: ExcludedQuestion[] = [];
  const totals = { right: 0, wrong: 0, rightKept: 0, wrongRemoved: 0 };
  for await (const { line, text } of linesOf(source.bytes, source.name)) {
    const draft = parsed(text);
    if (typeof draft === "string") {
      excluded.push({ line, id: "", kind: "line", reason: draft });
      continue;
    }
    const removed = removing(draft, []);
    totals[draft.right ? "right" : "wrong"] += 1;
    if (draft.right && removed.size === 0) totals.rightKept += 1;
    if (!draft.right && removed.size > 0) totals.wrongRemoved += 1;
    ablate(draft, removed, counts);
  }
  if (totals.right + totals.wrong === 0)
    throw new RagctlError("USAGE_INVALID", `${source.name} contains no labelled drafts`, {
      hint: 'each line must be {"question": …, "passages": […], "draft": "… [1]", "right": true}; see docs/reference/evaluation.md',
    });
  const ids = [...vouching, ...ties.map(({ id }) => id), ...rules.map(({ id }) => id)];
  const none = { wrong: 0, right: 0, keptRight: 0, keptWrong: 0 };
  return {
    programVersion,
    ...totals,
    rules: ids.map((rule) => ({ rule, ...(counts.get(rule) ?? none) })),
    excluded,
  };
}
