import { isAbsolute, normalize } from "node:path";
import { type Delivery, type Job, type JobMessage, priorities } from "../../core/documents/queue.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { z } from "../../core/schema.ts";
import type { Home } from "../home.ts";
import { deterministicUuid } from "../uuid.ts";
import { placementOf } from "./placement.ts";

/** Longest message that is read, bytes: a path and a few words. */
const longestMessage = 65_536;

/** The form of our own messages; without one it is another program's. */
const version = 1;

const shape = z.object({
  version: z.number().optional(),
  job_id: z.string().max(36).optional(),
  document_path: z
    .string()
    .min(1)
    .max(4096)
    .refine((path) => isAbsolute(path) && normalize(path) === path && !path.includes("\0"), {
      message: "must be an absolute path without . and ..",
    }),
  department: z.string().max(500).default(""),
  collection_target: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/, "is not a valid collection name")
    .default("auto"),
  processing_priority: z.enum(["low", "normal", "high"]).default("normal"),
  timestamp: z.string().max(100).default(""),
});

/** The message that wakes a worker for a job; the work itself is in the job's row. */
export function toQueueMessage(job: Job): { readonly key: string; readonly value: string } {
  const value: z.input<typeof shape> = {
    version,
    job_id: job.id,
    document_path: job.documentPath,
    department: job.department,
    collection_target: job.targetCollection,
    processing_priority: job.priority > 0 ? "high" : job.priority < 0 ? "low" : "normal",
    timestamp: job.timestamp,
  };
  return { key: job.id, value: JSON.stringify(value) };
}

/** The request in a message: a job of this registry, or an ingest for another program. */
export type ReadMessage =
  | { readonly kind: "job"; readonly id: string }
  | { readonly kind: "foreign"; readonly id: string; readonly message: JobMessage };

/**
 * Reads a message, which is input of anybody who can write to the topic. One that names a job does no more
 * than wake a worker for it. Any other becomes a job of the principal that the settings name, if that
 * principal may do just this.
 * @throws USAGE_INVALID, PERMISSION_DENIED, NOT_FOUND for what cannot become a job
 */
export async function readMessage(
  delivery: Delivery,
  home: QueueHome,
  log: Run["log"],
): Promise<ReadMessage> {
  const asked = parsed(delivery.value);
  if (asked.job_id !== undefined) return { kind: "job", id: asked.job_id };
  const run: Run = {
    id: `message ${delivery.position}`,
    principal: foreignPrincipal(home),
    signal: AbortSignal.any([]),
    log,
  };
  const { name, kind } = await home.access.principal(run);
  if (kind === "owner")
    throw new RagctlError("PERMISSION_DENIED", "messages from other programs cannot act as the owner", {
      hint: "set kafka.foreignPrincipal to a principal with folders it may ingest from",
    });
  await home.access.source(run, asked.document_path);
  const collection = asked.collection_target;
  const { instance, department } = await placementOf(collection, home);
  if (collection !== "auto") await home.access.writable(run, { name: collection, instance });
  return {
    kind: "foreign",
    id: foreignId(asked, delivery),
    message: {
      documentPath: asked.document_path,
      department: asked.department === "" ? department : asked.department,
      targetCollection: collection,
      instance,
      principal: name,
      priority: priorities[asked.processing_priority],
      timestamp: new Date(await home.registry.now()).toISOString(),
    },
  };
}

type QueueHome = Pick<Home, "access" | "settings" | "registry"> & Parameters<typeof placementOf>[1];

function foreignPrincipal({ settings }: QueueHome): string {
  const { foreignPrincipal: name } = settings.kafka;
  if (name !== "") return name;
  throw new RagctlError(
    "PERMISSION_DENIED",
    "it names no ragctl job, and no principal is set for other programs",
    {
      hint: "set kafka.foreignPrincipal to the principal that ingests their messages",
    },
  );
}

function parsed(value: Buffer): z.output<typeof shape> {
  if (value.length > longestMessage)
    throw new RagctlError("USAGE_INVALID", `the message is longer than ${longestMessage} bytes`);
  let data: unknown;
  try {
    data = JSON.parse(value.toString("utf8"));
  } catch (cause) {
    throw new RagctlError("USAGE_INVALID", "the message is not JSON", { cause });
  }
  const result = shape.safeParse(data);
  if (!result.success) {
    const [issue] = result.error.issues;
    const where = issue?.path.join(".") ?? "";
    throw new RagctlError(
      "USAGE_INVALID",
      `the message is not a job: ${where === "" ? "" : `${where}: `}${issue?.message}`,
    );
  }
  const { version: given } = result.data;
  if (given !== undefined && given !== version)
    throw new RagctlError(
      "USAGE_INVALID",
      `the message has version ${given}, but this ragctl reads ${version}`,
    );
  return result.data;
}

/**
 * Equal for a message that is sent or delivered again, so that it becomes one job. A message without a
 * timestamp is identified by its position in the topic.
 */
function foreignId(asked: z.output<typeof shape>, { position }: Delivery): string {
  const { document_path, department, collection_target, timestamp } = asked;
  const identity = [document_path, department, collection_target, timestamp === "" ? position : timestamp];
  return deterministicUuid(JSON.stringify(identity));
}
