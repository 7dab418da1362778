import { Argument, type Command, Option } from "commander";
import { z } from "../../core/schema.ts";
import type { Field, Fields, InputOf, Operation } from "../operation.ts";
import {
  collectValues,
  createChoiceParser,
  createIntegerParser,
  createRangeParser,
  createSchemaParser,
} from "./typed.ts";

/** A schema without its wrappers, and what it is without a value. */
interface Plain {
  readonly schema: unknown;
  readonly fallback: unknown;
  readonly isOptional: boolean;
}

function plain(schema: unknown): Plain {
  if (schema instanceof z.ZodOptional) return { ...plain(schema.unwrap()), isOptional: true };
  if (schema instanceof z.ZodDefault)
    return { ...plain(schema.unwrap()), fallback: schema.parse(undefined), isOptional: true };
  return { schema, fallback: undefined, isOptional: false };
}

/** Reads a number of its schema; the greatest of a whole number is for programs, which get the rest by another call. */
function numberParser({ minValue, maxValue, isInt }: z.ZodNumber): (text: string) => number {
  const least =
    minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? Number.NEGATIVE_INFINITY : minValue;
  return isInt ? createIntegerParser(least) : createRangeParser(least, maxValue ?? Number.POSITIVE_INFINITY);
}

/** Reads one value; a text that its schema turns into something else is checked by it. */
function parserOf({ normalize = (text) => text }: Field, schema: unknown): (text: string) => unknown {
  const parse = (text: string): unknown => {
    if (schema instanceof z.ZodNumber) return numberParser(schema)(text);
    if (schema instanceof z.ZodEnum) return createChoiceParser(text, schema.options.map(String));
    return schema instanceof z.ZodPipe ? createSchemaParser(schema, text) : text;
  };
  return (text) => parse(normalize(text));
}

const isArgument = ({ form }: Field): boolean => /^[<[]/.test(form);

function argumentOf(field: Field): Argument {
  const { schema } = plain(field.schema);
  const argument = new Argument(field.form, field.description);
  if (schema instanceof z.ZodEnum) return argument.choices(schema.options.map(String));
  return schema instanceof z.ZodArray ? argument : argument.argParser(parserOf(field, schema));
}

function optionOf(field: Field): Option {
  const { schema, fallback, isOptional } = plain(field.schema);
  const option = new Option(field.form, field.description);
  if (schema instanceof z.ZodEnum) option.choices(schema.options.map(String));
  else if (schema instanceof z.ZodArray) option.argParser(collectValues(parserOf(field, schema.element)));
  else if (!(schema instanceof z.ZodBoolean)) option.argParser(parserOf(field, schema));
  if (typeof fallback === "string" || typeof fallback === "number") option.default(fallback);
  if (field.conflicts !== undefined) option.conflicts(field.conflicts);
  if (field.heading !== undefined) option.helpGroup(field.heading);
  return isOptional ? option : option.makeOptionMandatory();
}

const typed = (input: Fields): readonly (readonly [string, Field])[] =>
  Object.entries(input).filter(([, { only }]) => only !== "api");

/** Adds what the help says of a command: arguments, flags, examples. */
export function describeCommand(
  command: Command,
  { input, examples = [], advice }: Pick<Operation, "input" | "examples" | "advice">,
): Command {
  for (const [, field] of typed(input))
    if (isArgument(field)) command.addArgument(argumentOf(field));
    else command.addOption(optionOf(field));
  if (examples.length === 0) return command;
  const heading = examples.length > 1 ? "Examples" : "Example";
  const note = advice === undefined ? "" : `\n\n${advice}`;
  return command.addHelpText(
    "after",
    `\n${heading}:\n${examples.map((each) => `  ${each}`).join("\n")}${note}`,
  );
}

/** The input of a call from what commander passes: the arguments, the flags. Defaults are filled in. */
export function typedInput<F extends Fields>(input: F, parameters: readonly unknown[]): InputOf<F> {
  const values = parameters[Symbol.iterator]();
  const fields = typed(input);
  const given = fields.filter(([, field]) => isArgument(field)).map(([name]) => [name, values.next().value]);
  const flags = new Map(Object.entries(values.next().value ?? {}));
  const named = fields.flatMap(([name, field]) => {
    if (isArgument(field)) return [];
    const option = new Option(field.form);
    const value = flags.get(option.attributeName());
    return [[name, option.negate ? value === false : (value ?? plain(field.schema).fallback)]];
  });
  // Parsers have read each value as its schema has it.
  return Object.fromEntries([...given, ...named]) as InputOf<F>;
}
