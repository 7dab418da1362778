import { stat } from "node:fs/promises";
import type { IngestRequest } from "../../core/app.ts";
import type { ParsedDocument, SourceFile } from "../../core/documents/document.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { type Failure, type Flow, isFailure } from "../../core/flow.ts";
import type { Run } from "../../core/run.ts";
import type { PhaseClock } from "../phases.ts";
import type { Begun, Ledger } from "./ledger.ts";
import type { Started } from "./prefetch.ts";
import { documentFailure, fileStamp } from "./sources.ts";

/** A file with its registry entry. */
export interface BegunFile {
  readonly file: SourceFile;
  readonly begun: Begun;
}

/** A file that was begun and, if there is anything to do, its content or why there is none. */
export interface Prepared extends BegunFile {
  /** Absent if unchanged or shared. */
  readonly document: ParsedDocument | RagctlError | undefined;
}

/**
 * Parses files; each parse starts as soon as its file is pulled, so that several run ahead of the embedder.
 */
export async function* prepare(
  flow: Flow<SourceFile>,
  request: IngestRequest,
  fingerprint: string,
  drivers: {
    readonly parse: (file: SourceFile, signal: AbortSignal) => Promise<ParsedDocument>;
    readonly ledger: Ledger;
  },
  clock: PhaseClock,
  run: Run,
): AsyncGenerator<Started<Prepared | Failure>> {
  for await (const file of flow) {
    if (isFailure(file)) {
      yield { result: Promise.resolve(file) };
      continue;
    }
    const begun = await begin(drivers.ledger, file, request, fingerprint);
    if (isFailure(begun)) {
      yield { result: Promise.resolve(begun) };
      continue;
    }
    if (begun.state === "unchanged" || begun.shared) {
      yield { result: Promise.resolve({ file, begun, document: undefined }) };
      continue;
    }
    const result = clock
      .time("parse", async () => {
        const document = await drivers.parse(file, run.signal);
        await checkUntouched(file);
        return document;
      })
      .then((document): Prepared => {
        clock.count("parse", { documents: 1, pages: document.content.pageCount, bytes: file.sizeBytes });
        return { file, begun, document };
      })
      .catch((thrown: unknown): Prepared => {
        run.signal.throwIfAborted();
        const error = asRagctlError(thrown);
        if (error.scope === "run") throw error;
        return { file, begun, document: error };
      });
    yield { result };
  }
}

/** The version of a file, or why it cannot begin now. @throws errors that end the run */
async function begin(
  ledger: Ledger,
  file: SourceFile,
  request: IngestRequest,
  fingerprint: string,
): Promise<Begun | Failure> {
  try {
    return await ledger.begin(file, request, fingerprint);
  } catch (thrown) {
    const error = asRagctlError(thrown);
    if (error.scope === "run") throw error;
    return documentFailure(file.name, error, file.path);
  }
}

/**
 * The parsed bytes must be the hashed ones: a file that is being written gives no version. @throws
 * SOURCE_CHANGED
 */
async function checkUntouched({ path, name, stamp }: SourceFile): Promise<void> {
  if (stamp === undefined) return;
  const now = await stat(path).then(fileStamp, () => undefined);
  if (now?.sizeBytes === stamp.sizeBytes && now.mtimeMs === stamp.mtimeMs && now.inode === stamp.inode)
    return;
  throw new RagctlError("SOURCE_CHANGED", `${name} changed while it was being read`, {
    hint: "run the command again once it no longer changes",
  });
}
