import { isAbsolute } from "node:path";
import type { Tool } from "../core/answers/tool.ts";
import { RagctlError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { z } from "../core/schema.ts";
import { toolConfigs } from "../core/tool-config.ts";
import { readConfig } from "./config.ts";
import type { ToolDrivers, ToolRow } from "./drivers.ts";
import { checkedArguments, checkSchema } from "./schema.ts";

const shownCharacters = 4000;
const placeholder = /\{([\w-]+)\}/g;

/**
 * The text of a call's argument for the program's argv; "" if it was not given. @throws TOOL_INVALID,
 * TOOL_REFUSED
 */
function argumentText(name: string, value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw new RagctlError("TOOL_INVALID", `the argument ${name} must be text or a number`, {
      hint: "correct the parameters of the tool",
    });
  const text = String(value);
  if (text.includes("\0"))
    throw new RagctlError("TOOL_REFUSED", `the argument ${name} holds a NUL character`, {
      hint: "remove it",
    });
  return text;
}

/**
 * The program's arguments, each passed as one whatever it contains. One that includes text of the call must
 * not begin with `-`, so that it is never read as an option, unless the operator wrote that or a `--` before
 * it. @throws TOOL_REFUSED
 */
export function filledArguments(argv: readonly string[], given: JsonObject): readonly string[] {
  const separator = argv.indexOf("--");
  return argv.map((part, index) => {
    /** Names of arguments inserted as text; numbers do not count. */
    const names: string[] = [];
    const filled = part.replaceAll(placeholder, (_, name: string) => {
      const text = argumentText(name, given[name]);
      if (text !== "" && typeof given[name] !== "number") names.push(name);
      return text;
    });
    const [first] = names;
    const mayBeOption = part.startsWith("-") || (separator >= 0 && index > separator);
    if (first !== undefined && filled.startsWith("-") && !mayBeOption) {
      throw new RagctlError("TOOL_REFUSED", `the argument ${first} may not begin with "-"`, {
        hint: "put -- before it in config.argv, if the program supports that",
      });
    }
    return filled;
  });
}

type Settings = z.infer<typeof toolConfigs.generic>;

const tooSlow = (tool: string, { timeout_ms: ms }: Settings): RagctlError =>
  new RagctlError("TOOL_TIMEOUT", `${tool} did not finish within ${ms} ms and was stopped`, {
    hint: "raise timeout_ms of the tool",
  });

const tooMuch = (tool: string, { max_bytes: bytes }: Settings): RagctlError =>
  new RagctlError("TOOL_FAILED", `${tool} wrote more than ${bytes} bytes and was stopped`, {
    hint: "raise max_bytes of the tool, or make it write less",
  });

/** Ends a program and everything it started. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group is gone, or this system has none; then the program ends by its own limit.
  }
}

/**
 * Starts the program with `input` and waits for its end, its limits or the signal. @throws TOOL_TIMEOUT,
 * TOOL_FAILED
 */
async function runProgram(
  tool: string,
  argv: readonly string[],
  input: string,
  environment: Readonly<Record<string, string>>,
  settings: Settings,
  signal: AbortSignal,
) {
  const [program = "", ...words] = argv;
  const { execa } = await import("execa");
  signal.throwIfAborted();
  const child = execa(program, words, {
    shell: false,
    input,
    env: environment,
    extendEnv: false,
    preferLocal: false,
    ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
    // A separate process group, so that child processes end with the program.
    detached: process.platform !== "win32",
    cleanup: true,
    maxBuffer: settings.max_bytes,
    stripFinalNewline: true,
    reject: false,
    windowsHide: true,
  });
  const ended = { isTimeout: false };
  const end = (): void => {
    endGroup(child.pid);
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => {
    ended.isTimeout = true;
    end();
  }, settings.timeout_ms);
  signal.addEventListener("abort", end, { once: true });
  try {
    // A child may keep the output open after the program ended; stop waiting then.
    const settled = new Promise<null>((resolve) =>
      setTimeout(() => resolve(null), settings.timeout_ms + 1000).unref(),
    );
    const result = await Promise.race([child, settled]);
    signal.throwIfAborted();
    if (ended.isTimeout || result === null) throw tooSlow(tool, settings);
    if (result.isMaxBuffer) throw tooMuch(tool, settings);
    if (result.failed) throw failure(tool, program, result);
    return result;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    endGroup(child.pid);
  }
}

/**
 * Runs a program that the operator declared: arguments as JSON on its input and in its argv, JSON or text
 * from its output.
 */
export default async function open(row: ToolRow, drivers: ToolDrivers): Promise<Tool> {
  const settings = readConfig(row, toolConfigs.generic);
  const [program = "", ...rest] = settings.argv;
  if (program.includes("{"))
    throw new RagctlError(
      "CONFIG_INVALID",
      `the tool ${row.name}: config.argv: the program itself may not be an argument`,
      {
        hint: "name the program",
      },
    );
  checkSchema(settings.parameters, row.name);
  const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", ...drivers.environment };
  const cwd = settings.cwd ?? drivers.cwd;
  const limits = { ...settings, ...(cwd === undefined ? {} : { cwd }) };

  return {
    type: "generic",
    description: settings.description,
    examples: settings.examples ?? [],
    parameters: settings.parameters,
    async call(call, question, run) {
      const given = checkedArguments(settings.parameters, call.arguments, row.name);
      const argv = [program, ...filledArguments(rest, given)];
      const input = JSON.stringify({ arguments: given, question });
      const { stdout, exitCode } = await runProgram(row.name, argv, input, environment, limits, run.signal);
      return brought(row.name, program, settings.output, stdout, exitCode ?? 0);
    },
    async [Symbol.asyncDispose]() {},
  };
}

function failure(
  tool: string,
  program: string,
  result: {
    readonly exitCode?: number | undefined;
    readonly stderr?: unknown;
    readonly code?: string | undefined;
    readonly signal?: string | undefined;
  },
): RagctlError {
  if (result.code === "ENOENT" || result.code === "EACCES") {
    return new RagctlError("TOOL_FAILED", `${tool}: cannot start the program ${program} (${result.code})`, {
      hint: isAbsolute(program)
        ? "check that it exists and is executable"
        : "use its full path in config.argv",
    });
  }
  const said =
    typeof result.stderr === "string" ? result.stderr.trim().split("\n").at(-1)?.slice(0, 200) : "";
  const how =
    result.exitCode === undefined
      ? `ended by ${result.signal ?? "a signal"}`
      : `exited with status ${result.exitCode}`;
  return new RagctlError(
    "TOOL_FAILED",
    `${tool} ${how}${said === "" || said === undefined ? "" : `: ${said}`}`,
    {
      hint: "run the program by hand with the same arguments",
    },
  );
}

function brought(tool: string, program: string, output: "json" | "text", stdout: string, exitCode: number) {
  const text = stdout.replaceAll(/(?![\n\t])\p{Cc}/gu, "");
  let value: unknown = null;
  if (output === "json") {
    try {
      value = JSON.parse(stdout);
    } catch (cause) {
      throw new RagctlError("TOOL_FAILED", `${tool} did not write JSON`, {
        hint: "make it write one JSON document, or set output: text",
        cause,
      });
    }
  } else if (stdout.includes("\uFFFD") && stdout.split("\uFFFD").length > stdout.length / 20) {
    throw new RagctlError("TOOL_FAILED", `${tool} wrote bytes that are not text`, {
      hint: "make it write UTF-8",
    });
  }
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  return {
    message: `${tool} wrote ${text.length} characters`,
    findings:
      text.trim() === ""
        ? []
        : [
            {
              text: shown,
              source: tool,
              section: program.replace(/^.*[\\/]/, ""),
              contentType: "code" as const,
            },
          ],
    data: { exit_code: exitCode, output: value ?? text, cut: text.length > shownCharacters },
  };
}
