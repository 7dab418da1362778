import { z } from "../core/schema.ts";

/**
 * Version of every JSON document ragctl prints; raised when a member is removed, renamed or changes its
 * meaning (docs/reference/formats.md).
 */
export const schemaVersion = 1;

type Schema = z.core.$ZodType;
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type OptionalName<Members> = {
  [Name in keyof Members]: Members[Name] extends z.ZodOptional ? Name : never;
}[keyof Members];
type RequiredName<Members> = Exclude<keyof Members, OptionalName<Members> | "schema_version">;

/**
 * The value that a schema is printed from: its members in camel case, or those that `from` selects. May have
 * further members.
 */
export type Source<S> =
  S extends z.ZodPipe<z.ZodTransform<unknown, infer Value>, Schema>
    ? Value
    : S extends z.ZodArray<infer Item>
      ? readonly Source<Item>[]
      : S extends z.ZodNullable<infer Inner>
        ? Source<Inner> | null
        : S extends z.ZodOptional<infer Inner>
          ? Source<Inner> | undefined
          : S extends z.ZodObject<infer Members, z.core.$ZodObjectConfig>
            ? {
                readonly [Name in RequiredName<Members> as Camel<Name & string>]: Source<Members[Name]>;
              } & {
                readonly [Name in OptionalName<Members> as Camel<Name & string>]?: Source<Members[Name]>;
              }
            : S extends Schema
              ? z.output<S>
              : never;

/** `pagesNeedingOcr` → `pages_needing_ocr`. */
export function toSnakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

const camel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** A schema that is printed from something else than its own members: `source` computes or renames them. */
export function derive<Value, S extends z.ZodType>(schema: S, source: (value: Value) => Source<S>) {
  // The members get their printed names between the two halves (`printed`); nothing else runs the pipe.
  const half = z.transform(source as unknown as (value: Value) => z.input<S>);
  return new z.ZodPipe({ type: "pipe", in: half, out: schema }) as z.ZodPipe<typeof half, S>;
}

/** The schema of a whole JSON document: `name`.schema.json in config/schemas/. */
export function documentSchema<Members extends z.core.$ZodLooseShape>(
  name: string,
  title: string,
  members: Members,
) {
  const $id = `urn:ragctl:schema:${name}:${schemaVersion}`;
  return z.object({ schema_version: z.literal(schemaVersion), ...members }).meta({ title, $id });
}

/** The function that prints values as the schema says. */
export function printer<S extends z.ZodType>(schema: S) {
  // `printed` follows the schema member by member; `Source` and the types of its leaves hold the rest.
  return (value: Source<S>): z.output<S> => printed(schema, value) as z.output<S>;
}

/**
 * The value by its schema: only its members, in its order, in snake case. Parts that the schema leaves open
 * are unchanged.
 */
function printed(schema: Schema, value: unknown): unknown {
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (value === null || value === undefined) return value;
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform)
    return printed(schema.out, schema.in.parse(value));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return printed(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => printed(schema.element, item));
  return schema instanceof z.ZodObject && typeof value === "object" ? printedMembers(schema, value) : value;
}

function printedMembers(schema: z.ZodObject, value: object): Record<string, unknown> {
  const members = new Map(Object.entries(value));
  const declared = Object.entries(schema.shape).flatMap(([name, member]) => {
    const shown = printed(member, members.get(camel(name)));
    members.delete(camel(name));
    return shown === undefined ? [] : [[name, shown]];
  });
  // Further members where the schema gives them a type, as the counts of a phase.
  const further = schema.def.catchall instanceof z.ZodNumber ? [...members] : [];
  return Object.fromEntries([...further.map(([name, each]) => [toSnakeCase(name), each]), ...declared]);
}
