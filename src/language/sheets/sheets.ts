import type { LanguageCode } from "../lexicons/language.ts";
import { germanSheets } from "./de.ts";
import { englishSheets } from "./en.ts";
import { frenchSheets } from "./fr.ts";
import { vietnameseSheets } from "./vi.ts";
import type { SheetWords } from "./words.ts";

/** The words for table questions in every supported language. */
export const sheetWords: Readonly<Record<LanguageCode, SheetWords>> = {
  de: germanSheets,
  en: englishSheets,
  fr: frenchSheets,
  vi: vietnameseSheets,
};
