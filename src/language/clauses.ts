import { trimEndOf } from "../core/text.ts";
import { alternatives, isSyllabic } from "./languages.ts";
import { endsInAbbreviation } from "./sentences.ts";
import { contentWords, foldWord, oneLine, splitWords } from "./words.ts";

/** Maximum number of parts of a question. */
export const maxParts = 4;

/** Longest text considered for a comparison, in characters. */
const longestComparison = 300;

const wh = "what|who|whom|whose|which|when|where|why|how";
const auxiliaries = "is|are|was|were|do|does|did|can|could|should|must|may|will|would|has|have|had";
const tells =
  "tell|list|explain|describe|give|show|summari[sz]e|name|find|compare|say|state|calculate|define|identify|provide|discuss|mention";
const asksElsewhere = alternatives((language) => language.questionOpenings);
const joiners = alternatives((language) => language.joiners);
const lead = "also|then|if so|if not|if yes|please|và|đồng thời";
const clauseStart = `(?:(?:${lead})[, ]+)?(?:(?:(?:in|by|for|at|to|from|on|with|under|until|since)\\s+)?(?:${wh})|${auxiliaries}|${tells}|${asksElsewhere})`;

/** Where a clause may be joined: a comma, a semicolon or conjunctions. */
const joint = new RegExp(` ?[;,] ?(?:(?:${joiners}) ){0,2}| (?:(?:${joiners}) ){1,2}`, "giu");
const opensClause = new RegExp(`^${clauseStart}(?![\\p{L}\\p{N}-])`, "iu");
const startsClause = new RegExp(`^(?:(?:${joiners})\\s+)?${clauseStart}(?![\\p{L}\\p{N}-])`, "iu");
/** `do`, `list` and the like may be verbs or nouns: as a separate clause they need a subject or an object. */
const startsByVerb = new RegExp(`^(?:(?:${lead})[, ]+)?(${auxiliaries}|${tells})(?=\\s+(\\S+))`, "iu");
const followsVerb =
  /^(?:the|a|an|it|they|i|we|you|he|she|there|this|that|these|those|my|our|your|its|his|her|their|any|all|each|every|me|us|them|what|who|which|how|when|where|why|whether|if|people|employees|visitors|one)$/i;
/** A question by a word that need not open it, with or without a question mark. */
const anywhere = new RegExp(
  alternatives(({ asks }) => asks),
  "iu",
);

/** Whether a word anywhere in a text makes it a question. */
export const asksAnywhere = (text: string): boolean => anywhere.test(text);

/** After a bare comma these open a relative clause, unless an auxiliary follows (`, when was it sold`). */
const relative =
  /^\s*,\s*(?:which|who|whom|whose|(?:where|when)(?!\s+(?:is|are|was|were|do|does|did|can|should|must|may|will)\b))/iu;
/** About the form of the answer rather than its content. */
const aboutTheAnswer =
  /^(?:please\s+)?(?:\p{L}+\s+){0,4}?(?:answer|answers|response|integer|float|percentage value|what was asked|your reasoning|step by step|page numbers|in one (?:word|sentence)|list format|this question|the (?:following )?question)\b/iu;

const compared = [
  /\b(?:compare|contrast|vergleiche?|comparez?|so sánh)\s+(?<head>.*?)(?<a>[^,]+?)\s+(?:and|with|to|against|versus|vs\.?|et|avec|und|mit|và|so với|với)\s+(?<b>[^,?.]+)/iu,
  /\b(?:differences?|differ|distinction|relation|relationship|unterschiede?|différences?|khác (?:nhau|biệt))\s+(?:between|zwischen|entre|giữa)\s+(?<a>.+?)\s+(?:and|und|et|và)\s+(?<b>[^,?.]+)/iu,
  /^(?:which|who|what|welche[rs]?|wer|quelle?)\s+(?<head>.+?)[,:]\s*(?<a>[^,]+?)\s+(?:or|oder|ou)\s+(?<b>[^,?.]+)/iu,
  /^how\s+(?:do|does|did)\s+(?<a>.+?)\s+(?<head>perform|fare|rank|score|do|differ)\s+(?:compared|relative)\s+(?:to|with)\s+(?<b>[^,?.]+)/iu,
];

function trimmed(text: string): string {
  return trimEndOf(text, /[\s,;:–-]/)
    .replace(/^[\s,;:.–-]+/, "")
    .replace(
      /^(?:(?:and|but|also|then|und|et|và|first|second|third|finally|secondly|firstly|thirdly)[,\s]+)+/i,
      "",
    );
}

/**
 * `the retail and the wholesale segment`: the shorter one takes over the noun, which comes first in a
 * language written in syllables and last elsewhere.
 */
function shared(first: string, second: string): readonly [string, string] {
  const [a, b] = [splitWords(first), splitWords(second)];
  const marked = isSyllabic(first);
  if (marked && b.length < a.length && !second.includes(a[0] ?? ""))
    return [first, `${a.slice(0, a.length - b.length).join(" ")} ${second}`];
  const lowered =
    contentWords(first).length === 1 &&
    contentWords(second).length === 2 &&
    !/\p{Lu}|\p{N}/u.test(first + second);
  return lowered && !marked ? [`${first} ${b.at(-1) ?? ""}`, second] : [first, second];
}

/** Two things compared; null if there is no comparison. A shared head goes with both: `revenue growth of`. */
function comparedThings(text: string): { readonly parts: readonly string[]; readonly reason: string } | null {
  for (const pattern of compared) {
    const groups = pattern.exec(text)?.groups;
    const { a, b } = groups ?? {};
    if (a === undefined || b === undefined) continue;
    const things = [a, b].map((thing) => trimEndOf(trimmed(thing), /[?.!]/).replace(/ that of /i, " "));
    if (things.some((thing) => thing === "" || splitWords(thing).length > 14)) continue;
    const [whole = "", other = ""] = things;
    const of = /^(?<subject>.+?)\s+(?<link>of|in|for|at|between|from|của|von|de)\s+(?<rest>.+)$/iu.exec(
      whole,
    )?.groups;
    const linked = `${of?.["subject"] ?? ""} ${of?.["link"] ?? ""}`.trim();
    const short = other
      .replace(/^(?:that|those|the one|the ones)\s+(?:of|in|for|at|from)\s+/i, "")
      .replace(/^(?:of|in|for|at|from)\s+/i, "");
    const [first, second] = shared(of?.["rest"] ?? whole, short);
    const takesOver = linked !== "" && splitWords(second).length <= splitWords(first).length + 2;
    const head = groups?.["head"]?.trim() ?? "";
    return {
      parts: [`${linked} ${first}`, takesOver ? `${linked} ${second}` : second].map((part) =>
        trimmed(`${part} ${head}`),
      ),
      reason: "two things are compared",
    };
  }
  return null;
}

function enumerated(text: string): readonly string[] {
  const lines = text
    .split(/\n+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const bullets = lines.filter((line) => /^(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-h][.)])\s+/.test(line));
  if (bullets.length >= 2) return bullets.map((line) => line.replace(/^\S+\s+/, ""));
  const inline = text.split(/(?:^|\s)\(?(?:\d{1,2}|[a-h])[.)]\s+(?=\S)/).map((part) => part.trim());
  const first = /(?:^|\s)\(?[1a][.)]\s/.exec(text);
  const counts = first !== null && /\s\(?[2b][.)]\s/.test(text.slice(first.index + first[0].length));
  return !counts
    ? []
    : inline.slice(inline[0] === "" || !/\?$/.test(inline[0] ?? "") ? 1 : 0).filter((part) => part !== "");
}

/** Whether a text begins with an interrogative or a verb of request. */
export const startsAsQuestion = (text: string): boolean => startsClause.test(text);

/** Verbs that only open a question or a request. */
const onlyAsks =
  /^(?:are|was|were|does|did|can|could|tell|explain|describe|summari[sz]e|compare|calculate|define|identify)$/i;

/** Same; a verb that may also be a noun or an answer (`list`, `will do`) needs its subject or object. */
export function startsUnambiguouslyAsQuestion(text: string): boolean {
  if (!startsClause.test(text)) return false;
  const [, verb, following = ""] = startsByVerb.exec(text) ?? [];
  return verb === undefined || onlyAsks.test(verb) || followsVerb.test(following);
}

/** Whether a text, or a part after a comma, begins with an interrogative or a verb of request. */
const asksWithin = (text: string): boolean =>
  text.split(",").some((piece) => opensClause.test(piece.trimStart()));

/** The verb that opens a piece, in lower case; "" for none. */
const openingVerb = (piece: string): string => startsByVerb.exec(trimmed(piece))?.[1]?.toLowerCase() ?? "";

/**
 * Whether a piece is an independent question or request. `opener` is the verb of the first clause; null if
 * there is none yet.
 */
function isOwnClause(piece: string, opener: string | null): boolean {
  const text = trimmed(piece);
  if (!startsClause.test(text) || relative.test(piece)) return false;
  const [, verb, following = ""] = startsByVerb.exec(text) ?? [];
  if (verb === undefined || opener === null) return true;
  return followsVerb.test(following) || verb.toLowerCase() === opener;
}

/**
 * Joins dependent pieces to a neighbour: an opening (`If it leaks,`) to the next one, a verb without a
 * subject to the previous one.
 */
function wholeClauses(sentence: string): readonly string[] {
  const opened = [...sentence.matchAll(joint)]
    .filter((match) => opensClause.test(sentence.slice(match.index + match[0].length)))
    .map(({ index }) => index);
  const cuts = [0, ...opened, sentence.length];
  const pieces = cuts.slice(1).map((end, index) => sentence.slice(cuts[index], end));
  const joined: string[] = [];
  let opening = "";
  let opener: string | null = null;
  for (const piece of pieces) {
    const isOwn = isOwnClause(piece, opener);
    if (!isOwn && opener === null) opening += piece;
    else if (!isOwn) joined.push(`${joined.pop() ?? ""}${piece}`);
    else {
      opener ??= openingVerb(piece);
      joined.push(opening === "" ? trimmed(piece) : opening + piece);
      opening = "";
    }
  }
  return joined.length < 2 ? [sentence] : joined.map(trimmed).filter((part) => part !== "");
}

/** Sentences that are questions or requests, split where another such clause is joined. */
function clauses(text: string): readonly string[] {
  const sentences = text
    .split(/(?<=[?？!])\s+|(?<=[\p{L}\p{N})]\.)\s+(?=\p{Lu})|\n+/u)
    .reduce<string[]>((joined, piece) => {
      const before = joined.at(-1);
      if (before === undefined || !endsInAbbreviation.test(before)) joined.push(piece);
      else joined.splice(-1, 1, `${before} ${piece}`);
      return joined;
    }, [])
    .map(trimmed)
    .filter((part) => part !== "");
  return sentences.flatMap((sentence) => {
    const pieces = sentence.split(joint).map(trimmed);
    return pieces.length > 1 && pieces.every(asksAnywhere) ? pieces : wholeClauses(sentence);
  });
}

/** A short clause that refers to the previous one (`what does it cost?`) takes over its subject words. */
function standalone(parts: readonly string[]): readonly string[] {
  const [first = ""] = parts;
  const subjects = contentWords(first);
  return parts.map((part, index) => {
    if (index === 0) return part;
    const own = contentWords(part);
    const leans =
      /\b(?:it|its|they|them|their|he|she|his|her|him|this|that|these|those|there|one|so|not|nó|họ|elle|il|sie|er|es)\b/iu.test(
        part,
      ) || own.length <= 1;
    if (!leans) return part;
    const known = new Set(own.map(foldWord));
    const missing = subjects.filter((word) => !known.has(foldWord(word))).slice(0, 6);
    return missing.length === 0 ? part : `${trimEndOf(part, /[?.!]/)} (${missing.join(" ")})`;
  });
}

/**
 * The parts of a compound question, each to be searched separately, at most four; fewer than two for a single
 * question.
 * 1. an enumeration; 2. a comparison; 3. sentences and joined clauses that are questions or requests.
 */
export function partsOf(question: string): { readonly parts: readonly string[]; readonly reason: string } {
  const text = question
    .slice(0, 4000)
    .replace(/\r\n?/g, "\n")
    .replace(/[^\S\n]+/g, " ");
  const done = (parts: readonly string[], reason: string) => ({
    parts: standalone(parts.map(oneLine)).slice(0, maxParts),
    reason,
  });
  const listing = (parts: readonly string[]) => parts.slice(0, maxParts).map(oneLine);
  const items = enumerated(text);
  if (items.length >= 2) return { parts: listing(items), reason: `it lists ${items.length} things` };
  const line = oneLine(text);
  const found = clauses(text).filter((part) => contentWords(part).length > 0 || /\?$/.test(part));
  const asking = found
    .filter((part) => !aboutTheAnswer.test(part))
    .filter((part) => asksWithin(part) || /[?？]$/.test(part) || asksAnywhere(part));
  const subjects = asking.filter((part) => contentWords(part).length > 0);
  if (asking.length >= 2 && subjects.length >= 1) return done(asking, `it asks ${asking.length} things`);
  const pair = line.length > longestComparison || /\byou\b/i.test(line) ? null : comparedThings(line);
  return pair === null
    ? { parts: [line], reason: "it asks one thing" }
    : { parts: pair.parts.map(oneLine), reason: pair.reason };
}
