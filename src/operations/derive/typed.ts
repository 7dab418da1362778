import { InvalidArgumentError } from "commander";
import { closestMatch } from "../../core/nearest.ts";
import type { z } from "../../core/schema.ts";

/**
 * The refusal of a value: "It must be …." from `must be …`. Commander prints it after a sentence that names
 * the flag and the value.
 */
const invalidValue = (reason: string): InvalidArgumentError => new InvalidArgumentError(`It ${reason}.`);

/** Commander's parser for a flag that may be given several times. */
export const collectValues =
  <T>(parse: (text: string) => T) =>
  (value: string, before: readonly T[] | undefined): readonly T[] => [...(before ?? []), parse(value)];

/** The number that a text is; NaN where it is blank, which would count as 0. */
export const numberOf = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text));

/** Commander's parser for a whole number of at least `least`; -Infinity for any. */
export const createIntegerParser =
  (least: number) =>
  (text: string): number => {
    const value = numberOf(text);
    if (Number.isInteger(value) && value >= least) return value;
    throw invalidValue(
      `must be a whole number${least === Number.NEGATIVE_INFINITY ? "" : `, ${least} or more`}`,
    );
  };

/** Commander's parser for a number from `least` to `most`. */
export const createRangeParser =
  (least: number, most: number) =>
  (text: string): number => {
    const value = numberOf(text);
    if (value >= least && value <= most) return value;
    throw invalidValue(`must be a number from ${least} to ${most}`);
  };

/** One of the choices, in any case. @throws InvalidArgumentError that lists them */
export function createChoiceParser(text: string, choices: readonly string[]): string {
  const wanted = text.trim().toLowerCase();
  const choice = choices.find((each) => each === wanted);
  if (choice !== undefined) return choice;
  const near = closestMatch(wanted, choices);
  // The first sentence is the one that commander prints for its own choices.
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.${hint}`);
}

/** A text as its schema reads it. @throws InvalidArgumentError with the schema's reason */
export function createSchemaParser(schema: z.ZodType, text: string): unknown {
  const { data, error } = schema.safeParse(text.trim());
  if (error === undefined) return data;
  throw invalidValue(error.issues[0]?.message ?? "is not valid");
}
