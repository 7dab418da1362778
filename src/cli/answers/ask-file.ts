import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { fileCollection, fileMarkDigits } from "../../app/documents/placement.ts";
import { callerPath } from "../../config/caller.ts";
import type { FileReport } from "../../core/app.ts";
import { type ErrorCode, errorTable, RagctlError } from "../../core/errors.ts";
import { describeReadError } from "../../files.ts";
import { plural, singleLine } from "../../operations/text.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

/** Hash of a file and of the model its vectors come from. @throws SOURCE_MISSING, USAGE_INVALID */
async function markOf(path: string, model: string): Promise<string> {
  const hash = createHash("sha256").update(`${model}\0`);
  try {
    // A pipe or a device could block for ever.
    const stats = await stat(path);
    if (stats.isDirectory()) throw isFolder(path);
    if (!stats.isFile()) throw new TypeError("not a file");
    await pipeline(createReadStream(path), hash, { end: false });
  } catch (cause) {
    if (cause instanceof RagctlError) throw cause;
    throw new RagctlError("SOURCE_MISSING", `cannot read ${path}: ${describeReadError(cause)}`, {
      hint: "pass --pdf the path of a file",
      cause,
    });
  }
  return hash.digest("hex").slice(0, fileMarkDigits);
}

const isFolder = (path: string): RagctlError =>
  new RagctlError("USAGE_INVALID", `${path} is a folder`, {
    hint: "pass --pdf a single file, or ingest the folder first: `ragctl ingest FOLDER --collection NAME`, then ask with --collection NAME",
  });

const isCode = (code: string): code is ErrorCode => code in errorTable;

/** Why a file is not there to answer from, as the error that it was; it names the file once. */
function errorOf({
  code,
  name,
  reason,
  error = { message: reason, hint: undefined },
}: FileReport): RagctlError {
  const message = error.message.includes(name) ? error.message : `${name}: ${error.message}`;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return new RagctlError(isCode(code) ? code : "SOURCE_UNREADABLE", message, hint);
}

/**
 * Ingests one file into a separate private collection, named by its content and the embedding model so that
 * the same file is read once; returns the filters that narrow a question to it. @throws PERMISSION_DENIED,
 * and the error of the file
 */
export async function ingestFile(
  file: string,
  session: Session,
): Promise<{ readonly collections: readonly [string]; readonly documents: readonly [string] }> {
  const app = await session.app();
  const path = callerPath(file);
  // A file's hash would confirm a guess of its content, so reading must be allowed first.
  app.checkSource(path, session.run);
  const collection = fileCollection(await markOf(path, session.settings.embed.model));
  const { instance, department } = app.placement(collection);
  // Earlier versions kept such a file where everybody may read it.
  if (instance === "public")
    session.output.note(
      `collection ${collection} with this file is public, so everyone can read it; to make it private: ragctl collections migrate ${collection} --instance private`,
    );
  using progress = createProgress("ingest", "file", session.output);
  progress.stage("reading the file");
  // A separate run: the id of this one belongs to the answer.
  const run = { ...session.run, id: randomUUID() };
  for await (const event of app.ingest({ paths: [path], collection, instance, department }, run)) {
    if (event.type !== "file-end") continue;
    const { state, name, pages, chunks } = event.file;
    if (state === "failed" || state === "skipped") throw errorOf(event.file);
    if (state !== "unchanged")
      session.output.note(
        `read ${singleLine(name)}: ${plural(pages, "page")}, ${plural(chunks, "chunk")}, stored in collection ${collection}; to remove it: ragctl collections remove ${collection}`,
      );
  }
  return { collections: [collection], documents: [path] };
}
