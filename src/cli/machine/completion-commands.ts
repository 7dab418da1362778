import type { Argument, Command, Option } from "commander";

/** The possible values in a place: these words, the names of a kind, files, or nothing that can be listed. */
export type Values =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "names"; readonly of: string }
  | { readonly kind: "files" }
  | { readonly kind: "free" };

export interface DescribedFlag {
  /** `--mode`, and its short form `-m` or "". */
  readonly long: string;
  readonly short: string;
  readonly description: string;
  /** Null for a flag without a value. */
  readonly values: Values | null;
}

/** One command as a shell has to know it. */
export interface Described {
  /** Command words after `ragctl`, e.g. `models pull`; "" is ragctl itself. */
  readonly words: string;
  readonly children: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly DescribedFlag[];
  /** Possible values of its first argument. */
  readonly argument: Values;
}

/** Placeholder of an argument or of a flag's value → what it names. */
const named: Readonly<Record<string, string>> = {
  collection: "collections",
  document: "documents",
  documents: "documents",
  chat: "rooms",
  principal: "principals",
  agent: "agents",
  tool: "tools",
  "models pull": "models",
  "models import": "models",
  "models verify": "models",
  "models path": "models",
};
/** Flags whose placeholder says less than their name. */
const namedFlags: Readonly<Record<string, string>> = {
  "--collection": "collections",
  "--document": "documents",
  "--as": "principals",
};
const fileLike = /^(file|folder|dir|path|paths)$/;

function valuesOf(
  placeholder: string,
  choices: readonly string[] | undefined,
  name: string | undefined,
): Values {
  if (choices !== undefined) return { kind: "words", words: choices };
  const of = name ?? (Object.hasOwn(named, placeholder) ? named[placeholder] : undefined);
  if (of !== undefined) return { kind: "names", of };
  return fileLike.test(placeholder) ? { kind: "files" } : { kind: "free" };
}

function flagOf(option: Option): DescribedFlag | undefined {
  const { long, short, description, argChoices } = option;
  if (long === undefined || long === null || option.hidden) return undefined;
  const placeholder = /[<[]([^>\].]+)/.exec(option.flags)?.[1] ?? "";
  const own = Object.hasOwn(namedFlags, long) ? namedFlags[long] : undefined;
  const values = option.required || option.optional ? valuesOf(placeholder, argChoices, own) : null;
  return { long, short: short ?? "", description, values };
}

function argumentOf(argument: Argument | undefined, words: string): Values {
  if (argument === undefined) return { kind: "free" };
  return valuesOf(
    argument.name(),
    argument.argChoices,
    Object.hasOwn(named, words) ? named[words] : undefined,
  );
}

/** Every visible command, with its flags and the values of its first argument. */
export function describeCommands(command: Command, prefix: readonly string[] = []): readonly Described[] {
  const words = prefix.join(" ");
  // Hidden commands are those omitted from help.
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help");
  const own: Described = {
    words,
    children: children.map((child) => ({ name: child.name(), description: child.description() })),
    flags: [
      ...command.options.flatMap((option) => flagOf(option) ?? []),
      { long: "--help", short: "-h", description: "show the help", values: null },
    ],
    argument: argumentOf(command.registeredArguments[0], words),
  };
  return [own, ...children.flatMap((child) => describeCommands(child, [...prefix, child.name()]))];
}
