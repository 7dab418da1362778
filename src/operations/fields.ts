import { z } from "../core/schema.ts";
import { type Field, field } from "./operation.ts";

/** A name, as typed. */
export const name = z.string().min(1).max(500);

/** Collections by name; none are all. */
export const collections = (description: string) =>
  field("-c, --collection <name>", z.array(name).max(100).default([]), `${description}; may be repeated`);

/** How many of something are wanted. */
export const limit = (most: number, usual: number, description: string) =>
  field("-n, --limit <n>", z.int().min(1).max(most).default(usual), description);

/** A flag without a value, of the command line alone. */
export const toggle = (form: string, description: string): Field<z.ZodDefault<z.ZodBoolean>> =>
  field(form, z.boolean().default(false), description, { only: "command" });

/** Members of routes and tools alone, which their schemas describe. */
export const described = <Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) =>
  // `fromEntries` forgets which schema belongs to which name.
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, field("", schema, "", { only: "api" })]),
  ) as unknown as { readonly [Name in keyof Shape]: Field<Shape[Name]> };
