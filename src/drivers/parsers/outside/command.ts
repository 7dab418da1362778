import { RagctlError } from "../../../core/errors.ts";

export interface CommandOptions {
  /** Given to the command on standard input; nothing where it is left out. */
  readonly input?: Uint8Array;
  /** Most time the command may take, milliseconds. */
  readonly timeoutMs: number;
  /** Most bytes it may print. */
  readonly maxOutputBytes: number;
  readonly cwd?: string;
  readonly signal: AbortSignal;
}

/**
 * Runs a command without a shell and gives back what it printed. `argv` is the program and its arguments as
 * they are.
 * @throws PARSER_TIMEOUT, PARSER_MEMORY, SOURCE_UNREADABLE with the command's last line of complaint
 */
export async function runCommand(
  argv: readonly string[],
  name: string,
  options: CommandOptions,
): Promise<Uint8Array> {
  const [program, ...words] = argv;
  if (program === undefined)
    throw new RagctlError("CONFIG_INVALID", "a loader's command is empty", {
      hint: "set the program and its arguments as a list",
    });
  const { execa } = await import("execa");
  const result = await execa(program, words, {
    shell: false,
    reject: false,
    encoding: "buffer",
    timeout: options.timeoutMs,
    maxBuffer: options.maxOutputBytes,
    cancelSignal: options.signal,
    forceKillAfterDelay: 2000,
    ...(options.input === undefined ? { stdin: "ignore" as const } : { input: options.input }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  options.signal.throwIfAborted();
  if (result.timedOut) throw timeoutError(program, name, options.timeoutMs);
  if (result.isMaxBuffer) throw outputLimitError(program, name, options.maxOutputBytes);
  if (result.failed) {
    const said = Buffer.from(result.stderr).toString("utf8").trim().split("\n").at(-1)?.slice(0, 300) ?? "";
    const why =
      result.exitCode === undefined
        ? (result.shortMessage ?? "it did not start").split("\n")[0]
        : `it ended with status ${result.exitCode}`;
    throw new RagctlError(
      "SOURCE_UNREADABLE",
      `${program} failed on ${name}: ${why}${said === "" ? "" : ` (${said})`}`,
      {
        hint: `run ${program} on the file yourself to find out why`,
        cause: result,
      },
    );
  }
  return result.stdout;
}

/** The error for a program or server that took too long for a file. */
export const timeoutError = (program: string, name: string, timeoutMs: number): RagctlError =>
  new RagctlError("PARSER_TIMEOUT", `${program} took longer than ${timeoutMs / 1000} s on ${name}`, {
    hint: "split the file, or raise parse.loaderTimeoutMs",
  });

/** The error for a program or server that answered with too much for a file. */
export const outputLimitError = (program: string, name: string, maxBytes: number): RagctlError =>
  new RagctlError("PARSER_MEMORY", `${program} printed more than ${maxBytes} bytes for ${name}`, {
    hint: "split the file; a loader must print text, not data",
  });
