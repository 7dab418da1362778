import { setTimeout as sleep } from "node:timers/promises";
import { type Job, priorities } from "../../core/documents/queue.ts";
import { z } from "../../core/schema.ts";
import { name } from "../../operations/fields.ts";
import { documentNamed } from "../../operations/json-schemas.ts";
import { jobSchema, jobShape, jobsShape } from "../../shapes/documents.ts";
import { type Call, type Endpoint, endpoint, type Untagged, withTag } from "../define-route.ts";
import { acceptUpload } from "../files/accept.ts";
import { json } from "../reply.ts";
import { uploadResponse, uploadShape } from "../shapes.ts";
import { streamResponse } from "../stream/answers.ts";
import type { ServerEvent } from "../stream/events.ts";

/** Name of a collection. */
export const collectionName = z
  .string()
  .regex(/^(?:[a-z][a-z0-9_]{0,62})$/, "is not a valid collection name");

const jobEvents = {
  progress: jobSchema.describe("The job after each change."),
  end: jobSchema.describe("The finished job; the last event."),
  error: documentNamed("error"),
};

/** How often a job is looked at, ms. */
const lookMs = 250;

const hasEnded = ({ state }: Job): boolean => state === "done" || state === "dead" || state === "cancelled";

/** Equal for equal states of a job, so that a returning client gets only what it has not seen. */
const markOf = ({ state, attempts, progress }: Job): string =>
  [state, attempts, progress.files, progress.pages, progress.chunks, progress.failed].join("-");

/** The progress of a job after the state that the client has seen, whichever process works on it. */
export async function* jobProgress(
  reference: string,
  { server, run, request }: Pick<Call, "server" | "run" | "request">,
): AsyncGenerator<Job> {
  let seen = request.headers.get("last-event-id");
  for (;;) {
    const job = await server.app.background.job(reference, run);
    if (hasEnded(job) || markOf(job) !== seen) yield job;
    if (hasEnded(job)) return;
    seen = markOf(job);
    await sleep(lookMs, undefined, { signal: run.signal });
  }
}

const jobEvent = (job: Job): ServerEvent => ({
  name: hasEnded(job) ? "end" : "progress",
  data: jobShape(job),
  id: markOf(job),
});

const uploads: readonly Untagged[] = [
  endpoint(
    "POST /v1/documents",
    "Upload a file as the body, or up to 100 files as multipart/form-data; a job ingests each file",
    {
      query: z.strictObject({
        name: name
          .describe("Name of the file if it is sent as the body; a form contains the names.")
          .optional(),
        collection: collectionName.describe("Default: the setting ingest.collection.").optional(),
        department: name.optional(),
      }),
      upload: ["application/octet-stream", "multipart/form-data"],
      answers: {
        202: { description: "The files are stored and their jobs are queued", schema: uploadResponse },
      },
    },
    async ({ query: { name: fileName, collection, department } }, call) => {
      const { accepted, failed } = await acceptUpload(
        {
          collection,
          ...(fileName === undefined ? {} : { fileName }),
          ...(department === undefined ? {} : { department }),
        },
        call,
      );
      const uploads = accepted.map((each) => ({ ...each, jobId: each.job.id }));
      const [first] = accepted;
      return json(uploadShape({ ...first, jobId: first.job.id, uploads, failed }), 202);
    },
  ),
  endpoint(
    "POST /v1/jobs",
    "Queue files that are already on the server; one job per path",
    {
      body: z.strictObject({
        paths: z.array(z.string().min(1).max(4096)).min(1).max(1000),
        collection: z.union([collectionName, z.literal("auto")]).default("auto"),
        department: z.string().max(500).optional(),
        priority: z
          .union([z.int().min(-1000).max(1000), z.enum(["low", "normal", "high"])])
          .default("normal"),
      }),
      answers: { 202: { description: "The jobs", schema: documentNamed("jobs") } },
    },
    async ({ body: { department, priority, ...rest } }, { server, run }) => {
      const place = await server.app.placement(rest.collection);
      const request = {
        ...rest,
        instance: place.instance,
        department: department ?? place.department,
        priority: typeof priority === "number" ? priority : priorities[priority],
      };
      return json(jobsShape(await server.app.background.enqueue(request, run)), 202);
    },
  ),
];

/** Uploads and their jobs. */
export const jobs: readonly Endpoint[] = withTag("Uploads and jobs", [
  ...uploads,
  endpoint(
    "GET /v1/jobs/{job}/events",
    "Stream the progress of a job; Last-Event-ID resumes",
    { answers: { 200: { description: "The job after each change", events: jobEvents } } },
    ({ params }, call) => streamResponse(jobProgress(params["job"] ?? "", call), call, jobEvent),
  ),
]);
