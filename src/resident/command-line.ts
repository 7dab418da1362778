import { resolve } from "node:path";
import { defaultHome, userFolder } from "../config/home.ts";
import { residentCommands } from "../core/remote.ts";

/**
 * Global flags with a value; test/resident compares them with the program's.
 */
export const flagsWithValue: readonly string[] = ["--format", "--home", "--as", "--set", "--log-file"];

/** Global flags without a value. */
export const switches: readonly string[] = [
  ...["--json", "--trust", "-q", "--quiet", "--json-logs", "--no-color", "--no-resident"],
  ...["-h", "--help", "-V", "--version"],
];

/** What a command line says before the program reads it. */
interface Words {
  /** Values of global flags by name, the last of each; of those without a value "". */
  readonly flags: ReadonlyMap<string, string>;
  /** Words before "--" that are no flags: the command's name, its operands. */
  readonly operands: readonly string[];
  /** The first word that is no global flag. */
  readonly first: string | undefined;
}

/** Reads the words of a command line, of which only the global flags are known. */
export function readWords(argv: readonly string[]): Words {
  const flags = new Map<string, string>();
  const operands: string[] = [];
  let first: string | undefined;
  const rest = argv[Symbol.iterator]();
  for (const word of rest) {
    const [name = "", ...value] = word.split("=");
    if (word === "--json") flags.set("--format", "json");
    else if (switches.includes(word)) flags.set(word, "");
    else if (flagsWithValue.includes(name))
      flags.set(name, value.length > 0 ? value.join("=") : (rest.next().value ?? ""));
    else first ??= word;
    if (word === "--") break;
    if (!word.startsWith("-")) operands.push(word);
  }
  return { flags, operands, first };
}

/** A line without a command that asks by flags, `ragctl --pdf FILE --question TEXT`, means `ask`. */
export function inferCommand(argv: readonly string[]): readonly string[] {
  const asks = argv.some((word) => /^--(?:pdf|question)(?:=|$)/.test(word));
  return asks && /^--\w/.test(readWords(argv).first ?? "") ? ["ask", ...argv] : argv;
}

/** How a command prints. */
export const readFormat = ({ flags }: Words) =>
  ({
    format: flags.get("--format")?.startsWith("json") === true ? "json" : "text",
    quiet: flags.has("-q") || flags.has("--quiet"),
  }) as const;

/** Facts about a command line that the launcher knows before anything is loaded. */
export interface CommandLine {
  /** Absolute path. The resident process checks it against all settings. */
  readonly home: string;
  /** Whether the resident process may run it. */
  readonly mayBeResident: boolean;
  /** Whether it serves an assistant, which may outlive the resident process. */
  readonly isTalk: boolean;
}

/** Flags of a command that the caller's own process runs. */
const ownFlags = ["--no-resident", "--help", "-h", "--version", "-V"];

/** Finds the home and the command of a command line. */
export function readCommandLine(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): CommandLine {
  const { flags, operands } = readWords(argv);
  const [command, operand] = operands;
  const userHome = userFolder();
  // An empty variable counts as unset, as in the settings.
  const named = flags.get("--home") || environment["RAGCTL_HOME"] || undefined;
  const home =
    named === undefined
      ? defaultHome({ name: process.platform, userHome, environment })
      : resolve(
          cwd,
          named.replace(/^~(?=[\\/]|$)/, () => userHome),
        );
  return {
    home,
    mayBeResident:
      !ownFlags.some((flag) => flags.has(flag)) &&
      // The command itself rejects it, so no resident process is started.
      flags.get("--home") !== "" &&
      process.platform !== "win32" &&
      environment["RAGCTL_RESIDENT_MODE"] !== "off" &&
      command !== undefined &&
      // Its subcommands change the user's files outside the home.
      (command !== "mcp" || operand === undefined) &&
      residentCommands.includes(command),
    isTalk: command === "mcp",
  };
}
