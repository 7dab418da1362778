import type { Reflection, Turn } from "../../core/answers/agent.ts";
import type { Run } from "../../core/run.ts";
import { trimEndOf } from "../../core/text.ts";
import { type Dependence, detectDependence } from "../../language/dependence.ts";
import { stripGreeting } from "../../language/forms.ts";
import { alternatives } from "../../language/languages.ts";
import {
  contentWords,
  foldWord,
  isVague,
  namesAndNumbers,
  oneLine,
  splitWords,
} from "../../language/words.ts";
import { askModel } from "./ask-model.ts";
import type { DecisionDrivers } from "./drivers.ts";

/** Turns considered, characters of each, terms carried over, tokens of a rewrite. */
const limits = { turns: 6, turnCharacters: 400, terms: 8, maxTokens: 96 } as const;

const system = `Rewrite the user's last question so that it can be understood without the conversation.
Keep every word of the question that carries meaning. Replace words like "it" or "that" by what they stand for.
Add nothing that the conversation does not say. Do not answer. Write only the question, on one line.`;
const grammar = "root ::= [^\\n\\r\\x00-\\x1F]+";

const recentTurns = (history: readonly Turn[]): readonly Turn[] => history.slice(-limits.turns);
const clip = (text: string): string => oneLine(text.slice(0, limits.turnCharacters));
const termsOf = (text: string): string[] => contentWords(text).map(foldWord);

/** The last self-contained question and the follow-ups to it, oldest first, without the current question. */
function earlierQuestions(history: readonly Turn[], question: string): readonly string[] {
  const questions = recentTurns(history)
    .filter(({ role }) => role === "user")
    .map(({ text }) => clip(text))
    .filter((text) => text !== oneLine(question) && contentWords(text).length > 0);
  const start = questions.findLastIndex((text) => detectDependence(text) === null);
  return start === -1 ? questions.slice(-2) : questions.slice(start);
}

const phraseStart = new RegExp(`^(${alternatives(({ prepositions }) => prepositions)}) (.+)$`, "iu");

/** Words that end a prepositional phrase. */
const phraseEnds = "for|in|at|of|on|from|with|and|or|is|are|do|does|did|can|get|gets|have|has";

/** The earlier question for another year: `and in 2023?`. */
function substituteYear(earlier: string, rest: string): string | null {
  const year = /\b(?:19|20)\d\d\b/g;
  const [newYear] = rest.match(year) ?? [];
  const isYearAlone = newYear !== undefined && splitWords(rest).length <= 3;
  return isYearAlone && new Set(earlier.match(year) ?? []).size === 1 ? earlier.replace(year, newYear) : null;
}

/** The earlier question with another phrase after the same preposition: `and for managers?`. */
function substitutePhrase(earlier: string, rest: string): string | null {
  const [, preposition = "", object = ""] = phraseStart.exec(rest) ?? [];
  if (preposition === "") return null;
  const inner = `(?!(?:${preposition}|${phraseEnds}|under|to)(?!\\p{L}))[\\p{L}\\p{N}'’-]+`;
  const phrase = new RegExp(
    `(?<!\\p{L})${preposition}\\s+${inner}(?:\\s+${inner})*\\s*(?=[?.!,]|$|(?:${phraseEnds})(?!\\p{L}))`,
    "iu",
  );
  if (!phrase.test(earlier)) return null;
  return oneLine(earlier.replace(phrase, () => `${preposition} ${object} `)).replace(/ (?=[?.!,])/g, "");
}

/** `HP-200`. */
const isCode = (name: string): boolean => /^\S+$/.test(name) && /\p{L}/u.test(name) && /\p{N}/u.test(name);

/**
 * The earlier question with another name, if both have exactly one. A code replaces the only code, or else
 * the only name, but never a number or date.
 */
function substituteName(earlier: string, rest: string): string | null {
  const [newName, ...otherNewNames] = namesAndNumbers(`x ${rest}`);
  if (newName === undefined || otherNewNames.length > 0) return null;
  const names = namesAndNumbers(earlier);
  const codes = names.filter(isCode);
  const replaceable = codes.length > 0 ? codes : names.filter((name) => !/\p{N}/u.test(name));
  const [name, ...others] = isCode(newName) ? replaceable : names;
  return name === undefined || others.length > 0 ? null : earlier.replace(name, () => newName);
}

/** The earlier question with the new element substituted; null if it has none of the same kind. */
const substitute = (earlier: string, rest: string): string | null =>
  substituteYear(earlier, rest) ?? substitutePhrase(earlier, rest) ?? substituteName(earlier, rest);

/**
 * The first earlier question with its follow-ups substituted one after another, and the follow-ups that
 * substitute nothing: after `and in Asia?` the subject is Asia.
 */
function resolvedQuestions(history: readonly Turn[], question: string): readonly string[] {
  const [first, ...followUps] = earlierQuestions(history, question);
  if (first === undefined) return [];
  let resolved: string = first;
  const others: string[] = [];
  for (const text of followUps) {
    const leaning = detectDependence(stripGreeting(text));
    const exchanged: string | null = leaning?.kind === "ellipsis" ? substitute(resolved, leaning.rest) : null;
    if (exchanged === null) others.push(text);
    else resolved = exchanged;
  }
  return [resolved, ...others];
}

/**
 * Content words of the earlier questions, then names of the last answer, that the question lacks. Numbers in
 * an answer are not subjects.
 */
function salientTerms(history: readonly Turn[], question: string): readonly string[] {
  const lastAnswer = recentTurns(history).findLast(({ role }) => role === "assistant")?.text ?? "";
  const names = namesAndNumbers(clip(lastAnswer).replace(/\[\d+\]/g, ""))
    .filter((name) => /^\p{Lu}/u.test(name))
    .slice(0, 3);
  const subjects = resolvedQuestions(history, question)
    .flatMap(contentWords)
    .filter((word) => !isVague(word))
    .slice(0, limits.terms);
  const keys = new Set(termsOf(question));
  const terms: string[] = [];
  for (const term of [...subjects, ...names]) {
    const termKeys = splitWords(term).map(foldWord);
    if (termKeys.every((key) => keys.has(key))) continue;
    terms.push(term);
    for (const key of termKeys) keys.add(key);
  }
  return terms.slice(0, limits.terms);
}

interface RuleRewrite extends Reflection {
  /** Whether the rewrite is the earlier question with one substitution, which a model could only repeat. */
  readonly sure: boolean;
}

function rewriteByRule(
  question: string,
  history: readonly Turn[],
  { kind, rest, reason }: Dependence,
): RuleRewrite {
  const [earlier] = resolvedQuestions(history, question);
  if (kind === "ellipsis" && earlier !== undefined) {
    const substitution = substitute(earlier, rest);
    return {
      rewritten: substitution ?? `${trimEndOf(earlier, /[?.!\s]/)} – ${rest}?`,
      via: "rule",
      reason: `${reason}: ${substitution === null ? "joined to" : "put into"} the earlier question`,
      sure: substitution !== null,
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
 * Whether a rewrite can be trusted: one line of limited length that keeps every content word and number of
 * the question, and adds at least one word, taken only from the conversation.
 */
export function isFaithfulRewrite(rewrite: string, question: string, history: readonly Turn[]): boolean {
  const questionTerms = new Set(termsOf(question));
  const rewriteTerms = termsOf(rewrite);
  const conversationTerms = new Set(
    recentTurns(history).flatMap(({ text }) => termsOf(text.slice(0, limits.turnCharacters))),
  );
  const losesNothing = [...questionTerms].every((term) => rewriteTerms.includes(term) || isVague(term));
  const additions = rewriteTerms.filter((term) => !questionTerms.has(term));
  const isBounded =
    rewrite.length <= question.length + 240 && splitWords(rewrite).length <= splitWords(question).length + 25;
  return (
    losesNothing &&
    isBounded &&
    additions.length > 0 &&
    additions.every((term) => conversationTerms.has(term))
  );
}

/**
 * Whether a rewrite has at least one of the names and numbers of the questions it depends on, if they have
 * any.
 */
function namesSubject(rewrite: string, question: string, history: readonly Turn[]): boolean {
  const names = resolvedQuestions(history, question).flatMap(namesAndNumbers);
  return names.length === 0 || names.some((name) => rewrite.includes(name));
}

/**
 * Makes a follow-up self-contained.
 * 1. Without a history, or if the question depends on nothing, it is unchanged, at no cost.
 * 2. What is new is substituted into the earlier question by rule, if that has something of the same kind.
 * 3. Otherwise a model rewrites it; the rewrite is used only if it is faithful and names the subject of the
 *    conversation.
 * 4. Otherwise, names, numbers and nouns of the last turns are added by rule.
 */
export async function rewriteFollowUp(
  question: string,
  history: readonly Turn[],
  drivers: Pick<DecisionDrivers, "model">,
  run: Run,
): Promise<Reflection> {
  if (history.length === 0) return { rewritten: null, via: "none", reason: "no earlier messages" };
  const request = stripGreeting(question);
  const leaning = detectDependence(request);
  if (leaning === null) return { rewritten: null, via: "none", reason: "self-contained" };
  const { sure, ...ruled } = rewriteByRule(request, history, leaning);
  if (sure) return ruled;
  const turns = recentTurns(history).map(
    ({ role, text }) => `${role === "user" ? "User" : "Assistant"}: ${clip(text)}`,
  );
  const user = `${turns.join("\n")}\n\nLast question: ${clip(request)}`;
  const reply = await askModel(drivers, { system, user, grammar, maxTokens: limits.maxTokens }, run);
  if (reply === null) return ruled;
  const rewrite = oneLine(reply.text).replace(/^["“']|["”']$/g, "");
  if (!isFaithfulRewrite(rewrite, request, history) || !namesSubject(rewrite, request, history))
    return { ...ruled, reason: `${ruled.reason}; what ${reply.model} wrote was not faithful` };
  return { rewritten: rewrite, via: "model", reason: `${leaning.reason}: rewritten by ${reply.model}` };
}
