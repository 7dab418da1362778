// Prints how near an embedding model puts questions to the paragraph that answers them and to paragraphs of other
// articles, and the range that `cosineRange` of models/manifest.yaml states: as far between the two medians as the
// usual range of 0.55 to 0.80 is under bge-small-en-v1.5-int8 on XQuAD en.
//   node scripts/eval/cosines.ts SQUAD.json… [--home DIR] [--set embed.model=ID]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openEmbedder } from "../../src/app/engines/models.ts";
import { cosine, referenceCosineRange } from "../../src/core/documents/embedding.ts";
import { evalRun, flagsOf, openHome } from "./library.ts";
import { squad } from "./questions.ts";
import { spread } from "./replay.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { home: { type: "string" }, set: { type: "string", multiple: true } },
});
/** Questions of each file, spread over it. */
const questionsOfFile = 200;
const { settings, models } = openHome(values.home, flagsOf(values.set ?? []));
await using embedder = await openEmbedder(settings, await models());
/** Medians of bge-small-en-v1.5-int8 on XQuAD en, by this script. */
const usualMedians = { others: 0.408, answering: 0.716 };
const quantiles = [0.05, 0.25, 0.5, 0.75, 0.95];
const print = (label: string, cells: readonly string[]): void =>
  void process.stdout.write(`${label.padEnd(44)}${cells.map((cell) => cell.padStart(8)).join("")}\n`);

print(
  embedder.id,
  quantiles.map((share) => `${100 * share} %`),
);
for (const path of positionals) {
  const articles = squad.parse(JSON.parse(readFileSync(path, "utf8"))).data;
  const paragraphs = articles.flatMap((article, at) =>
    article.paragraphs.map((one) => ({ ...one, article: at })),
  );
  const asked = spread(
    paragraphs.flatMap(({ qas, context, article }) =>
      qas.filter((one) => one.is_impossible !== true).map(({ question }) => ({ question, context, article })),
    ),
    questionsOfFile,
  );
  const texts = paragraphs.map(({ context }) => context);
  const [questions, passages] = [
    await embedder.embed(
      asked.map(({ question }) => question),
      { purpose: "query" },
      evalRun.signal,
    ),
    await embedder.embed(texts, { purpose: "passage" }, evalRun.signal),
  ];
  const of = (keep: (question: number, paragraph: number) => boolean): number[] =>
    questions.flatMap(({ dense }, question) =>
      passages.flatMap((passage, paragraph) =>
        keep(question, paragraph) ? [cosine(dense, passage.dense)] : [],
      ),
    );
  const row = (label: string, cosines: number[]): number => {
    const sorted = cosines.sort((left, right) => left - right);
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    print(
      label,
      quantiles.map((share) => at(share).toFixed(3)),
    );
    return at(0.5);
  };
  const name = path.slice(-24);
  const answering = row(
    `${name}: answering`,
    of((question, at) => asked[question]?.context === texts[at]),
  );
  const others = row(
    `${name}: of another article`,
    of((question, at) => asked[question]?.article !== paragraphs[at]?.article),
  );
  const stretch = (answering - others) / (usualMedians.answering - usualMedians.others);
  const range = referenceCosineRange.map((usual) => others + (usual - usualMedians.others) * stretch);
  print(
    `${name}: range`,
    range.map((end) => end.toFixed(3)),
  );
}
