import type { Reflection, Turn } from "../../core/answers/agent.ts";
import type { Run } from "../../core/run.ts";
import { withoutEnd } from "../../core/text.ts";
import { type Dependence, dependence } from "../../language/dependence.ts";
import { withoutOpening } from "../../language/forms.ts";
import { contentWords, fold, isVague, namesAndNumbers, oneLine, wordsOf } from "../../language/words.ts";
import { askModel, type DecisionDrivers } from "./drivers.ts";

/** Turns looked back at, the characters of each, the terms carried over, the tokens of a rewrite. */
const limits = { turns: 6, turnCharacters: 400, terms: 8, maxTokens: 96 } as const;

const system = `Rewrite the user's last question so that it can be understood without the conversation.
Keep every word of the question that carries meaning. Replace words like "it" or "that" by what they stand for.
Add nothing that the conversation does not say. Do not answer. Write only the question, on one line.`;
const grammar = "root ::= [^\\n\\r\\x00-\\x1F]+";

const recent = (history: readonly Turn[]): readonly Turn[] => history.slice(-limits.turns);
const clipped = (text: string): string => oneLine(text.slice(0, limits.turnCharacters));
const termsOf = (text: string): string[] => contentWords(text).map(fold);

/** The last question that stands alone, with the questions after it that lean on it, oldest first; the present one is not in it. */
function earlierQuestions(history: readonly Turn[], question: string): readonly string[] {
  const asked = recent(history)
    .filter(({ role }) => role === "user")
    .map(({ text }) => clipped(text))
    .filter((text) => text !== oneLine(question) && contentWords(text).length > 0);
  const start = asked.findLastIndex((text) => dependence(text) === null);
  return start === -1 ? asked.slice(-2) : asked.slice(start);
}

/** Content words of the earlier questions, then names of the last answer, that the question lacks. A number of an answer is no subject. */
function salientTerms(history: readonly Turn[], question: string): readonly string[] {
  const known = new Set(termsOf(question));
  const answer = clipped(recent(history).findLast(({ role }) => role === "assistant")?.text ?? "").replace(
    /\[\d+\]/g,
    "",
  );
  const asked = earlierQuestions(history, question).flatMap((text) =>
    contentWords(text).filter((word) => !isVague(word)),
  );
  const found: string[] = [];
  for (const term of [
    ...asked.slice(0, limits.terms),
    ...namesAndNumbers(answer)
      .filter((name) => /^\p{Lu}/u.test(name))
      .slice(0, 3),
  ]) {
    const keys = wordsOf(term).map(fold);
    if (keys.every((key) => known.has(key))) continue;
    found.push(term);
    for (const key of keys) known.add(key);
  }
  return found.slice(0, limits.terms);
}

/** Words that end the phrase a preposition opens. */
const closing = "for|in|at|of|on|from|with|and|or|is|are|do|does|did|can|get|gets|have|has";

/** The earlier question with what is different put in its place: a year for a year, a phrase for one with its preposition, a name for the name. */
function substituted(earlier: string, rest: string): string | null {
  const year = /\b(?:19|20)\d\d\b/g;
  const [newYear] = rest.match(year) ?? [];
  if (newYear !== undefined && new Set(earlier.match(year) ?? []).size === 1 && wordsOf(rest).length <= 3)
    return earlier.replace(year, newYear);
  const [, preposition = "", object = ""] =
    /^(for|in|at|of|on|from|with|under|to|during|für|bei|pour|en|à|ở|cho|với|tại) (.+)$/iu.exec(rest) ?? [];
  if (preposition !== "") {
    const inner = `(?!(?:${preposition}|${closing}|under|to)(?!\\p{L}))[\\p{L}\\p{N}'’-]+`;
    const phrase = new RegExp(
      `(?<!\\p{L})${preposition}\\s+${inner}(?:\\s+${inner})*\\s*(?=[?.!,]|$|(?:${closing})(?!\\p{L}))`,
      "iu",
    );
    if (phrase.test(earlier))
      return oneLine(earlier.replace(phrase, `${preposition} ${object} `)).replace(/ (?=[?.!,])/g, "");
  }
  const names = namesAndNumbers(earlier);
  const [name] = names;
  const named = namesAndNumbers(`x ${rest}`);
  if (name !== undefined && names.length === 1 && named.length === 1)
    return earlier.replace(name, named[0] ?? name);
  return null;
}

/** `sure`: the earlier question with one thing exchanged; a model could only repeat it. */
interface Ruled extends Reflection {
  readonly sure: boolean;
}

function byRule(question: string, history: readonly Turn[], { kind, rest, reason }: Dependence): Ruled {
  const earlier = earlierQuestions(history, question).at(0);
  if (kind === "ellipsis" && earlier !== undefined) {
    const replaced = substituted(earlier, rest);
    const rewritten = replaced ?? `${withoutEnd(earlier, /[?.!\s]/)} – ${rest}?`;
    return {
      rewritten,
      via: "rule",
      reason: `${reason}: ${replaced === null ? "joined to" : "put into"} the earlier question`,
      sure: replaced !== null,
    };
  }
  const terms = salientTerms(history, question);
  if (terms.length === 0)
    return { rewritten: null, via: "none", reason: `${reason}, but the last turns name nothing`, sure: true };
  return {
    rewritten: `${oneLine(question)} (${terms.join(" ")})`,
    via: "rule",
    reason: `${reason}: carries ${terms.join(", ")}`,
    sure: false,
  };
}

/**
 * Whether a rewrite may be trusted: one bounded line that keeps every content word and number of the question, adds words of the
 * conversation only, and adds at least one.
 */
export function faithful(rewrite: string, question: string, history: readonly Turn[]): boolean {
  const [before, after] = [new Set(termsOf(question)), termsOf(rewrite)];
  const said = new Set(recent(history).flatMap(({ text }) => termsOf(text.slice(0, limits.turnCharacters))));
  const kept = [...before].every((term) => after.includes(term) || isVague(term));
  const added = after.filter((term) => !before.has(term));
  const bounded =
    rewrite.length <= question.length + 240 && wordsOf(rewrite).length <= wordsOf(question).length + 25;
  return kept && bounded && added.length > 0 && added.every((term) => said.has(term));
}

/** Whether a rewrite has at least one of the names and numbers of the questions it leans on, where they have any. */
function namesWhat(rewrite: string, question: string, history: readonly Turn[]): boolean {
  const names = earlierQuestions(history, question).flatMap(namesAndNumbers);
  return names.length === 0 || names.some((name) => rewrite.includes(name));
}

/**
 * Makes a follow-up stand alone.
 * 1. Without a history, or when the question leans on nothing, it stays as it is: no cost.
 * 2. What is different goes into the earlier question by rule, where something there is of its kind.
 * 3. Else a model rewrites it; what it writes is used only when it is faithful and names what the conversation is about.
 * 4. Else by rule: names, numbers and nouns of the last turns are carried over.
 */
export async function reflect(
  question: string,
  history: readonly Turn[],
  drivers: Pick<DecisionDrivers, "model">,
  run: Run,
): Promise<Reflection> {
  if (history.length === 0) return { rewritten: null, via: "none", reason: "nothing was said before" };
  const asked = withoutOpening(question);
  const leaning = dependence(asked);
  if (leaning === null) return { rewritten: null, via: "none", reason: "it stands alone" };
  const { sure, ...ruled } = byRule(asked, history, leaning);
  if (sure) return ruled;
  const turns = recent(history).map(
    ({ role, text }) => `${role === "user" ? "User" : "Assistant"}: ${clipped(text)}`,
  );
  const written = await askModel(
    drivers,
    [system, `${turns.join("\n")}\n\nLast question: ${clipped(asked)}`],
    { grammar, maxTokens: limits.maxTokens },
    run,
  );
  if (written === null) return ruled;
  const rewrite = oneLine(written.text).replace(/^["“']|["”']$/g, "");
  if (!faithful(rewrite, asked, history) || !namesWhat(rewrite, asked, history))
    return { ...ruled, reason: `${ruled.reason}; what ${written.model} wrote was not faithful` };
  return { rewritten: rewrite, via: "model", reason: `${leaning.reason}: rewritten by ${written.model}` };
}
