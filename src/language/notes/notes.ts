import { IntlMessageFormat } from "intl-messageformat";
import { lazy, lazyMap } from "../../core/lazy.ts";
import { detectLanguage, languageOf } from "../languages.ts";
import type { LanguageCode } from "../schema/language.ts";
import { type Notes, type Shape, texts } from "../schema/notes.ts";

/** Texts with arguments as functions, which read their message when first called. */
function compose(messages: unknown, shape: Shape, code: LanguageCode): unknown {
  if (!Array.isArray(shape))
    return Object.fromEntries(
      Object.entries(shape).map(([name, inner]) => [name, compose(Object(messages)[name], inner, code)]),
    );
  if (shape.length === 0) return messages;
  const message = lazy(() => new IntlMessageFormat(String(messages), code, undefined, { ignoreTag: true }));
  return (...values: readonly unknown[]) =>
    message().format(Object.fromEntries(shape.map((name, at) => [name, values[at]])));
}

/** The notes of a language. */
export const notesIn = lazyMap((code: LanguageCode) => compose(languageOf(code).notes, texts, code) as Notes);

/** Texts that accompany the quotes of an answer, in the language of the question. */
export const notesFor = (question: string): Notes => notesIn(detectLanguage(question));
