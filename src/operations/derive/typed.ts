import { InvalidArgumentError } from "commander";

/**
 * The refusal of a value: "It must be …." from `must be …`. Commander prints it after a sentence that names
 * the flag and the value.
 */
export const invalidValue = (reason: string): InvalidArgumentError =>
  new InvalidArgumentError(`It ${reason}.`);

/** Commander's parser for a flag that may be given several times. */
export const repeated =
  <T>(parse: (text: string) => T) =>
  (value: string, before: readonly T[] | undefined): readonly T[] => [...(before ?? []), parse(value)];

/** The number that a text is; NaN where it is blank, which would count as 0. */
export const numberOf = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text));

/** Commander's parser for a whole number of at least `least`; -Infinity for any. */
export const wholeFrom =
  (least: number) =>
  (text: string): number => {
    const value = numberOf(text);
    if (Number.isInteger(value) && value >= least) return value;
    throw invalidValue(
      `must be a whole number${least === Number.NEGATIVE_INFINITY ? "" : `, ${least} or more`}`,
    );
  };

/** Commander's parser for a number from `least` to `most`. */
export const numberWithin =
  (least: number, most: number) =>
  (text: string): number => {
    const value = numberOf(text);
    if (value >= least && value <= most) return value;
    throw invalidValue(`must be a number from ${least} to ${most}`);
  };
