import { z } from "../core/schema.ts";

/** Facts about a setting in addition to its type; `range` completes the sentence "it must be …". */
export interface SettingFacts {
  readonly kind: "text" | "whole" | "number" | "choice";
  readonly fallback: string | number;
  /** "" where the value has no unit. */
  readonly unit: string;
  readonly range: string;
  readonly meaning: string;
  /** Never shown or logged. */
  readonly secret?: boolean;
  /** What an untrusted project file may do with it; absent: nothing. */
  readonly untrusted?: Untrusted;
  /**
   * Holds a path, or a model id or a path, or an address or the path of a database; a relative one is taken
   * from the folder of the file that says it, or the working folder.
   */
  readonly path?: "always" | "model" | "database";
  /** Values of a choice, the strictest first where `untrusted` compares them. */
  readonly choices?: readonly string[];
}

/**
 * `any`: every value is harmless. `id`: the id of a model, but no path. `lower` and `higher`: only a value on
 * this side of the one that applies without the file; of a choice, `lower` is earlier in its list.
 */
export type Untrusted = "any" | "id" | "lower" | "higher";

/**
 * Whether the value of a store's setting is the database file of a Milvus Lite rather than the address of a
 * server.
 */
export const isDatabaseFile = (value: string): boolean =>
  /^sqlite:\/\/\/|\.db$/i.test(value) && !/^(?:https?|unix):/i.test(value);

/** Whether the resident process of this machine runs the store that a setting names. */
export const isLocalStore = (value: string): boolean => value === "" || isDatabaseFile(value);

/** Facts about each setting, by its schema. */
export const facts = z.registry<SettingFacts>();

const marked = (untrusted: Untrusted | undefined) => (untrusted === undefined ? {} : { untrusted });

/** A whole number within bounds; `unit` "" for none. */
export function int(
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
export function decimal(
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
export function oneOf<const T extends readonly [string, ...string[]]>(
  values: T,
  meaning: string,
  untrusted?: Untrusted,
  fallback: T[number] = values[0],
) {
  const range = `one of ${values.join(", ")}`;
  return z.enum(values).register(facts, {
    kind: "choice",
    fallback,
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
  { pattern, range = "text of up to 4096 characters", ...marks }: TextMarks = {},
) {
  const schema = pattern === undefined ? z.string().max(4096) : z.string().max(4096).regex(pattern);
  return schema.register(facts, { kind: "text", fallback, unit: "", range, meaning, ...marks });
}

/** Control characters, within the brackets of a pattern. */
export const control = "\\u0000-\\u001f";
/** Marks of a setting that takes a model. */
export const modelSetting = (what: string) =>
  ({
    pattern: new RegExp(`^[a-zA-Z0-9./~\\\\][^${control}]*$`),
    range: `an id from \`ragctl models list\`, or the path or file:// URL of ${what}`,
    untrusted: "id",
    path: "model",
  }) as const;
/**
 * The marks of a model, for a setting that an untrusted project file may not touch: it could switch a check
 * off.
 */
export const trustedModelSetting = ({ untrusted: _, ...marks }: ReturnType<typeof modelSetting>) => marks;
/** Marks of a setting that takes a path. */
export const pathMarks = { path: "always", range: "a path" } as const;
/** Marks of a setting that names a topic of Kafka. */
export const topic = {
  pattern: /^[\w.-]{1,200}$/,
  range: "up to 200 letters, digits, dots, underscores and hyphens",
};
/** Marks of a setting that says where a store is. */
export const store = {
  pattern: new RegExp(
    `^(|https?://[^\\s${control}]+|unix:[^\\s${control}]+|[\\w.-]+:\\d{1,5}|(?:sqlite:///)?[^:${control}]*[^:/${control}]\\.db)$`,
    "i",
  ),
  range:
    "empty (the home's local store), an address such as http://host:19530, or the path of a database such as ./milvus.db",
  path: "database",
} as const;
