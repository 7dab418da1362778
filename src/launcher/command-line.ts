import { resolve } from "node:path";
import { defaultHome, userFolder } from "../config/home.ts";
import { residentCommands } from "../core/remote.ts";

/**
 * Global flags with a value; test/launcher compares them with the program's.
 */
export const flagsWithValue: readonly string[] = ["--format", "--home", "--as", "--set", "--log-file"];

/** Global flags without a value. */
export const switches: readonly string[] = [
  ...["--json", "--trust", "-q", "--quiet", "--json-logs", "--no-color", "--no-resident"],
  ...["-h", "--help", "-V", "--version"],
];

/** A line without a command that asks by flags, `ragctl --pdf FILE --question TEXT`, means `ask`. */
export function inferCommand(argv: readonly string[]): readonly string[] {
  const asks = argv.some((word) => /^--(?:pdf|question)(?:=|$)/.test(word));
  const rest = argv[Symbol.iterator]();
  for (const word of rest) {
    if (flagsWithValue.includes(word)) rest.next();
    else if (!switches.includes(word) && !flagsWithValue.some((flag) => word.startsWith(`${flag}=`)))
      return asks && /^--\w/.test(word) ? ["ask", ...argv] : argv;
  }
  return argv;
}

/** Facts about a command line that the launcher knows before anything is loaded. */
export interface CommandLine {
  /** Absolute path. The resident process checks it against all settings. */
  readonly home: string;
  /** Whether the resident process may run it. */
  readonly mayBeResident: boolean;
  /** Whether it serves an assistant, which may outlive the resident process. */
  readonly isTalk: boolean;
  readonly format: "text" | "json";
  readonly quiet: boolean;
}

interface Flags {
  command: string | undefined;
  /** The word after the command's name. */
  operand: string | undefined;
  home: string | undefined;
  isOwn: boolean;
  format: string;
  quiet: boolean;
}

function readWord(word: string, next: string | undefined, flags: Flags): void {
  const at = word.indexOf("=");
  const [name, value] = at < 0 ? [word, next] : [word.slice(0, at), word.slice(at + 1)];
  if (name === "--home") flags.home = value;
  else if (name === "--format") flags.format = value ?? "";
  else if (name === "--json") flags.format = "json";
  else if (name === "-q" || name === "--quiet") flags.quiet = true;
  else if (["--no-resident", "--help", "-h", "--version", "-V"].includes(name)) flags.isOwn = true;
  else if (!word.startsWith("-") && flags.command === undefined) flags.command = word;
  else if (!word.startsWith("-")) flags.operand ??= word;
}

/** Finds the home and the command of a command line. */
export function readCommandLine(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): CommandLine {
  const flags: Flags = {
    command: undefined,
    operand: undefined,
    home: undefined,
    isOwn: false,
    format: "text",
    quiet: false,
  };
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    readWord(word, words[at + 1], flags);
    if (flagsWithValue.includes(word)) at++;
  }
  const userHome = userFolder();
  // An empty variable counts as unset, as in the settings.
  const named = flags.home || environment["RAGCTL_HOME"] || undefined;
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
      !flags.isOwn &&
      // The command itself rejects it, so no resident process is started.
      flags.home !== "" &&
      process.platform !== "win32" &&
      environment["RAGCTL_RESIDENT_MODE"] !== "off" &&
      flags.command !== undefined &&
      // Its subcommands change the user's files outside the home.
      (flags.command !== "mcp" || flags.operand === undefined) &&
      residentCommands.includes(flags.command),
    isTalk: flags.command === "mcp",
    format: flags.format.startsWith("json") ? "json" : "text",
    quiet: flags.quiet,
  };
}
