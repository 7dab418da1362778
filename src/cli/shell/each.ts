import { asRagctlError } from "../../core/errors.ts";
import { singleLine } from "../../operations/text.ts";
import type { Session } from "./session.ts";

/**
 * The same work for each of several things. One that fails is named with its error, the others are done, and
 * the command ends with the status of the first failure; a single one fails as a command does, and an
 * interruption ends them all.
 */
export async function forEachReporting<T, R>(
  items: readonly T[],
  nameOf: (item: T) => string,
  work: (item: T) => Promise<R>,
  session: Session,
): Promise<readonly R[]> {
  const done: R[] = [];
  let failed = false;
  for (const item of items) {
    try {
      done.push(await work(item));
    } catch (thrown) {
      if (items.length === 1 || session.run.signal.aborted) throw thrown;
      session.output.note(`${singleLine(nameOf(item))} skipped:`);
      const { exitStatus } = session.output.error(asRagctlError(thrown));
      if (!failed) session.exit(exitStatus);
      failed = true;
    }
  }
  return done;
}
