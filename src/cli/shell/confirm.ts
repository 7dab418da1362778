import { createInterface } from "node:readline";
import { usageError } from "../../core/metadata/metadata.ts";
import type { Session } from "./session.ts";
import { terminal } from "./terminal.ts";

/**
 * Asks on a terminal before something is removed; elsewhere nobody answers, and `--yes` is needed.
 * @throws USAGE_INVALID where the answer is not yes
 */
export async function confirmRemoval(question: string, yes: boolean, session: Session): Promise<void> {
  if (yes) return;
  if (!canAsk())
    throw usageError(
      `removing requires --yes where there is no terminal to ask: ${question}`,
      "repeat the command with --yes",
    );
  await confirm(question, session);
}

const canAsk = (): boolean => terminal().input.isTTY === true && terminal().error.isTTY === true;

/** Asks on a terminal; elsewhere it counts as yes. @throws USAGE_INVALID where the answer is not yes */
export async function confirm(question: string, session: Session): Promise<void> {
  if (!canAsk()) return;
  const { input, error: output } = terminal();
  // Clears the status, which shares the line of the question.
  session.output.status("");
  const { signal } = session.run;
  const prompt = createInterface({ input, output });
  const answer = await new Promise<string>((resolve) => {
    const close = (): void => prompt.close();
    const leave = (): void => {
      session.output.log("\n");
      resolve("");
    };
    signal.addEventListener("abort", close, { once: true });
    prompt.once("SIGINT", () => session.interrupt());
    prompt.once("close", leave);
    prompt.question(`${question} [y/N] `, (line) => {
      prompt.off("close", leave);
      signal.removeEventListener("abort", close);
      close();
      resolve(line);
    });
  });
  signal.throwIfAborted();
  if (!/^y(es)?$/i.test(answer.trim()))
    throw usageError("cancelled; nothing changed", "answer y to continue");
}
