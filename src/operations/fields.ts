import { z } from "../core/schema.ts";
import { type Field, type Fields, field } from "./operation.ts";

/** A name, as typed. */
export const name = z.string().min(1).max(500);

/** A flag without a value, of the command line alone. */
export const toggle = (form: string, description: string): Field<z.ZodDefault<z.ZodBoolean>> =>
  field(form, z.boolean().default(false), description, { only: "command" });

/** Answers the question that is asked before something is removed. */
export const yes = toggle("--yes", "do not ask for confirmation; required where there is no terminal");

/** The number of a version, also as `ragctl history` shows it: `v2`. */
export const versionText = (typed: string): string => typed.trim().replace(/^v(?=\d)/i, "");

/** Collections by name; none are all. */
export const collections = (description: string) =>
  field("-c, --collection <name>", z.array(name).max(100).default([]), `${description}; may be repeated`);

/** How many of something are wanted. */
export const limit = (most: number, usual: number, description: string) =>
  field("-n, --limit <n>", z.int().min(1).max(most).default(usual), description);

/** How many passages are used. */
export const passages = (what: string) =>
  field(
    "-k, --top-k <n>",
    z.int().min(1).max(100).optional(),
    `number of passages ${what} (default: retrieve.topK, 5)`,
  );

/** A flag or an argument with a text. */
export const text = (form: string, description: string, only?: "command") =>
  field(form, z.string().optional(), description, only === undefined ? {} : { only });

/** A flag with a text that may be given several times. */
export const textFlags = (form: string, description: string) =>
  field(form, z.array(z.string()).optional(), description);

/** A flag with a whole number. */
export const whole = (form: string, least: number, description: string) =>
  field(form, z.int().min(least).optional(), description);

/** The same fields under a heading of the help. */
export const under = <F extends Fields>(heading: string, fields: F): F =>
  Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, { ...each, heading }])) as F;
