import { contentTerms, isStopWord, words } from "../../../../language/terms.ts";
import { rank } from "../../extract.ts";
import type { Question } from "../../question.ts";
import type { Witness } from "../witness.ts";

/** A word and the capital letter behind it: `Widget A`, `plan-B`. Terms drop letters, so these are read apart. */
const labelled = /(?<![\p{L}\p{N}])(\p{L}{2,40})[ \u00a0-](\p{Lu})(?![\p{L}\p{N}])/gu;
/** Written as a capital, but a pronoun. */
const pronoun = "I";

/** The letters that tell things of one kind apart, and how the kind is written, by its root. */
type Labels = ReadonlyMap<string, { readonly kind: string; readonly letters: ReadonlySet<string> }>;

function labelsIn(text: string): Labels {
  const labels = new Map<string, { kind: string; letters: Set<string> }>();
  for (const [, kind = "", letter = ""] of text.matchAll(labelled)) {
    const [root] = words(kind);
    if (root === undefined || letter === pronoun || isStopWord(kind)) continue;
    const entry = labels.get(root) ?? { kind, letters: new Set() };
    labels.set(root, { ...entry, letters: entry.letters.add(letter) });
  }
  return labels;
}

/** A letter in quotes, or before the number of a part: `Plan 'B'`, `B1`. */
const marked = /(?<![\p{L}\p{N}])["'“‘(]?(\p{Lu})(?:["'”’)]|(?=\p{N}{1,3}(?![\p{L}\p{N}])))/gu;
/** A letter that names a thing, and is neither an article nor a unit: `Pumps A and B`, the cell `| A |`. */
const lone = /(?<![\p{L}\p{N}]|\p{N}\s)(\p{Lu})(?![\p{L}\p{N}'’])(?!\s\p{Ll})/gu;
/** Joins two such letters. */
const joined =
  /(?<![\p{L}\p{N}])(\p{Lu})(?=\s(?:and|or|to|und|oder|bis|và|hoặc|et|ou|is|was|has|ist|hat|là)\s)/gu;
/** An initial of a name, or a letter before one: `Mary N. Dillon`. */
const initial = /(?<![\p{L}\p{N}])\p{Lu}(?=\.?\s\p{Lu}\p{Ll})/gu;

/** A letter in brackets right behind another one, as units have it: `dB(A)`. */
const ofUnit = /(?<=\p{L})\(\p{Lu}\)/gu;

/**
 * The thing that a statement, or its question where the statement names none of that kind, tells apart by a letter
 * that none of the cited passages has: `Pump A`. "" for none.
 */
function absentLabel(statement: string, asked: Question, cited: readonly Witness[]): string {
  const isShouted = asked.text === asked.text.toUpperCase();
  if (isShouted || cited.some(({ finding }) => finding)) return "";
  const plain = (text: string): string => text.replace(initial, " ");
  const said = labelsIn(plain(statement));
  const held = new Set(
    cited.flatMap(({ text, heads }) => {
      const all = `${heads}\n${text}`.replace(ofUnit, " ");
      const alone = [lone, joined, marked].flatMap((form) =>
        Array.from(all.matchAll(form), ([, letter]) => letter),
      );
      return [...alone, ...[...labelsIn(all).values()].flatMap(({ letters }) => [...letters])];
    }),
  );
  const absent = [...labelsIn(plain(asked.text))].find(([root, label]) =>
    (said.get(root) ?? label).letters.isDisjointFrom(held),
  );
  return absent === undefined ? "" : nameOf(said.get(absent[0]) ?? absent[1]);
}

/**
 * What is wrong with the letters of a statement: it is about another thing than the question, or the sentences
 * it rests on are, or no passage has it; "" where nothing is.
 */
export function mistakenLabel(
  statement: string,
  asked: Question,
  witnesses: readonly Witness[],
  where: string,
): string {
  const wanted = labelsIn(asked.text);
  const said = labelsIn(statement);
  for (const [root, { kind, letters }] of wanted) {
    const other = said.get(root);
    if (other !== undefined && letters.isDisjointFrom(other.letters))
      return `is about ${nameOf(other)}, not about ${nameOf({ kind, letters })}`;
  }
  const sources = sourcesOf(statement, witnesses).map(labelsIn);
  for (const [root, label] of new Map([...wanted, ...said])) {
    const others = sources.map((labels) => labels.get(root));
    const [first] = others;
    if (first !== undefined && others.every((other) => other?.letters.isDisjointFrom(label.letters)))
      return `${where} says it of ${nameOf(first)}, not of ${nameOf(label)}`;
  }
  const absent = absentLabel(statement, asked, witnesses);
  return absent === "" ? "" : `${where} has no ${absent}`;
}

const nameOf = ({
  kind,
  letters,
}: {
  readonly kind: string;
  readonly letters: ReadonlySet<string>;
}): string => [...letters].map((letter) => `${kind} ${letter}`).join(", ");

/** The sentences of the passages that have the most of a statement's terms. */
function sourcesOf(statement: string, witnesses: readonly Witness[]): readonly string[] {
  const terms = contentTerms(statement);
  const scored = witnesses.flatMap(({ sentences }) => {
    const scores = rank(terms, sentences);
    return sentences.map((sentence, at) => ({ sentence, score: scores[at] ?? 0 }));
  });
  const most = Math.max(0, ...scored.map(({ score }) => score));
  return scored.filter(({ score }) => score === most && most > 0).map(({ sentence }) => sentence);
}
