import { alternatives, anyOf } from "../languages.ts";

const placeWords = `${alternatives((language) => language.places)}|página|sección|capítulo|tabla`;

/** `section 2.5`, `pp. 3–5`, including the number. Not years: `figure 2022` is matched by its words. */
export const placePattern = new RegExp(
  `(?<![\\p{L}])(?:(?:${placeWords})\\s{0,2}|§\\s?)\\d{1,3}(?:\\.\\d{1,3}){0,4}(?:\\s?[–-]\\s?\\d{1,3})?(?![.,]?\\d)`,
  "giu",
);
/** Whether a text mentions a place in a document. */
export const namesPlace = anyOf(placeWords);
