import type { EarlierOutcome } from "../../core/answers/evaluation.ts";
import { RagctlError } from "../../core/errors.ts";
import type { NamedBytes } from "../../core/flow.ts";
import { z } from "../../core/schema.ts";
import { describeReadError, openUserFile, streamUserFile } from "../../files.ts";
import { terminal } from "../shell/terminal.ts";

/** Largest report that is compared with, bytes. */
const maxReportBytes = 512 * 1024 * 1024;

/** Writes a file that somebody named. @throws USAGE_INVALID where it cannot be written */
export async function writeUserFile(path: string, write: (path: string) => Promise<void>): Promise<void> {
  await write(path).catch((cause: unknown) => {
    throw new RagctlError("USAGE_INVALID", `cannot write ${path}: ${describeReadError(cause)}`, {
      hint: "choose a file in an existing folder you can write to",
      cause,
    });
  });
}

/** The error for a file that somebody named and that cannot be read. */
export const fileReadError = (path: string, cause: unknown, hint: string): RagctlError =>
  new RagctlError("USAGE_INVALID", `cannot read ${path}: ${describeReadError(cause)}`, { hint, cause });

/**
 * The bytes of a file of questions; `-` is standard input. Reading throws USAGE_INVALID where there is no
 * such file.
 */
export function questionSource(path: string): NamedBytes {
  return path === "-"
    ? { name: "standard input", bytes: bytesOfInput() }
    : { name: path, bytes: bytesOf(path) };
}

async function* bytesOfInput(): AsyncGenerator<Uint8Array> {
  for await (const piece of terminal().input) yield Buffer.from(piece);
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* streamUserFile(path, "it");
  } catch (cause) {
    const hint = "pass an existing JSONL file of questions, as described in docs/reference/evaluation.md";
    throw fileReadError(path, cause, hint);
  }
}

const reportSchema = z.looseObject({
  schema_version: z.literal(1),
  questions: z.array(
    z.looseObject({ id: z.string(), question: z.string(), scores: z.record(z.string(), z.number()) }),
  ),
});

/** The questions of a report that `ragctl eval --format json` wrote. @throws USAGE_INVALID */
export async function readReport(path: string): Promise<readonly EarlierOutcome[]> {
  const hint = "pass a file written by: ragctl eval QUESTIONS.jsonl --format json > FILE";
  try {
    await using file = await openUserFile(path, "it");
    const { size } = await file.stat();
    if (size > maxReportBytes)
      throw new RagctlError(
        "USAGE_INVALID",
        `${path} is not an evaluation report: too large (${size} bytes)`,
        { hint },
      );
    return reportSchema.parse(JSON.parse(await file.readFile("utf8"))).questions;
  } catch (cause) {
    if (cause instanceof RagctlError && cause.code === "USAGE_INVALID") throw cause;
    const unread = cause instanceof Error && "code" in cause;
    const why = unread ? `: ${describeReadError(cause)}` : "";
    throw new RagctlError("USAGE_INVALID", `${path} is not an evaluation report${why}`, { hint, cause });
  }
}
