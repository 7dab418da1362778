import type { Job } from "../../core/documents/queue.ts";
import { type ErrorCode, RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { mediaTypeOf } from "../body.ts";
import type { Call } from "../define-route.ts";
import { publicError } from "../failure.ts";
import { withIdleTimeout } from "./idle-timeout.ts";
import { boundaryOf, multipartParts, type Part } from "./multipart.ts";
import { fileTooLargeError, type Received, safeName } from "./uploads.ts";

/** Where an upload is to go. */
export interface UploadTarget {
  /** As the client calls a file that is sent as the body; a form names its own. */
  readonly fileName?: string;
  /** Default: that of the settings. */
  readonly collection?: string | undefined;
  /** Default: that of the collection. */
  readonly department?: string;
}

/** A file that was received and the job that ingests it. */
export interface Accepted extends Received {
  readonly collection: string;
  readonly instance: Instance;
  readonly job: Job;
}

/** What became of the files of a request. */
export interface UploadReport {
  /** At least one; a request without an accepted file fails. */
  readonly accepted: readonly [Accepted, ...Accepted[]];
  readonly failed: readonly FailedPart[];
}

/** A part of a form that was not accepted, and why, as the client may know it. */
export interface FailedPart {
  /** As the client calls it; null for what could not be read. */
  readonly name: string | null;
  readonly code: ErrorCode;
  readonly message: string;
  /** Empty for none. */
  readonly hint: string;
}

/** Keeps one file and queues it. */
type Keep = (body: AsyncIterable<Uint8Array>, fileName: string) => Promise<Accepted>;

const form = "multipart/form-data";

/** Files of one form at most. */
const mostFiles = 100;

/** Room for the headers of each file in a form, bytes. */
const aroundFile = 2 ** 16;

/**
 * Keeps the files of a request and queues each as a separate job. The files of a form fail independently.
 * @throws NOT_FOUND, PERMISSION_DENIED before anything is read; REQUEST_*, DISK_FULL where no file is
 * accepted
 */
export async function acceptUpload(target: UploadTarget, call: Call): Promise<UploadReport> {
  const { server, run, request } = call;
  const keep = await keeper(target, call);
  const isForm = mediaTypeOf(request) === form;
  const { maxBytes } = server.settings.parse;
  const most = isForm ? mostFiles * (maxBytes + aroundFile) : maxBytes;
  if (Number(request.headers.get("content-length") ?? 0) > most) throw fileTooLargeError(maxBytes);
  const body = withIdleTimeout(
    request.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() }),
  );
  if (!isForm) return { accepted: [await keep(body, namedFile(target.fileName))], failed: [] };
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  return acceptForm(multipartParts(body, boundary), keep, run);
}

/** @throws NOT_FOUND, PERMISSION_DENIED */
async function keeper({ collection: named, department }: UploadTarget, { server, run }: Call): Promise<Keep> {
  const { department: usual, ...place } = await server.app.placement(named);
  const { collection, instance } = place;
  await server.app.checkWritable({ name: collection, instance }, run);
  return async (body, fileName) => {
    const received = await server.uploads.receive(body, { fileName, collection, instance }, run.signal);
    server.metrics.upload(received.sizeBytes);
    const [job] = await server.app.background.enqueue(
      { paths: [received.path], ...place, department: department ?? usual, priority: 0 },
      run,
    );
    if (job === undefined) throw new TypeError("a path makes a job");
    return { ...received, ...place, job };
  };
}

/** One file after the other, as they come. @throws the error of the only file, or one that names them all */
async function acceptForm(parts: AsyncIterable<Part>, keep: Keep, run: Run): Promise<UploadReport> {
  const accepted: Accepted[] = [];
  const failed: FailedPart[] = [];
  let last: unknown;
  const fail = (name: string | null, thrown: unknown): void => {
    run.signal.throwIfAborted();
    last = thrown;
    const { code, message, hint = "" } = publicError(thrown, run);
    failed.push({ name, code, message, hint });
  };
  const taken = new Set<string>();
  try {
    for await (const part of parts) {
      try {
        accepted.push(await keep(part.body, checkedFile(part, taken)));
      } catch (error) {
        fail(part.fileName ?? part.name, error);
        // The field may have been meant to say where the files go.
        if (part.fileName === undefined && accepted.length === 0) break;
      }
    }
  } catch (error) {
    // An error that ended the form inside a file has already been reported for that file.
    if (error !== last) fail(null, error);
  }
  const [first, ...rest] = accepted;
  if (first === undefined) throw nothingAccepted(failed);
  return { accepted: [first, ...rest], failed };
}

/** The name of a part's file, which is taken from now on. @throws REQUEST_INVALID, REQUEST_TOO_LARGE */
function checkedFile({ name, fileName }: Part, taken: Set<string>): string {
  if (fileName === undefined)
    throw new RagctlError("REQUEST_INVALID", `the form has a field ${name}, which is not a file`, {
      hint: "pass collection and department in the query, e.g. ?collection=general_knowledge",
    });
  const kept = safeName(namedFile(fileName));
  if (taken.has(kept))
    throw new RagctlError("REQUEST_INVALID", "the form contains two files of the same name", {
      hint: "rename one of them, or send the next version of a document in a later request",
    });
  if (taken.size === mostFiles)
    throw new RagctlError("REQUEST_TOO_LARGE", `the form has more than ${mostFiles} files`, {
      hint: "send the rest in another request",
    });
  taken.add(kept);
  return fileName;
}

function namedFile(fileName: string | undefined): string {
  if (fileName !== undefined && fileName !== "") return fileName;
  throw new RagctlError("REQUEST_INVALID", "the file has no name", {
    hint: "pass it in the query, e.g. ?name=manual.pdf, or in the part of a form",
  });
}

function nothingAccepted(failed: readonly FailedPart[]): RagctlError {
  const [first] = failed;
  if (first === undefined)
    return new RagctlError("REQUEST_INVALID", "the form contains no file", {
      hint: "send multipart/form-data with one part per file",
    });
  const options = first.hint === "" ? {} : { hint: first.hint };
  if (failed.length === 1) return new RagctlError(first.code, first.message, options);
  const reasons = failed.map(({ name, message }) => (name === null ? message : `${name}: ${message}`));
  return new RagctlError(first.code, `no file was accepted: ${reasons.join("; ")}`, options);
}
