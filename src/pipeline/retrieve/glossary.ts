import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { words } from "../../language/terms.ts";

const schema = z.strictObject({
  kinds: z.record(z.string(), z.array(z.string().min(1))),
  terms: z.array(
    z.strictObject({
      when: z.array(z.string().min(1)).min(1),
      also: z.string(),
      on: z.array(z.string()),
    }),
  ),
});

/** What a question means in the words of documents. */
export interface Companion {
  /** To be searched beside the question: the names of the pages, then the words. */
  readonly text: string;
  /** What the terms of the question are called. */
  readonly words: string;
  /** Phrases of which the head of a page that answers is likely to hold one, as `running` gives them. */
  readonly heads: readonly string[];
}

/** What terms of questions are called in documents. */
export interface Glossary {
  /** Undefined where the question has none of the terms. */
  companionOf(question: string): Companion | undefined;
}

/** Stand in the name of a statement without making it another one. */
const qualifiers = new Set(words("consolidated condensed combined unaudited the and interim"));

/**
 * The words of a text as compared, a space around each; what only qualifies the name of a page is left out.
 */
export const running = (text: string): string =>
  ` ${words(text)
    .filter((word) => !qualifiers.has(word))
    .join(" ")} `;

/**
 * A glossary: its terms, and the kinds of pages they lead to. Words are compared by their roots.
 * @throws CONFIG_INVALID
 */
export function openGlossary(content: unknown, name: string): Glossary {
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw invalid(name, z.prettifyError(parsed.error));
  const { kinds, terms } = parsed.data;
  const unknown = terms.flatMap(({ on }) => on).find((kind) => !Object.hasOwn(kinds, kind));
  if (unknown !== undefined) throw invalid(name, `there is no kind of page "${unknown}"`);
  const read = terms.map(({ when, also, on }) => ({ phrases: when.map(running), also, on }));
  return {
    companionOf(question) {
      const asked = running(question);
      const met = read.filter(({ phrases }) => phrases.some((phrase) => asked.includes(phrase)));
      if (met.length === 0) return undefined;
      const found = [...new Set(met.flatMap(({ on }) => on))];
      const titles = found.flatMap((kind) => kinds[kind]?.slice(0, 1) ?? []);
      const also = [...new Set(met.map(({ also }) => also))].filter((part) => part !== "");
      return {
        text: [...titles, ...also].join(" "),
        words: also.join(" "),
        heads: found.flatMap((kind) => (kinds[kind] ?? []).map(running)),
      };
    },
  };
}

const invalid = (name: string, reason: string): RagctlError =>
  new RagctlError("CONFIG_INVALID", `the glossary ${name} cannot be read: ${reason}`, {
    hint: "restore the file, or correct what is named",
  });
