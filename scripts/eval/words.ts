// Measures what the words of a language are worth to evidence, without a model or a store: each question is ranked
// over all paragraphs by words, once as it is and once with its own paragraph left out.
//   node scripts/eval/words.ts SQUAD.json…
// For each file: questions whose own paragraph comes first, those refused at the default threshold, and the area under
// the curve of answerable questions against the others.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { contentTerms } from "../../src/language/terms.ts";
import { evidence, evidenceDefaults } from "../../src/pipeline/answer/evidence.ts";
import { bm25Scores } from "../../src/pipeline/answer/extract.ts";
import { analyzeQuestion } from "../../src/pipeline/answer/question.ts";
import { passageOf } from "./passages.ts";
import { squad } from "./questions.ts";

interface Paragraph {
  readonly title: string;
  readonly context: string;
}

/** The evidence for a question, and whether the first paragraph by words is its own. */
function scoreOf(question: string, own: Paragraph, among: readonly Paragraph[]) {
  const scores = bm25Scores(
    contentTerms(question),
    among.map(({ title, context }) => `${title} ${context}`),
  );
  const ranked = among
    .map((paragraph, at) => ({ paragraph, score: scores[at] ?? 0 }))
    .sort((left, right) => right.score - left.score)
    .slice(0, evidenceDefaults.depth);
  const hits = ranked.map(({ paragraph, score }, at) => {
    const { chunk } = passageOf(paragraph.context, []);
    return { chunk: { ...chunk, id: `v-${at}`, title: paragraph.title }, score, via: "fused" as const };
  });
  const { score, enough } = evidence(analyzeQuestion(question), hits);
  return { score, enough, isFirst: ranked[0]?.paragraph === own };
}

type Scored = ReturnType<typeof scoreOf>;

/** Share of pairs in which the answerable question has more evidence; a tie counts half. */
function areaUnderCurve(answerable: readonly Scored[], others: readonly Scored[]): string {
  if (others.length === 0) return "–";
  const wins = answerable.reduce(
    (sum, { score }) =>
      sum +
      others.filter((other) => other.score < score).length +
      others.filter((other) => other.score === score).length / 2,
    0,
  );
  return (wins / answerable.length / others.length).toFixed(3);
}

const { positionals } = parseArgs({ allowPositionals: true });
const refused = (scores: readonly Scored[]): string =>
  `${scores.filter(({ enough }) => !enough).length} of ${scores.length}`;
for (const path of positionals) {
  const paragraphs = squad
    .parse(JSON.parse(readFileSync(path, "utf8")))
    .data.flatMap(({ title, paragraphs: own }) =>
      own.map((one) => ({ title: title.replaceAll("_", " "), ...one })),
    );
  const asked = paragraphs.flatMap((own) => own.qas.map((one) => ({ ...one, own })));
  const answerable = asked.filter((one) => one.is_impossible !== true);
  const scored = answerable.map(({ question, own }) => scoreOf(question, own, paragraphs));
  const without = answerable.map(({ question, own }) =>
    scoreOf(
      question,
      own,
      paragraphs.filter((one) => one !== own),
    ),
  );
  const impossible = asked
    .filter((one) => one.is_impossible === true)
    .map(({ question, own }) => scoreOf(question, own, paragraphs));
  process.stdout.write(
    [
      path,
      `  own paragraph first   ${scored.filter(({ isFirst }) => isFirst).length} of ${scored.length}`,
      `  answerable            refused ${refused(scored)}`,
      `  own paragraph hidden  refused ${refused(without)}, area ${areaUnderCurve(scored, without)}`,
      `  not answered by it    refused ${refused(impossible)}, area ${areaUnderCurve(scored, impossible)}`,
      "",
    ].join("\n"),
  );
}
