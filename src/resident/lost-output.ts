import { isDiskFull, RagctlError } from "../core/errors.ts";
import { readFormat, readWords } from "./command-line.ts";

/** Prints why a command failed that says no more of itself; the exit status of that. */
export async function report(argv: readonly string[], error: RagctlError): Promise<number> {
  const { openOutput } = await import("../cli/shell/output.ts");
  return openOutput(readFormat(readWords(argv))).error(error).exitStatus;
}

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
    const code = isDiskFull(error) ? "DISK_FULL" : "INTERNAL";
    const hint = "redirect it elsewhere and run the command again";
    return report(
      argv,
      new RagctlError(code, `cannot write the output: ${error.message}`, { hint, cause: error }),
    );
  };
}
