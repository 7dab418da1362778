import type { SentenceVerdict } from "../core/answer.ts";
import type { Passage } from "../core/retrieval.ts";
import { type CalendarDate, datesIn, sameDate } from "./dates.ts";
import { legalForms, namesIn, nearlyEqual } from "./evidence.ts";
import { rank } from "./extract.ts";
import { withoutInstructions } from "./instructions.ts";
import { declaredScales, type Quantity, quantitiesIn, stands } from "./quantities.ts";
import { bareOf, markersOf, statementsOf } from "./statements.ts";
import { contentTerms, normalize, sentences, words } from "./terms.ts";

/** Share of the words an answer adds to its question that must stand in the passages it cites: below the first unsupported, below the second partial. */
const wordSupport = { unsupported: 0.34, supported: 0.5 } as const;

/** Sentences that say there is no answer; they answer nothing, so nothing can support them. */
const saysNothing =
  /\b(?:do(?:es)? not|don't|doesn't|did not|cannot|can't|is not|are not|isn't|aren't|no)\b.{0,40}\b(?:mention\w*|provide\w*|contain\w*|specif\w*|state[ds]?|include|given|indicate\w*|information|enough|determine\w*|found|answer\w*)\b.{0,120}\b(?:passages?|text|context|documents?|information|question|details?|above)\b|\b(?:passages?|text|context|documents?)\b.{0,30}\b(?:do(?:es)? not|don't|doesn't|cannot)\b/iu;

/** Scripts told apart by their share of the letters; Vietnamese by its own ones, which a foreign name or symbol alone does not make. */
function languageOf(text: string): string {
  const letters = text.normalize("NFC").match(/\p{L}/gu) ?? [];
  const share = (pattern: RegExp): number => letters.filter((letter) => pattern.test(letter)).length / Math.max(1, letters.length);
  if (share(/[ăđơưạ-ỹ]/iu) > 0.05) return "vi";
  if (share(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u) > 0.3) return "cjk";
  return share(/\p{Script=Latin}/u) > 0.5 ? "latin" : "other";
}

/** What a passage can vouch for: its text without what speaks to an assistant, its title, headings and file name. */
interface Witness {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly raw: readonly string[];
  readonly squashed: string;
  readonly quantities: readonly Quantity[];
  readonly dates: readonly CalendarDate[];
  readonly declared: readonly number[];
  readonly sentences: readonly string[];
  /** Words of each sentence with its two neighbours; empty for tables, whose cells are read by row and column. */
  readonly windows: readonly ReadonlySet<string>[];
  readonly heads: string;
}

function witnessOf({ chunk, text }: Passage, question: string): Witness {
  const heads = [chunk.sourceName, chunk.title, ...chunk.headings].join("\n");
  const body = withoutInstructions(chunk.text === "" ? text : chunk.text, question).text;
  const all = `${heads}\n${body}`;
  const plain = all.normalize("NFKC").replace(/\s+/g, " ");
  const bag = words(all);
  const told = sentences(body);
  const bags = told.map(words);
  return {
    text: body,
    words: new Set(bag),
    raw: plain.match(/[\p{L}\p{M}\p{N}&]+/gu) ?? [],
    squashed: normalize(all).replace(/[^\p{L}\p{N}\p{M}]+/gu, ""),
    quantities: quantitiesIn(normalize(plain)),
    dates: datesIn(plain).dates.flat(),
    declared: declaredScales(plain.toLowerCase()),
    sentences: told,
    windows: body.includes(" | ") ? [] : bags.map((_, at) => new Set(bags.slice(Math.max(0, at - 1), at + 2).flat())),
    heads,
  };
}

/** Parts of a name that neither the witnesses nor the question know; an acronym knows the words it is made of, and the other way round. */
function unknownParts(name: string, witnesses: readonly Witness[], known: ReadonlySet<string>): string[] {
  const parts = name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const joined = normalize(name).replace(/[^\p{L}\p{N}\p{M}]+/gu, "");
  if (joined.length >= 5 && witnesses.some((witness) => witness.squashed.includes(joined))) return [];
  const initials = parts.map((part) => part[0]?.toUpperCase()).join("");
  if (parts.length >= 2 && witnesses.some((witness) => witness.raw.includes(initials))) return [];
  return parts.filter((part) => {
    if (legalForms.test(part)) return false;
    const roots = words(part);
    if (
      roots.every(
        (root) => known.has(root) || witnesses.some((w) => w.words.has(root) || [...w.words].some((word) => nearlyEqual(word, root))),
      )
    )
      return false;
    return !(/^\p{Lu}{2,6}$/u.test(part) && witnesses.some((witness) => spellsOut(part, witness.raw)));
  });
}

/** Whether words in a row start with the letters of an acronym. */
function spellsOut(acronym: string, raw: readonly string[]): boolean {
  return raw.some((_, at) => [...acronym].every((letter, offset) => raw[at + offset]?.[0] === letter));
}

/**
 * Whether what the sentence rests on has anything to do with the question: a shared term in it, near it in the passage, or above it.
 * A passage without any of the question's terms was found by meaning: nothing can be told of it.
 */
function bearsOn(question: readonly string[], sentence: string, witnesses: readonly Witness[]): boolean {
  if (question.length === 0) return true;
  const own = new Set(words(sentence));
  if (question.some((term) => own.has(term))) return true;
  const terms = contentTerms(sentence);
  if (!witnesses.some((witness) => question.some((term) => witness.words.has(term)))) return true;
  return witnesses.some((witness) => {
    const scores = rank(terms, witness.sentences);
    const best = scores.indexOf(Math.max(...scores));
    const around = new Set(words([witness.heads, ...witness.sentences.slice(Math.max(0, best - 1), best + 2)].join("\n")));
    return question.some((term) => around.has(term));
  });
}

/** Facts that stand in the passages, but far from where those speak of what the sentence is about. */
function apart(facts: readonly string[], topic: readonly string[], witnesses: readonly Witness[]): string[] {
  const windows = witnesses.flatMap((witness) => witness.windows);
  if (topic.length === 0 || witnesses.some((witness) => witness.windows.length === 0)) return [];
  const nearness = windows.map((window) => topic.filter((term) => window.has(term)).length);
  const best = Math.max(0, ...nearness);
  return facts.filter((fact) => {
    const own = nearness.filter((_, at) => windows[at]?.has(fact));
    return own.length > 0 && Math.max(...own) * 2 < best;
  });
}

/** Holds single sentences against the passages of one answer. */
export interface Judge {
  sentence(bare: string, markers: readonly number[]): SentenceVerdict;
}

/**
 * A judge by rule, for one question and its passages. A sentence is
 * - unsupported when it cites nothing or no passage, when a name, number, unit or date of it does not stand in what it cites, when hardly any of the
 *   words it adds to the question do, when it has nothing to do with the question, or when it only says that there is no answer;
 * - partial when only some of its words do, a number word does not, or what it adds stands apart from what it is about;
 * - supported otherwise.
 * Sentences of a passage that speak to an assistant vouch for nothing.
 */
export function openJudge(passages: readonly Passage[], question = ""): Judge {
  const witnesses = new Map(passages.map((passage) => [passage.marker, witnessOf(passage, question)]));
  const asked = contentTerms(question);
  const known = new Set([...asked, ...words(question)]);
  const askedNumbers = new Set(quantitiesIn(normalize(question)).map(({ text }) => text));
  const askedIn = languageOf(question);

  const sentence = (bare: string, markers: readonly number[]): SentenceVerdict => {
    const verdict = (support: SentenceVerdict["support"], reason: string): SentenceVerdict => ({ text: bare, markers, support, reason });
    if (!/[\p{L}\p{N}]/u.test(bare)) return verdict("unsupported", "says nothing");
    if (markers.length === 0) return verdict("unsupported", "cites no passage");
    const absent = markers.find((marker) => !witnesses.has(marker));
    if (absent !== undefined) return verdict("unsupported", `there is no passage [${absent}]`);
    if (saysNothing.test(bare)) return verdict("unsupported", "only says that there is no answer");
    const cited = markers.flatMap((marker) => witnesses.get(marker) ?? []);
    const where = markers.map((marker) => `[${marker}]`).join("");

    const { dates, rest } = datesIn(bare);
    const heldDates = cited.flatMap((witness) => witness.dates);
    const date = dates.find((readings) => !readings.some((reading) => heldDates.some((held) => sameDate(reading, held))));
    if (date !== undefined) return verdict("unsupported", `${date[0]?.text ?? "a date"} does not stand in ${where}`);

    const quantities = cited.flatMap((witness) => witness.quantities);
    const declared = cited.flatMap((witness) => witness.declared);
    const rounded = /\b(?:about|approximately|around|nearly|almost|roughly|over|more than|less than|under|khoảng|gần|hơn)\b/i.test(bare);
    let doubt = "";
    for (const quantity of quantitiesIn(normalize(rest))) {
      // "one" is as often a pronoun.
      if (quantity.word && quantity.readings[0] === 1 && quantity.scale === 1) continue;
      const found = stands(quantity, quantities, declared, rounded);
      if (found === "yes") continue;
      const lack = found === "no" ? `${quantity.text} does not stand in ${where}` : `${quantity.text} stands in ${where} with another unit`;
      // A number of the question is its condition ("more than 50"), but a year that the passage lacks makes it another year's fact.
      const given = askedNumbers.has(quantity.text) && !/^(?:19|20)\d\d$/.test(quantity.text);
      if (!quantity.word && !given) return verdict("unsupported", lack);
      doubt = lack;
    }

    const names = namesIn(bare);
    const unknown = names.flatMap((name) => unknownParts(name, cited, known));
    if (unknown.length > 0) return verdict("unsupported", `${[...new Set(unknown)].join(", ")} does not stand in ${where}`);

    const language = languageOf(bare);
    if (cited.every((witness) => languageOf(witness.text) !== language)) {
      return verdict("partial", "written in another language than its passage: only names and numbers were compared");
    }
    const acronyms = (bare.match(/\b\p{Lu}{2,6}\b/gu) ?? []).filter((acronym) => cited.some((witness) => spellsOut(acronym, witness.raw)));
    const recognised = new Set(words([...names, ...acronyms].join(" ")));
    const terms = contentTerms(rest);
    const added = terms.filter((term) => !known.has(term));
    const counted = added.length > 0 ? added : terms;
    const weight = (term: string): number => (/^\p{N}/u.test(term) ? 2 : 1);
    const held = (term: string): boolean =>
      /^\p{N}/u.test(term) ||
      recognised.has(term) ||
      cited.some((w) => w.words.has(term) || (term.length >= 5 && [...w.words].some((word) => nearlyEqual(word, term))));
    const total = counted.reduce((sum, term) => sum + weight(term), 0);
    const share = total === 0 ? 1 : counted.reduce((sum, term) => sum + (held(term) ? weight(term) : 0), 0) / total;
    const missing = counted
      .filter((term) => !held(term))
      .slice(0, 5)
      .join(", ");
    if (share < wordSupport.unsupported) return verdict("unsupported", `${where} says nothing of ${missing}`);
    if (language === askedIn && !bearsOn(asked, bare, cited)) return verdict("unsupported", "has nothing to do with the question");
    if (share < wordSupport.supported) return verdict("partial", `${where} says nothing of ${missing}`);
    if (doubt !== "") return verdict("partial", doubt);
    const facts = words(names.join(" ")).concat(terms.filter((term) => /^\p{N}/u.test(term)));
    const far = apart(
      facts.filter((fact) => !known.has(fact)),
      terms.filter((term) => known.has(term)),
      cited,
    );
    return far.length > 0 ? verdict("partial", `${far.join(", ")} stands in ${where}, but apart from the rest`) : verdict("supported", "");
  };
  return { sentence };
}

/** Every sentence of an answer held against the passages it cites, in order; `question` says what is known and what is asked. */
export function judge(text: string, passages: readonly Passage[], question = ""): readonly SentenceVerdict[] {
  const { sentence } = openJudge(passages, question);
  return statementsOf(text).map((statement) => sentence(bareOf(statement), markersOf(statement)));
}
