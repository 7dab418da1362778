import type { Job } from "../../core/documents/queue.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import { mediaTypeOf } from "../body.ts";
import type { Call } from "../endpoint.ts";
import { boundaryOf, multipartParts } from "./multipart.ts";
import { type Received, tooLarge } from "./uploads.ts";

/** Where an upload is to go. */
export interface UploadTarget {
  /** As the client calls it; a part of a form brings its own. */
  readonly fileName?: string;
  readonly collection: string;
  /** Default: that of the collection. */
  readonly department?: string;
}

/** A file that was received and the job that ingests it. */
export interface Accepted extends Received {
  readonly collection: string;
  readonly instance: Instance;
  readonly job: Job;
}

const form = "multipart/form-data";

/**
 * Keeps the file of a request and queues it. @throws NOT_FOUND, PERMISSION_DENIED before anything is read,
 * REQUEST_*, DISK_FULL
 */
export async function acceptUpload(target: UploadTarget, call: Call): Promise<Accepted> {
  const { server, run, request } = call;
  const { collection } = target;
  const { instance, department } = server.app.placement(collection);
  server.app.checkWritable({ name: collection, instance }, run);
  const { maxBytes } = server.settings.parse;
  const length = Number(request.headers.get("content-length") ?? 0);
  const isForm = mediaTypeOf(request) === form;
  // What a form needs around its file is little.
  if (length > maxBytes + (isForm ? 2 ** 16 : 0)) throw tooLarge(maxBytes);
  const receive = (body: AsyncIterable<Uint8Array>, fileName: string): Promise<Received> =>
    server.uploads.receive(body, { fileName, collection, instance }, run.signal);
  const body = request.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  const received = isForm
    ? await receiveForm(body, request, receive, target.fileName)
    : await receive(body, namedFile(target.fileName));
  server.metrics.upload(received.sizeBytes);
  const [job] = await server.app.background.enqueue(
    {
      paths: [received.path],
      collection,
      instance,
      department: target.department ?? department,
      priority: 0,
    },
    run,
  );
  if (job === undefined) throw new TypeError("a path makes a job");
  return { ...received, collection, instance, job };
}

function namedFile(fileName: string | undefined): string {
  if (fileName !== undefined && fileName !== "") return fileName;
  throw new RagctlError("REQUEST_INVALID", "the file has no name", {
    hint: "name it in the query, e.g. ?name=manual.pdf",
  });
}

async function receiveForm(
  body: AsyncIterable<Uint8Array>,
  request: Request,
  receive: (body: AsyncIterable<Uint8Array>, fileName: string) => Promise<Received>,
  fileName: string | undefined,
): Promise<Received> {
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  for await (const part of multipartParts(body, boundary)) {
    if (part.fileName === undefined) continue;
    return receive(part.body, namedFile(fileName ?? part.fileName));
  }
  throw new RagctlError("REQUEST_INVALID", "the form holds no file", {
    hint: "send multipart/form-data with one part named file",
  });
}
