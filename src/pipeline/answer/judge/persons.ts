import { alternatives, isGerman } from "../../../language/languages.ts";
import { legalForms, namesIn, nearlyEqual } from "../../../language/names.ts";
import { longFormOf } from "../../../language/synonyms.ts";
import { contentTerms, isNumber, stem, words } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import { rowsOf } from "./figures/tables.ts";
import { spellsOut } from "./measure.ts";
import { sharedTerms } from "./relevance.ts";
import type { Witness } from "./witness.ts";

const asksWho = new RegExp(`^\\P{L}*(?:${alternatives((language) => language.asksWho)})(?![\\p{L}])`, "iu");

/** The role in “Who is the managing director of Halbrook?”, up to what it is a role of. */
const roleAsked = new RegExp(
  `^\\P{L}*(?:${alternatives((language) => language.asksRole)})\\s((?:[\\p{L}\\p{M}-]+\\s){0,4}?[\\p{L}\\p{M}-]+)(?:\\s(?:${alternatives((language) => language.ofRole)})(?![\\p{L}])|\\s?[?]|$)`,
  "iu",
);

/** What somebody does who is asked for, at the beginning of a question or behind a comma: `who assesses`. */
const deedAsked = new RegExp(
  `(?:^|[,:;])\\P{L}{0,3}(?:${alternatives((language) => language.asksWho)})\\s([\\p{L}\\p{M}-]+)`,
  "iu",
);
const passive = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ passives }) => passives?.holds)})\\s(?:\\p{L}{1,20}ly\\s)?([\\p{L}\\p{M}-]+)`,
  "giu",
);
const agent = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ passives }) => passives?.agents)})(?![\\p{L}])|[|:(]`,
  "iu",
);

const nobodyTold = "names nobody, which is what is asked";

/** Whether a statement says that it is done what somebody does who is asked for, and not by whom. */
function isDoneByNobody(statement: string, question: string): boolean {
  const deed = stem((deedAsked.exec(question)?.[1] ?? "").toLowerCase());
  const done = [...statement.matchAll(passive)].map(([, verb = ""]) => stem(verb.toLowerCase()));
  return deed !== "" && done.includes(deed) && !agent.test(statement);
}

const capitalised = /\p{Lu}[\p{L}\p{M}\p{N}&'’-]*(?:\s+\p{Lu}[\p{L}\p{M}\p{N}&'’-]*)*/gu;

/** The office in “What is the name of the former governor?”. */
const officeAsked = new RegExp(
  `^\\P{L}*(?:${alternatives(({ asksHolder }) => asksHolder)})\\s(?:[\\p{L}\\p{M}-]+\\s){0,2}?(${alternatives(({ offices }) => offices)})(?![\\p{L}])`,
  "iu",
);
/** A text that is the name of a person: two to four capitalised words. */
const person = /^\p{Lu}[\p{L}\p{M}.'’-]{1,30}(?:\s\p{Lu}[\p{L}\p{M}.'’-]{0,30}){1,3}$/u;

/** Letters of the shortest word that may abbreviate an office: `Gov.`. */
const leastTitle = 3;

/**
 * The office whose holder a question asks for, where a statement gives it to somebody, or is a name alone, and nothing
 * that it cites has it, short, in a compound or in another language; "" for none.
 */
export function absentOffice(statement: string, asked: Question, cited: readonly Witness[]): string {
  const office = officeAsked.exec(asked.text.normalize("NFC"))?.[1] ?? "";
  const root = stem(office.toLowerCase());
  const isGiven = words(statement).includes(root) || person.test(statement.replace(/\.$/, "").trim());
  if (office === "" || !isGiven || isHeld(office, cited)) return "";
  const forms = asked.alternatives.find(([term]) => term === root) ?? [];
  const isForm = (word: string): boolean =>
    forms.includes(word) || (word.length >= leastTitle && root.startsWith(word));
  const isFree = ({ text, words: own }: Witness): boolean =>
    isGerman(text) !== isGerman(asked.text) || [...own].some(isForm);
  return cited.some(isFree) ? "" : office;
}

/** Titles of an enterprise's officers, which stand beside the name of who has them. English alone. */
const officerTitle = /(?<!\p{L})chief\s(?:\p{L}{2,20}\s){1,2}officer(?!\p{L})/giu;

const titlesIn = (text: string): readonly string[] =>
  (text.match(officerTitle) ?? []).map((title) => title.toLowerCase().replace(/\s/g, " "));

/**
 * Somebody to whom a statement gives the title that the question asks about, while a line of what it cites gives that
 * to another, and every line with this name another title; "" for nobody.
 */
export function titleOfOthers(asked: Question, statement: string, cited: readonly Witness[]): string {
  const [title, ...others] = titlesIn(asked.text);
  if (title === undefined || others.length > 0) return "";
  const lines = cited.flatMap(({ text }) => text.split("\n"));
  if (!lines.some((line) => titlesIn(line).includes(title))) return "";
  const named = namesIn(statement).filter((name) => !words(name).some((word) => asked.known.has(word)));
  const isOther = (name: string): boolean => {
    const own = lines.filter((line) => line.includes(name)).map(titlesIn);
    return own.some((titles) => titles.length > 0) && own.every((titles) => !titles.includes(title));
  };
  return named.find(isOther) ?? "";
}

/** Whether passages have a word of a role, in another form or spelled out; what a tool found may leave it out. */
function isHeld(word: string, witnesses: readonly Witness[]): boolean {
  const long = longFormOf(word.toLowerCase()).map(stem);
  const root = stem(word.toLowerCase());
  return witnesses.some(
    ({ finding, words: own, raw }) =>
      finding ||
      own.has(root) ||
      (long.length > 0 && long.every((part) => own.has(part))) ||
      (/^\p{Lu}{2,6}$/u.test(word) && spellsOut(word, raw)) ||
      [...own].some((other) => nearlyEqual(other, root) || (root.length > 4 && other.includes(root))),
  );
}

/** A statement without the names that only say the question's own again: `Halbrook Ltd` of “Halbrook”. */
function withoutSubject(statement: string, { names }: Question): string {
  const owns = names.map(words);
  return statement.replace(capitalised, (name) => {
    const said = words(name);
    return owns.some((own) => own.every((word, at) => said[at] === word)) ? " " : name;
  });
}

/** Share of a question's terms that a row has which says who it was, and how much less a sentence with another has. */
const rowShare = { least: 0.6, lead: 2 } as const;

/**
 * The row that names another person than the statement: it has most of the question and the name of nobody that the
 * statement names, whose own sentences have less than half as much of it. "" for none. A row stands for itself; a
 * sentence may tell by its neighbours who did what it says.
 */
function rowOfAnother(
  names: readonly string[],
  asked: Question,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): string {
  const documents = new Set(cited.map(({ document }) => document));
  const rows = everywhere
    .filter(({ document, finding }) => documents.has(document) && !finding)
    .flatMap(({ text }) => rowsOf(text))
    .filter((row) =>
      row
        .split(" | ")
        .some((cell) => person.test(cell.trim()) && !words(cell).some((word) => asked.known.has(word))),
    );
  const shareOf = (text: string): number =>
    sharedTerms(asked, new Set(words(text))) / Math.max(1, asked.alternatives.length);
  const hasOwn = (text: string): boolean => names.some((name) => text.includes(name));
  const own = cited.flatMap(({ sentences }) => sentences.filter(hasOwn)).map(shareOf);
  const least = Math.max(rowShare.least, Math.max(0, ...own) * rowShare.lead);
  return rows.find((row) => shareOf(row) >= least && !hasOwn(row)) ?? "";
}

/**
 * Why a statement does not tell who is asked for: it names nothing but the question's own subject, or gives somebody a
 * role that nothing it cites speaks of. "" where it may.
 */
export function nobodyNamed(
  statement: string,
  asked: Question,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
  where: string,
): string {
  const question = asked.text.normalize("NFC");
  if (asked.kind !== "definition" && isDoneByNobody(statement, question)) return nobodyTold;
  if (asked.kind === "definition" || !asksWho.test(question)) return "";
  // The receiver of a pass is told by what somebody did; of what has a name, a role is told as such.
  const role = asked.names.length === 0 ? "" : (roleAsked.exec(question)?.[1] ?? "");
  const parts = (role.match(/[\p{L}\p{M}]+/gu) ?? []).filter((word) => contentTerms(word).length > 0);
  const said = new Set(words(statement));
  const isGiven = parts.some((word) => said.has(stem(word.toLowerCase())));
  if (isGiven && !parts.some((word) => isHeld(word, cited))) return `${where} says nothing of “${role}”`;
  const rest = withoutSubject(statement, asked);
  const known = new Set([...asked.known, ...asked.alternatives.flat()]);
  const added = contentTerms(rest).filter(
    (term) => !known.has(term) && !isNumber(term) && !legalForms.test(term),
  );
  if (rest !== statement && added.length === 0) return nobodyTold;
  const names = namesIn(rest).filter((name) => !words(name).every((word) => known.has(word)));
  const row = names.length === 0 ? "" : rowOfAnother(names, asked, cited, everywhere);
  return row === "" ? "" : `“${row.slice(0, 80)}” names somebody else`;
}
