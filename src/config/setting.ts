import { z } from "../core/schema.ts";

/** What is known of one setting beside its type; `range` completes the sentence "it must be …". */
export interface SettingFacts {
  readonly kind: "text" | "whole" | "number" | "choice";
  readonly fallback: string | number;
  /** "" where the value has no unit. */
  readonly unit: string;
  readonly range: string;
  readonly meaning: string;
  /** Never shown or logged. */
  readonly secret?: boolean;
  /** What a project file that nobody trusts may do with it; absent: nothing. */
  readonly untrusted?: Untrusted;
  /**
   * Holds a path, or a model id or a path; a relative one is taken from the folder of the file that says it,
   * or the working folder.
   */
  readonly path?: "always" | "model";
  /** Values of a choice, the strictest first where `untrusted` compares them. */
  readonly choices?: readonly string[];
}

/**
 * `any`: the setting harms nobody, whatever its value. `id`: the id of a model, but no path. `lower` and
 * `higher`: only a value on this side of the one that holds without the file; of a choice, `lower` is earlier
 * in its list.
 */
export type Untrusted = "any" | "id" | "lower" | "higher";

/** What is known of each setting, by its schema. */
export const facts = z.registry<SettingFacts>();

const marked = (untrusted: Untrusted | undefined) => (untrusted === undefined ? {} : { untrusted });

/** A whole number within bounds; `unit` "" for none. */
export function whole(
  fallback: number,
  [least, most]: readonly [number, number],
  unit: string,
  meaning: string,
  untrusted?: Untrusted,
) {
  const range = `a whole number from ${least} to ${most}${unit === "" ? "" : ` (${unit})`}`;
  return z
    .number()
    .int()
    .min(least)
    .max(most)
    .register(facts, { kind: "whole", fallback, unit, range, meaning, ...marked(untrusted) });
}

/** A number within bounds. */
export function real(
  fallback: number,
  [least, most]: readonly [number, number],
  meaning: string,
  untrusted?: Untrusted,
) {
  return z
    .number()
    .min(least)
    .max(most)
    .register(facts, {
      kind: "number",
      fallback,
      unit: "",
      range: `a number from ${least} to ${most}`,
      meaning,
      ...marked(untrusted),
    });
}

/** One of several words; the first is the default. */
export function choice<const T extends readonly [string, ...string[]]>(
  values: T,
  meaning: string,
  untrusted?: Untrusted,
) {
  const range = `one of ${values.join(", ")}`;
  return z.enum(values).register(facts, {
    kind: "choice",
    fallback: values[0],
    unit: "",
    range,
    meaning,
    choices: values,
    ...marked(untrusted),
  });
}

type TextMarks = Pick<SettingFacts, "secret" | "untrusted" | "path"> & {
  readonly pattern?: RegExp;
  readonly range?: string;
};

/** Text of at most 4096 characters that fits `pattern`. */
export function text(
  fallback: string,
  meaning: string,
  { pattern, range = "text of at most 4096 characters", ...marks }: TextMarks = {},
) {
  const schema = pattern === undefined ? z.string().max(4096) : z.string().max(4096).regex(pattern);
  return schema.register(facts, { kind: "text", fallback, unit: "", range, meaning, ...marks });
}
