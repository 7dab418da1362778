import { formatOfExtension } from "../../../core/documents/formats.ts";
import { alternatives, anyOf } from "../../../language/languages.ts";
import { contentTerms } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import type { Witness } from "./witness.ts";

/** Sentences that say there is no answer; they answer nothing, so nothing can support them. */
export const saysNothing =
  /\b(?:do(?:es)? not|don't|doesn't|did not|cannot|can't|is not|are not|isn't|aren't|no)\b.{0,40}\b(?:mention\w*|provide\w*|contain\w*|specif\w*|state[ds]?|include|given|indicate\w*|information|enough|determine\w*|found|answer\w*)\b.{0,120}\b(?:passages?|text|context|documents?|information|question|details?|above)\b|\b(?:passages?|text|context|documents?)\b.{0,30}\b(?:do(?:es)? not|don't|doesn't|cannot)\b|\b(?:not|isn't|aren't|wasn't|weren't|no)\b.{0,40}\b(?:shown|listed|available|presented|disclosed|reported)\s(?:in|by|from)\s(?:\w{1,12}\s){0,2}(?:passages?|text|context|documents?|material)\b/iu;

/** A statement of SQL, which a model that learned to write some gives for an answer. */
export const query =
  /^(?:select|insert|update|delete|create|drop)\s{1,4}(?:\d|\*|[\w".]{1,64}\s{0,4}[(,]|[\w".]{1,64}\s{1,4}from\b|into\b|table\b)/i;

const sources = alternatives((language) => language.sources);

/** A document or a place in one, or a word that asks where something stands. */
const source = anyOf(sources);
/** Words at the beginning of a question among which the one is that it asks for. */
const openingWords = 5;

const asksSource = (question: string): boolean =>
  source.test(question.normalize("NFC").trim().split(/\s+/).slice(0, openingWords).join(" "));

const points = new RegExp(
  `(?<![\\p{L}])(?:${alternatives((language) => language.pointers)})(?![\\p{L}])`,
  "giu",
);
/** A place in a document with its number or letter: `Appendix F`. */
const place = new RegExp(
  `(?<![\\p{L}])(?:${alternatives((language) => language.places)})\\s\\(?(?:\\p{Lu}(?![\\p{L}])|\\p{N})[\\p{N}.]{0,8}`,
  "giu",
);

/** What may be the name of a file, and the number of a section behind it as prompts have it. */
const fileLike =
  /(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]{1,80}\.([a-z]{2,8})(?![\p{L}\p{N}])(?:\s?›\s?\d{1,2}(?!\p{N}))?/giu;

/** A text without the names of files. */
const withoutFiles = (text: string): string =>
  text.replace(fileLike, (name, extension: string) =>
    formatOfExtension(`.${extension.toLowerCase()}`) === undefined ? name : " ",
  );

/**
 * Whether a statement says no more than where the answer stands: nothing but the name of a file, or
 * that what is asked for is `outlined in Appendix F`. Spared where a document or a place in one is asked for.
 */
export function onlyPoints(statement: string, asked: Question, cited: readonly Witness[]): boolean {
  if (asked.kind === "yes_no" || asksSource(asked.text)) return false;
  const named = cited
    .map(({ heads }) => heads.split("\n")[0] ?? "")
    .filter((file) => /\.\p{L}/u.test(file) && statement.includes(file));
  const placed = statement.match(points) !== null && statement.match(place) !== null;
  if (named.length === 0 && !placed && withoutFiles(statement) === statement) return false;
  const bare = withoutFiles(named.reduce((text, file) => text.replaceAll(file, " "), statement));
  const rest = bare.replace(points, " ").replace(place, " ");
  return contentTerms(rest).every((term) => asked.known.has(term));
}
