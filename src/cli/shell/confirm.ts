import { createInterface } from "node:readline/promises";
import { RagctlError } from "../../core/errors.ts";
import type { Session } from "./session.ts";
import { terminal } from "./terminal.ts";

/**
 * Asks on a terminal before something is removed; `yes` skips the question. A script that names a thing means
 * it: it is not asked.
 * @throws USAGE_INVALID where the answer is not yes
 */
export async function confirm(question: string, yes: boolean, session: Session): Promise<void> {
  const { input, error: output } = terminal();
  if (yes || input.isTTY !== true || output.isTTY !== true) return;
  const prompt = createInterface({ input, output });
  try {
    const answer = await prompt.question(`${question} [y/N] `, { signal: session.run.signal });
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    prompt.close();
  }
  throw new RagctlError("USAGE_INVALID", "nothing was changed", { hint: "answer y to go on" });
}
