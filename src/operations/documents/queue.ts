import { named, ownerOnly } from "../../app/audit/attempt.ts";
import { jobStates, type QueueStatus } from "../../core/documents/queue.ts";
import { z } from "../../core/schema.ts";
import { jobSchema, jobShape, jobsShape, queueShape } from "../../shapes/documents.ts";
import { field, type Operation, operation } from "../operation.ts";
import { listed } from "../result-text.ts";
import { duration, oneLine, plural } from "../text.ts";

const tag = "Uploads and jobs";
const states = z.enum(jobStates);

const list = operation({
  name: "queue list",
  isDefault: true,
  summary: "list jobs; running and waiting ones first",
  input: {
    only: field("--state <state>", states.optional(), "only jobs in this state", { only: "command" }),
    most: field("-n, --limit <n>", z.int().min(1).default(100), "maximum number of jobs to list", {
      only: "command",
    }),
    state: field("", z.array(states).optional(), "only jobs in these states", { only: "api" }),
    limit: field("", z.int().min(1).max(1000).default(50), "maximum number of jobs to list", { only: "api" }),
  },
  document: "jobs",
  examples: ["ragctl queue list --state dead"],
  http: { route: "GET /v1/jobs", tag, summary: "List jobs", answer: "Jobs" },
  attempt: () => [{ input: { limit: 1000, most: 1000 }, own: true }],
  run: (app, { only, most, state = [], limit }, { run, surface }) =>
    surface === "route"
      ? app.background.jobs(state, limit, run)
      : app.background.jobs(only === undefined ? [] : [only], most, run),
  print: jobsShape,
  text: (jobs) =>
    listed(jobs, "no jobs; `ragctl ingest PATH --background` adds one", {
      id: ({ id }) => id.slice(0, 8),
      state: ({ state }) => state,
      priority: ({ priority }) => priority,
      attempts: ({ attempts }) => attempts,
      files: ({ progress }) => `${progress.files}/${progress.totalFiles}`,
      collection: ({ targetCollection }) => targetCollection,
      path: ({ documentPath }) => oneLine(documentPath, 60),
      error: ({ error }) => (error === null ? "" : `${error.code} ${oneLine(error.message, 60)}`),
    }),
});

const status = operation({
  name: "queue status",
  summary: "show the number of waiting jobs, the age of the oldest, the throughput and the broker's lag",
  input: {},
  document: "queue",
  examples: ["ragctl queue status"],
  attempt: () => [ownerOnly],
  run: (app, _, { run }) => app.background.queueStatus(run),
  print: queueShape,
  text: statusText,
});

/** An operation that shows a job, or what it is after a change. */
const about = (
  act: "job" | "cancelJob" | "retryJob",
  route: NonNullable<Operation["http"]>["route"],
  [word, title, summary]: readonly [word: string, title: string, summary: string],
  rest: ReturnType<Operation["attempt"]>[0],
): Operation =>
  operation({
    name: `queue ${word}`,
    summary,
    input: { job: field("<job>", z.string(), "id or unique prefix") },
    document: "jobs",
    examples: [`ragctl queue ${word} 0f8e1c2a`],
    http: { route, tag, summary: title, answer: "The job", document: jobSchema },
    attempt: ({ job }) => [{ input: { job }, ...rest }],
    run: (app, { job }, { run }) => app.background[act](job, run),
    print: (job, { surface }) => (surface === "route" ? jobShape(job) : jobsShape([job])),
    text: (job) =>
      Object.entries(jobShape(job)).map(
        ([name, value]) =>
          `${name.padEnd(18)} ${typeof value === "object" && value !== null ? JSON.stringify(value) : (value ?? "")}`,
      ),
  });

/** Queued ingests; the process that runs them is in cli/. */
export const queue: readonly Operation[] = [
  list,
  status,
  about("job", "GET /v1/jobs/{job}", ["show", "Show a job", "show one job"], { ...named, own: true }),
  about(
    "cancelJob",
    "POST /v1/jobs/{job}/cancel",
    ["cancel", "Cancel a job", "cancel a waiting or running job; documents already stored are kept"],
    ownerOnly,
  ),
  about(
    "retryJob",
    "POST /v1/jobs/{job}/retry",
    ["retry", "Run a dead or cancelled job again", "run a dead or cancelled job again"],
    ownerOnly,
  ),
];

function statusText(status: QueueStatus): string {
  const { transport, states, oldestWaitingMs, endedPerMinute, unsent, lag } = status;
  const rows: readonly (readonly [string, string])[] = [
    ["jobs", jobStates.map((state) => `${states[state]} ${state}`).join(", ")],
    ["oldest waiting", oldestWaitingMs === null ? "none" : duration(oldestWaitingMs)],
    ["rate", `${Number(endedPerMinute.toFixed(1))} per minute over the last five minutes`],
  ];
  const broker: readonly (readonly [string, string])[] = [
    ["Kafka lag", lag === null ? "the broker does not answer" : plural(lag, "message")],
    ["not sent yet", plural(unsent, "job")],
  ];
  return [...rows, ...(transport === "kafka" ? broker : [])]
    .map(([name, value]) => `${name.padEnd(16)} ${value}`)
    .join("\n");
}
