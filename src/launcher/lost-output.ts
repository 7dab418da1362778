import { isDiskFull, RagctlError } from "../core/errors.ts";
import { readCommandLine } from "./command-line.ts";

/**
 * What to do about an error of stdout: says once that what a command printed could not be written, as on a
 * full disk, and gives the exit status of that. 0 where a reader closed early (`ragctl list | head`): it has
 * what it wanted, and the command ends. Undefined for what follows the first error.
 */
export function createOutputErrorHandler(argv: readonly string[]) {
  let isTold = false;
  return async (error: NodeJS.ErrnoException): Promise<number | undefined> => {
    if (isTold) return undefined;
    isTold = true;
    if (error.code === "EPIPE") return 0;
    const { openOutput } = await import("../cli/shell/output.ts");
    const lost = new RagctlError(
      isDiskFull(error) ? "DISK_FULL" : "INTERNAL",
      `cannot write the output: ${error.message}`,
      { hint: "redirect it elsewhere and run the command again", cause: error },
    );
    return openOutput(readCommandLine(argv, process.env, process.cwd())).error(lost).exitStatus;
  };
}
