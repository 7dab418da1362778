import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { words } from "../../language/terms.ts";

const phrase = z.string().refine((text) => words(text).length > 0, "a phrase needs at least one word");
const schema = z.strictObject({
  kinds: z.record(z.string(), z.array(phrase)).default({}),
  terms: z
    .array(
      z.strictObject({
        when: z.array(phrase).min(1),
        also: z.string().default(""),
        on: z.array(z.string()).default([]),
      }),
    )
    .default([]),
});

/** Kinds of pages by name, and the documents' words for terms of questions. */
export type GlossaryEntries = z.infer<typeof schema>;

/** A parsed glossary file. */
export interface GlossaryFile {
  /** Its name in messages. */
  readonly name: string;
  readonly content: unknown;
  /** 1-based line of a path in the content; undefined if unknown. */
  readonly lineOf?: (path: readonly PropertyKey[]) => number | undefined;
}

/** A question in the documents' vocabulary. */
export interface Companion {
  /** Text to search in addition to the question: the names of the pages, then the words. */
  readonly text: string;
  /** The documents' words for the terms of the question. */
  readonly words: string;
  /** Phrases, in the form of `running`, of which a page that answers probably has one at its top. */
  readonly heads: readonly string[];
}

/** The documents' words for terms of questions. */
export interface Glossary {
  /** Undefined if the question has none of the terms, or they map to nothing. */
  companionOf(question: string): Companion | undefined;
}

/** Words in the name of a statement that do not make it a different one. */
const qualifiers = new Set(words("consolidated condensed combined unaudited the and interim"));

/** The normalised words of a text, each between spaces, without qualifiers of a page's name. */
export const glossaryWords = (text: string): string =>
  ` ${words(text)
    .filter((word) => !qualifiers.has(word))
    .join(" ")} `;

const noEntries: GlossaryEntries = { kinds: {}, terms: [] };

/**
 * Merges the entries of a file into others: a kind of the same name is replaced, and a phrase under `when`
 * overrides theirs. @throws CONFIG_INVALID naming the line
 */
export function readGlossary(file: GlossaryFile, under: GlossaryEntries = noEntries): GlossaryEntries {
  const parsed = schema.safeParse(file.content ?? {});
  if (!parsed.success) {
    const [{ path = [], message = "" } = {}] = parsed.error.issues;
    throw invalidGlossary(file, path, message);
  }
  const { terms, ...own } = parsed.data;
  const kinds = { ...under.kinds, ...own.kinds };
  for (const [at, { on }] of terms.entries())
    for (const [place, kind] of on.entries())
      if (!Object.hasOwn(kinds, kind))
        throw invalidGlossary(file, ["terms", at, "on", place], `there is no kind of page "${kind}"`);
  const taken = new Set(terms.flatMap(({ when }) => when.map(glossaryWords)));
  const left = under.terms
    .map((term) => ({ ...term, when: term.when.filter((each) => !taken.has(glossaryWords(each))) }))
    .filter(({ when }) => when.length > 0);
  return { kinds, terms: [...left, ...terms] };
}

/** Creates a glossary of these entries. Words are compared by their roots. */
export function createGlossary({ kinds, terms }: GlossaryEntries): Glossary {
  const read = terms.map(({ when, also, on }) => ({ phrases: when.map(glossaryWords), also, on }));
  return {
    companionOf(question) {
      const asked = glossaryWords(question);
      const met = read.filter(({ phrases }) => phrases.some((phrase) => asked.includes(phrase)));
      if (met.length === 0) return undefined;
      const found = [...new Set(met.flatMap(({ on }) => on))];
      const titles = found.flatMap((kind) => kinds[kind]?.slice(0, 1) ?? []);
      const also = [...new Set(met.map(({ also }) => also))].filter((part) => part !== "");
      const text = [...titles, ...also].join(" ");
      // A term without words removes a phrase from the glossary.
      if (text === "") return undefined;
      return {
        text,
        words: also.join(" "),
        heads: found.flatMap((kind) => (kinds[kind] ?? []).map(glossaryWords)),
      };
    },
  };
}

/** The error for an invalid path of the content. */
function invalidGlossary(
  { name, lineOf }: GlossaryFile,
  path: readonly PropertyKey[],
  reason: string,
): RagctlError {
  const line = lineOf?.(path);
  const place = [line === undefined ? "" : `line ${line}`, path.join(".")].filter((part) => part !== "");
  return glossaryReadError(name, [...place, reason].join(": "));
}

/** The error for a glossary that cannot be read. */
export const glossaryReadError = (name: string, reason: string, cause?: unknown): RagctlError =>
  new RagctlError("CONFIG_INVALID", `cannot read the glossary ${name}: ${reason}`, {
    hint: "correct the file, or move it elsewhere, and run the command again; docs/explanation/retrieval.md shows an example",
    cause,
  });
