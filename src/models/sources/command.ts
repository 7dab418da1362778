import { spawn } from "node:child_process";
import { SourceFailure } from "./source.ts";

const networkWords =
  /resolve|NewConnectionError|Connection (refused|reset|timed out)|ConnectTimeout|Network is unreachable|No route to host|UnknownHost|timed out|Max retries exceeded|from versions: none/i;

/**
 * Runs a program to its end in `folder`.
 * @throws SourceFailure `tool` when it is not installed, `network` or `failed` by what it said; the signal's
 *   reason when aborted
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const { status, said } = await new Promise<{ status: number | null; said: string }>((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], signal });
    let said = "";
    const keep = (data: Buffer): void => {
      said = (said + data.toString("utf8")).slice(-8000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, said }));
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") {
      throw new SourceFailure("tool", `${command} is not installed or not on PATH`, cause);
    }
    throw cause;
  });
  signal.throwIfAborted();
  if (status === 0) return;
  if (/No module named pip/.test(said)) throw new SourceFailure("tool", `${command} has no pip`);
  if (/No space left on device/i.test(said))
    throw Object.assign(new Error(`${command}: the disk is full`), { code: "ENOSPC" });
  throw new SourceFailure(
    networkWords.test(said) ? "network" : "failed",
    `${command} failed with status ${status}: ${lastLine(said)}`,
  );
}

/** The first of `commands` that is installed runs; a missing one is passed over. */
export async function runFirst(
  commands: readonly string[],
  args: readonly string[],
  folder: string,
  signal: AbortSignal,
  wanted: string,
): Promise<void> {
  for (const command of commands) {
    try {
      return await runCommand(command, args, folder, signal);
    } catch (error) {
      if (!(error instanceof SourceFailure && error.kind === "tool")) throw error;
    }
  }
  throw new SourceFailure("tool", `${wanted} is not on PATH (tried ${commands.join(", ")})`);
}

function lastLine(said: string): string {
  const lines = said.split("\n").map((line) => line.trim());
  const errors = lines.filter((line) => /error/i.test(line));
  return ((errors.at(0) ?? lines.findLast((line) => line !== "")) || "no output").slice(0, 300);
}
