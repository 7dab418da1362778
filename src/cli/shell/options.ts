import { InvalidArgumentError, Option } from "commander";
import { type Format, formats } from "../../core/documents/formats.ts";
import { didYouMean } from "../../core/nearest.ts";

/** Commander's parser for a flag that may be given several times. */
export const repeated =
  <T>(parse: (text: string) => T) =>
  (value: string, before: readonly T[] | undefined): readonly T[] => [...(before ?? []), parse(value)];

/**
 * A flag with one value that may be given several times. Not variadic: `search --type pdf QUESTION` keeps its
 * question.
 */
export function listOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(repeated((text) => text));
}

/** Restricts a question to collections. */
export function collectionOption(): Option {
  return listOption("-c, --collection <name>", "search only this collection; may be repeated (default: all)");
}

export function topKOption(what: string): Option {
  return new Option("-k, --top-k <n>", what).argParser(positiveInteger);
}

/** Commander's parser for a format: `PDF` and `.pdf` are `pdf`. */
export function formatFrom(text: string): Format {
  const wanted = text.trim().toLowerCase().replace(/^\./, "");
  const format = formats.find((each) => each === wanted);
  if (format !== undefined) return format;
  throw new InvalidArgumentError(
    `it is no format${didYouMean(wanted, formats, "")} There are: ${formats.join(", ")}`,
  );
}

/** Commander's parser for a whole number of at least 1. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("it must be a whole number of at least 1");
  return value;
}

/** Commander's parser for a whole number of at least 0. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new InvalidArgumentError("it must be a whole number of at least 0");
  return value;
}

/** Commander's parser for a number from 0 to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError("it must be a number from 0 to 1");
  return value;
}
