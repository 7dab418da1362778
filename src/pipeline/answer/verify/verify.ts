import type { Citation } from "../../../core/answers/answer.ts";
import type { Entailment } from "../../../core/answers/entailment.ts";
import type { CheckedStatement } from "../../../core/answers/verify.ts";
import { expandedChunk, type Hit, type Passage } from "../../../core/retrieval.ts";
import { detectLanguage, detectScript } from "../../../language/languages.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { contentTerms } from "../../../language/terms.ts";
import { contradictionIn } from "../check/contradiction.ts";
import { type CheckedPassage, evidenceOf } from "../check/evidence.ts";
import { tie } from "../check/tie.ts";
import { reasonOf } from "../check/verdict.ts";
import { citationQuoting } from "../ground.ts";
import { analyzeQuestion, type Question } from "../question.ts";
import { citationPattern, statementsOf } from "../statements.ts";
import { oppositeIn } from "./opposite.ts";
import { isQuestion, placeOf } from "./place.ts";

const heading = /^\s{0,3}#{1,6}\s/;

/** The statements of a text, in order, without markers: no headings or questions. */
export function statementsToCheck(text: string): readonly string[] {
  const body = text
    .split("\n")
    .filter((line) => !heading.test(line))
    .join("\n");
  return statementsOf(body.replace(citationPattern, ""))
    .map(({ bare }) => bare)
    .filter((bare) => !isQuestion(bare) && contentTerms(bare).length > 1);
}

/** A statement as a question that gives nothing away. */
const askedFor = (statement: string): Question => ({
  ...analyzeQuestion(""),
  notes: notesFor(statement),
  language: detectScript(statement),
  spoken: detectLanguage(statement),
});

const passageOf = (hit: Pick<Hit, "chunk" | "around">, at: number): Passage => {
  const chunk = expandedChunk(hit);
  return {
    marker: at + 1,
    chunk,
    text: chunk.text,
    ...(hit.around === undefined ? {} : { around: hit.around }),
  };
};

/** What a passage says about a statement: `lacks` if only a value of it is not there. */
interface Finding {
  readonly passage: Passage;
  readonly says: "supports" | "contradicts" | "lacks" | "nothing";
  /** The sentence or row that says it. */
  readonly quote: string;
  /** Why the statement is not supported, of the passage with a marker. */
  readonly reason: (marker: number) => string;
}

function findingOf(statement: string, evidence: CheckedPassage, asked: Question): Finding {
  const { passage } = evidence;
  const say = asked.notes.judged;
  const { loose, held, derived } = tie(statement, { cited: [evidence], asked, earlier: [], lists: [] });
  const suspects = { loose: loose.map(({ value }) => value), tied: held, derived };
  const other = contradictionIn(statement, evidence, suspects);
  if (other !== null) {
    const { value, quote } = other;
    return { passage, says: "contradicts", quote, reason: (at) => say.otherValue(value, `[${at}]`) };
  }
  const opposite = oppositeIn(statement, evidence);
  if (opposite !== null)
    return { passage, says: "contradicts", quote: opposite, reason: (at) => say.opposite(`[${at}]`) };
  const quote = placeOf(statement, evidence);
  if (quote === null) return { passage, says: "nothing", quote: "", reason: () => say.unstated };
  const untied = loose.map((each) => ({ ...each, sentence: 0, elsewhere: [] }));
  return {
    ...{ passage, quote, says: untied.length === 0 ? "supports" : "lacks" },
    reason: (at) => reasonOf(untied, [at], say),
  };
}

/** What a model finds not to follow from its passage supports nothing. */
async function confirmed(
  statement: string,
  finding: Finding,
  { entailment, asked }: { readonly entailment: Entailment; readonly asked: Question },
  signal: AbortSignal,
): Promise<Finding> {
  if (finding.says !== "supports") return finding;
  const { entailed, probability, label } = await entailment.judge(finding.passage.text, statement, signal);
  const reason = (at: number): string =>
    asked.notes.judged.notEntailed(`[${at}]`, probability, label, entailment.id);
  return entailed ? finding : { ...finding, says: "lacks", reason };
}

/** Citations of findings, with markers from 1. */
const cited = (findings: readonly Finding[]): readonly Citation[] =>
  findings.map(({ passage, quote }, at) => citationQuoting({ ...passage, marker: at + 1 }, [quote]));

/**
 * Checks a statement against passages, nearest first. A passage contradicts it if it clearly has another value for the same
 * thing, property and time, or says the opposite; it supports it if it has its values, and its words in one place. The
 * statement is
 * - supported if a passage supports it;
 * - contradicted if one contradicts it and none supports it;
 * - something that documents disagree about if one supports and another document contradicts it;
 * - not found otherwise.
 * `entailment`, if any, may find that a supported statement does not follow.
 */
export async function checkStatement(
  text: string,
  hits: readonly Pick<Hit, "chunk" | "around">[],
  entailment: Entailment | null,
  signal: AbortSignal,
): Promise<CheckedStatement> {
  const asked = askedFor(text);
  const findings: Finding[] = [];
  for (const [at, hit] of hits.entries()) {
    const finding = findingOf(text, evidenceOf(passageOf(hit, at), asked), asked);
    findings.push(
      entailment === null ? finding : await confirmed(text, finding, { entailment, asked }, signal),
    );
  }
  const of = (says: Finding["says"]): readonly Finding[] => findings.filter((each) => each.says === says);
  const supporting = of("supports");
  const agreed = new Set(supporting.map(({ passage }) => passage.chunk.documentId));
  const [against] = of("contradicts").filter(({ passage }) => !agreed.has(passage.chunk.documentId));
  if (supporting.length > 0 && against === undefined)
    return { text, verdict: "supported", reason: "", sources: cited(supporting) };
  const shown = against === undefined ? of("lacks").slice(0, 1) : [...supporting, against];
  const verdict =
    against === undefined ? "not_found" : supporting.length > 0 ? "documents_disagree" : "contradicted";
  const reason = shown.at(-1)?.reason(shown.length) ?? asked.notes.judged.unstated;
  return { text, verdict, reason, sources: cited(shown) };
}
