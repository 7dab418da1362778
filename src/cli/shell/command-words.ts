import type { Command } from "commander";

const asksForHelp = (word: string): boolean => word === "--help" || word === "-h";

/**
 * Whether a command line asks for JSON, wherever the flag stands: to be known of one that cannot be parsed.
 */
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
