import { createHash, randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import type { LocalApp } from "../../app/app.ts";
import { fileCollection, fileMarkDigits } from "../../app/documents/placement.ts";
import { callerPath } from "../../config/caller.ts";
import type { FileReport } from "../../core/app.ts";
import { asRagctlError, type ErrorCode, errorTable, RagctlError } from "../../core/errors.ts";
import { describeReadError, streamUserFile } from "../../files.ts";
import { defined } from "../../operations/operation.ts";
import { plural, singleLine } from "../../operations/text.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

/** Hash of a file and of the model its vectors come from. @throws SOURCE_MISSING, USAGE_INVALID */
async function markOf(path: string, model: string): Promise<string> {
  const hash = createHash("sha256").update(`${model}\0`);
  try {
    if ((await stat(path)).isDirectory()) throw isFolder(path);
    for await (const piece of streamUserFile(path)) hash.update(piece);
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
function errorOf({ code, name, reason, error }: FileReport): RagctlError {
  const { message, hint } = error ?? { message: reason, hint: undefined };
  const told = message.includes(name) ? message : `${name}: ${message}`;
  return new RagctlError(isCode(code) ? code : "SOURCE_UNREADABLE", told, defined({ hint }));
}

/** Removes the collection that was made for one question. */
async function removeFile(collection: string, app: LocalApp, { run, output }: Session): Promise<void> {
  // Also after Ctrl-C, which ends only the question.
  const removal = { ...run, id: randomUUID(), signal: new AbortController().signal };
  try {
    if ((await app.collections(removal)).some(({ name }) => name === collection))
      await app.forgetCollection(collection, removal);
  } catch (error) {
    output.note(
      `collection ${collection} with this file is kept: ${asRagctlError(error).message}; to remove it: ragctl collections remove ${collection}`,
    );
  }
}

/**
 * Ingests one file into a separate private collection; returns the filters that narrow a question to it. The
 * collection is removed with `resources`, unless it is to be kept: then it is named by the file's content and
 * the embedding model, so that the same file is read once. @throws PERMISSION_DENIED, and the error of the
 * file
 */
export async function ingestFile(
  file: string,
  { keep }: { readonly keep: boolean },
  session: Session,
  resources: AsyncDisposableStack,
): Promise<{ readonly collections: readonly [string]; readonly documents: readonly [string] }> {
  const app = await session.app();
  const path = callerPath(file);
  // A file's hash would confirm a guess of its content, so reading must be allowed first.
  await app.checkSource(path, session.run);
  const kept = fileCollection(await markOf(path, session.settings.embed.model));
  const stays = keep || (await app.collections(session.run)).some(({ name }) => name === kept);
  // Another question may be asked of the same file at the same time.
  const collection = stays ? kept : fileCollection(randomUUID().replaceAll("-", ""));
  if (!stays) resources.defer(() => removeFile(collection, app, session));
  const { instance, department } = await app.placement(collection);
  const move = `ragctl collections migrate ${collection} --instance private`;
  if (instance === "public") session.output.note(`${collection} is public: ${move}`);
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
        `read ${singleLine(name)}: ${plural(pages, "page")}, ${plural(chunks, "chunk")}${stays ? `, stored in collection ${collection}; to remove it: ragctl collections remove ${collection}` : "; to keep it for other questions: --keep"}`,
      );
  }
  return { collections: [collection], documents: [path] };
}
