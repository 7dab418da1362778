import type { Command } from "commander";
import { RagctlError } from "../../core/errors.ts";

const asksForHelp = (word: string): boolean => word === "--help" || word === "-h";

/** Whether a command line requests JSON, wherever the flag is. Needed even for one that cannot be parsed. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some(
    (word, at) =>
      word === "--json" ||
      word.startsWith("--format=json") ||
      (word === "--format" && words[at + 1]?.startsWith("json") === true),
  );
}

/** The option that `word` begins, of `command` or one above it. */
function optionOf(command: Command, word: string) {
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const option = at.options.find(({ short, long }) => word === short || word === long);
    if (option !== undefined) return option;
  }
  return undefined;
}

/**
 * The command line without its request for help where that asks about a command there is not: the parser
 * itself answers `ragctl serve --help` with the general help and status 0, as if there were such a command.
 * Without the request it names the word.
 */
export function withoutHelpForUnknown(program: Command, argv: readonly string[]): readonly string[] {
  const [first] = operands(program, argv);
  if (!argv.some(asksForHelp) && first !== "help") return argv;
  let command = program;
  const words = argv[Symbol.iterator]();
  for (const word of words) {
    if (word === "--" || command.commands.length === 0) return argv;
    if (word.startsWith("-")) {
      if (optionOf(command, word)?.required === true) words.next();
      continue;
    }
    if (word === "help") continue;
    const child = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (child === undefined) return argv.filter((each) => !asksForHelp(each) && each !== "help");
    command = child;
  }
  return argv;
}

/** The words of a command line that are neither flags nor values of a flag that `command` has. */
export function* operands(command: Command, argv: readonly string[]): Iterable<string> {
  const words = argv[Symbol.iterator]();
  for (const word of words) {
    if (word === "--") return;
    if (!word.startsWith("-")) yield word;
    else if (optionOf(command, word)?.required === true) words.next();
  }
}

/** Names in the usage for values that refer to something, and so are never empty. */
const paths = /^(?:file|folder|dir|path|paths|place|questions)$/;
const names = /^(?:document|documents|id|ids|job|run|model|uri|principal)$/;

/**
 * Refuses an empty value where one names a path or a thing: an unset variable of a script must not mean the
 * current folder, or the default. @throws USAGE_INVALID
 */
export function rejectEmptyValues(command: Command): void {
  for (const [at, argument] of command.registeredArguments.entries())
    if (isEmpty(command.processedArgs[at])) refuse(argument.name(), `<${argument.name()}>`);
  for (let at: Command | null = command; at !== null; at = at.parent)
    for (const option of at.options)
      if (isEmpty(at.getOptionValue(option.attributeName())))
        refuse(/<([a-z]+)>/.exec(option.flags)?.[1] ?? "", option.long ?? option.flags);
}

const isEmpty = (value: unknown): boolean => value === "" || (Array.isArray(value) && value.includes(""));

function refuse(kind: string, shown: string): void {
  const isPath = paths.test(kind);
  if (!isPath && !names.test(kind)) return;
  throw new RagctlError("USAGE_INVALID", isPath ? "empty path" : "empty name", {
    hint: `pass a value for ${shown}; a shell variable may be unset`,
  });
}
