import type { Answer } from "../../core/answers/answer.ts";
import type { Job } from "../../core/documents/queue.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { askFields, askOptions } from "../../operations/answers/ask.ts";
import { question } from "../../operations/answers/search.ts";
import { name } from "../../operations/fields.ts";
import { documentNamed } from "../../operations/json-schemas.ts";
import { inputSchema } from "../../operations/operation.ts";
import { askShape } from "../../shapes/answer.ts";
import type { ReembedReport } from "../../shapes/documents.ts";
import { jobSchema, jobShape, reembedSchema, reembedShape } from "../../shapes/documents.ts";
import { searchShape } from "../../shapes/search.ts";
import { type Call, type Endpoint, endpoint, type Untagged, withTag } from "../define-route.ts";
import { acceptUpload } from "../files/accept.ts";
import { json } from "../reply.ts";
import { failedPart } from "../shapes.ts";
import { getFinalAnswer, streamResponse } from "../stream/answers.ts";
import type { ServerEvent } from "../stream/events.ts";
import { answerDescription, keepAliveJson } from "../stream/keep-alive.ts";
import { collectionName, jobProgress } from "./jobs.ts";
import { agentEvent, createAgentEventMapper, describeRouting } from "./walk.ts";

const citation = z.looseObject({ source_file: z.string(), page_number: z.int().nullable() });
const queued = { 202: { description: "The job", schema: z.object({ jobId: z.string() }) } };
const collection = collectionName.describe("Default: the setting ingest.collection.").optional();
const path = z.string().min(1).max(4096);

const jobId = (job: Pick<Job, "id">): Response => json({ jobId: job.id }, 202);

/** Queues a file that is already on the server. */
async function enqueue(file: string, target: string | undefined, { server, run }: Call): Promise<Response> {
  const request = { paths: [file], ...(await server.app.placement(target)), priority: 0 };
  const [job] = await server.app.background.enqueue(request, run);
  if (job === undefined) throw new TypeError("a path makes a job");
  return jobId(job);
}

/** @throws REQUEST_INVALID where there is none */
function configuredFolder({ server: { settings } }: Call): string {
  const { folder } = settings.ingest;
  if (folder !== "") return folder;
  throw new RagctlError("REQUEST_INVALID", "the request contains no path, and ingest.folder is not set", {
    hint: 'send {"path": …}, or run `ragctl config set ingest.folder FOLDER` and restart the server',
  });
}

const { shape: filters } = inputSchema(askFields, ["agent", "grounded", "budget"]);
type Filters = Parameters<typeof askOptions>[0];

/** A question as the app takes it. */
const asked = (query: string, given: Filters, { server }: Call) => ({
  query,
  ...askOptions(given, server.settings.retrieve.topK),
});

async function* finalEvents(query: string, given: Filters, call: Call): AsyncGenerator<ServerEvent> {
  const agentData = createAgentEventMapper();
  for await (const event of call.server.app.ask(asked(query, given, call), call.run)) {
    if (event.type === "node-end") yield { name: "agent", data: agentData(event.event) };
    if (event.type === "answer-end") yield { name: "final", data: finalShape(event.answer) };
  }
}

function finalShape(answer: Answer) {
  const { response, citations } = askShape(answer);
  return { answer: response, citations };
}

const queries: readonly Untagged[] = [
  endpoint(
    "POST /query",
    "Answer a question",
    {
      body: z.strictObject({ query: question, ...filters }),
      answers: {
        200: {
          description: answerDescription,
          schema: z.object({
            query: z.string(),
            intent: z.string(),
            response: z.string(),
            citations: z.array(citation),
            reasoning: z.string().describe("Why it has this intent."),
            sub_queries: z.array(z.string()).describe("The parts of a compound question."),
          }),
        },
      },
    },
    async ({ body: { query, ...rest } }, call) => {
      const shaped = async () => {
        const answer = await getFinalAnswer(call.server.app.ask(asked(query, rest, call), call.run), call);
        const { intent, response, citations } = askShape(answer);
        return { query, intent, response, citations, ...describeRouting(answer) };
      };
      return keepAliveJson(shaped(), call);
    },
  ),
  endpoint(
    "GET /api/chat/stream",
    "Answer a question as events: one agent event per step, then final",
    {
      query: z.strictObject({ question, ...filters }),
      answers: {
        200: {
          description: "Events",
          events: {
            agent: agentEvent,
            final: z.object({ answer: z.string(), citations: z.array(citation) }),
            error: documentNamed("error"),
          },
        },
      },
    },
    ({ query: { question: query, ...rest } }, call) =>
      streamResponse(finalEvents(query, rest, call), call, (event: ServerEvent) => event),
  ),
];

const reembedded = z.object({
  reembeds: z.array(reembedSchema),
  failed: z.array(z.object({ collection: z.string(), code: z.string(), message: z.string() })),
});

/**
 * Re-embeds collections one after the other; a failure is reported and the others continue. @throws the first
 * error where none succeeded, e.g. for a missing model
 */
async function reembed(
  { scope, model, collections }: { scope: "latest" | "all"; model?: string; collections: readonly string[] },
  { server, run }: Call,
): Promise<Response> {
  // Without a collection nothing else would notice.
  if (model !== undefined && collections.length === 0) await server.app.background.checkModel(model);
  const reports: ReembedReport[] = [];
  const failures: (readonly [collection: string, error: RagctlError])[] = [];
  for (const each of collections) {
    const request = { collection: each, scope, ...(model === undefined ? {} : { model }) };
    try {
      for await (const event of server.app.background.reembed(request, run))
        if (event.type === "reembed-end") reports.push(event.report);
    } catch (thrown) {
      run.signal.throwIfAborted();
      failures.push([each, asRagctlError(thrown)]);
    }
  }
  if (failures[0] !== undefined && reports.length === 0) throw failures[0][1];
  const failed = failures.map(([each, { code, message }]) => ({ collection: each, code, message }));
  return json({ reembeds: reports.map(reembedShape), failed });
}

const uploaded = z.object({
  jobId: z.string(),
  jobs: z.array(z.object({ name: z.string(), jobId: z.string() })),
  failed: z.array(failedPart),
});

const ingests: readonly Untagged[] = [
  endpoint(
    "POST /ingest",
    "Queue a file that is already on the server",
    { body: z.strictObject({ file_path: path, collection }), answers: queued },
    ({ body }, call) => enqueue(body.file_path, body.collection, call),
  ),
  endpoint(
    "POST /api/documents/ingest",
    "Queue a folder that is already on the server; without a path, the one in ingest.folder",
    { body: z.strictObject({ path: path.optional(), collection }).prefault({}), answers: queued },
    ({ body }, call) => enqueue(body.path ?? configuredFolder(call), body.collection, call),
  ),
  endpoint(
    "POST /api/ingest/file",
    "Upload files as multipart/form-data; jobId is the job of the first",
    {
      query: z.strictObject({ collection }),
      upload: ["multipart/form-data"],
      answers: { 202: { description: "The jobs, and the files that were not accepted", schema: uploaded } },
    },
    async ({ query }, call) => {
      const { accepted, failed } = await acceptUpload(query, call);
      const jobs = accepted.map(({ name, job }) => ({ name, jobId: job.id }));
      return json({ jobId: accepted[0].job.id, jobs, failed }, 202);
    },
  ),
  endpoint(
    "GET /api/ingest/progress",
    "Stream the progress of a job as events",
    {
      query: z.strictObject({ jobId: name }),
      answers: { 200: { description: "Events", events: { progress: jobSchema } } },
    },
    ({ query }, call) =>
      streamResponse(jobProgress(query.jobId, call), call, (job) => ({
        name: "progress",
        data: jobShape(job),
      })),
  ),
  endpoint(
    "POST /api/ingest/reembed",
    "Re-embed one collection, or all",
    {
      body: z.strictObject({
        scope: z.enum(["latest", "all"]).default("latest"),
        model: name.optional(),
        collection: collectionName.optional(),
      }),
      answers: { 200: { description: "The report", schema: reembedded } },
    },
    async ({ body: { collection: one, model, scope } }, call) => {
      const all = one === undefined ? await call.server.app.collections(call.run) : [{ name: one }];
      const collections = all.map((each) => each.name);
      return reembed({ scope, collections, ...(model === undefined ? {} : { model }) }, call);
    },
  ),
];

const searches: readonly Untagged[] = [
  endpoint(
    "GET /api/documents/search",
    "Find the passages that best match a question",
    {
      query: z.strictObject({ query: question, ...filters }),
      answers: { 200: { description: "Passages", schema: documentNamed("search") } },
    },
    async ({ query: { query, ...rest } }, call) => {
      const request = { mode: "hybrid", ...asked(query, rest, call) } as const;
      return json(searchShape(await call.server.app.search(request, call.run)));
    },
  ),
  endpoint(
    "GET /api/documents/stats",
    "Count what you can read",
    {
      answers: {
        200: {
          description: "Counts",
          schema: z.object({
            collections: z.int().min(0),
            documents: z.int().min(0),
            chunks: z.int().min(0),
          }),
        },
      },
    },
    async (_, { server, run }) => {
      const collections = await server.app.collections(run);
      const sum = (member: "documents" | "chunks"): number =>
        collections.reduce((total, each) => total + each[member], 0);
      return json({ collections: collections.length, documents: sum("documents"), chunks: sum("chunks") });
    },
  ),
];

/** Short routes for scripts: one question, one file, one search. */
export const shortRoutes: readonly Endpoint[] = withTag("Short routes", [
  ...queries,
  ...ingests,
  ...searches,
]);
