import { detectLanguage } from "../languages.ts";
import type { LanguageCode } from "../lexicons/language.ts";
import { germanNotes } from "./de.ts";
import { englishNotes } from "./en.ts";
import { frenchNotes } from "./fr.ts";
import { vietnameseNotes } from "./vi.ts";
import type { Notes } from "./words.ts";

/** The notes of every supported language. */
export const notesByLanguage: Readonly<Record<LanguageCode, Notes>> = {
  de: germanNotes,
  en: englishNotes,
  fr: frenchNotes,
  vi: vietnameseNotes,
};

/** Texts that accompany the quotes of an answer, in the language of the question. */
export const notesFor = (question: string): Notes => notesByLanguage[detectLanguage(question)];
