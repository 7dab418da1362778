import { spokenLanguage } from "../languages.ts";
import type { LanguageCode } from "../lexicons/language.ts";
import { germanNotes } from "./de.ts";
import { englishNotes } from "./en.ts";
import { frenchNotes } from "./fr.ts";
import { vietnameseNotes } from "./vi.ts";
import type { Notes } from "./words.ts";

/** The notes of every language whose words are known. */
export const notesByLanguage: Readonly<Record<LanguageCode, Notes>> = {
  de: germanNotes,
  en: englishNotes,
  fr: frenchNotes,
  vi: vietnameseNotes,
};

/** What an answer to a question says beside what it quotes, in the language of the question. */
export const notesFor = (question: string): Notes => notesByLanguage[spokenLanguage(question)];
