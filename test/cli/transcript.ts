import assert from "node:assert/strict";
import { z } from "../../src/core/schema.ts";
import type { Home } from "./support.ts";

/** A command with the status it ends with, and what it is given to read. */
export interface Step {
  /** Words with spaces between; `~` stands for a space within one. */
  readonly command: string;
  /** Exit status that is expected. Default 0. */
  readonly status?: number;
  readonly input?: string;
  /** Done before the command, to the files it reads. */
  readonly before?: () => Promise<void>;
}

/** What a command printed: its JSON documents without what differs from run to run. */
export interface Printed {
  readonly command: string;
  readonly status: number | null;
  readonly documents: readonly unknown[];
  readonly stderr: string;
}

/** Fails for the steps that ended with another status than is expected. */
export function assertStatuses(printed: readonly Printed[], steps: readonly Step[]): void {
  const wrong = printed.filter(({ status }, at) => status !== (steps[at]?.status ?? 0));
  assert.deepEqual(
    wrong.map(({ command, status, stderr }) => `${command}: ${status} ${stderr}`),
    [],
  );
}

/**
 * Members that differ from run to run: times, durations, sizes of memory, processes, and how many files were
 * young enough to be read again.
 */
const changing =
  /^(?:created_at|started_at|ended_at|ingested_at|queued_at|synced_at|decided_at|hashed|timestamp|at|time|worker|elapsed_s|.*_ms|.*_bytes|.*_per_second|not_before)$/;

/** Ids of documents, versions and chunks hash the file's path, so that they are compared; others are random. */
const randomIds = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

function settled(value: unknown, base: string): unknown {
  if (typeof value === "string") return value.replaceAll(base, "BASE").replaceAll(randomIds, "ID");
  if (Array.isArray(value)) return value.map((each) => settled(each, base));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, changing.test(key) ? "…" : settled(each, base)]),
  );
}

/** Runs the steps one after the other with `--format json`; words in capitals are replaced by `names`. */
export async function transcript(
  home: Home,
  steps: readonly Step[],
  names: Readonly<Record<string, string>>,
): Promise<readonly Printed[]> {
  const printed: Printed[] = [];
  for (const { command, input, before } of steps) {
    await before?.();
    const words = command
      .split(" ")
      .map((word) => word.replace(/^[A-Z]{2,}/, (name) => names[name] ?? name).replaceAll("~", " "));
    const { status, stdout, stderr } = await home.run([...words, "--format", "json"], input);
    // One document over several lines, or one a line.
    const parts = stdout.startsWith("{\n") ? [stdout] : stdout.split("\n");
    const documents = parts.filter((part) => part.trim() !== "").map((part) => JSON.parse(part) as unknown);
    const settledDocuments = documents.map((each) => settled(each, home.base));
    printed.push({ command, status, documents: settledDocuments, stderr });
  }
  return printed;
}

const found = z.object({ hits: z.array(z.object({ chunk_id: z.string() })) });
const answered = z.object({
  refused: z.boolean(),
  citations: z.array(z.object({ source_file: z.string(), page_number: z.unknown() })),
});

/**
 * What two stores must agree on. Servers cut texts into words in their own ways, so that scores by words, and
 * with them the order further down and what is quoted beside the answer, are theirs: of a search the best
 * passage counts, of an answer whether there is one and what it rests on first, of a chat and of the logs that
 * they end well. Everything else counts as it was printed.
 */
export function essence({ command, status, documents }: Printed): unknown {
  const [verb = ""] = command.split(" ");
  if (/--mode dense/.test(command))
    return { command, status, hits: documents.map((each) => found.parse(each)) };
  if (/--batch|^chat (?!list)|^logs/.test(command)) return { command, status, count: documents.length };
  if (verb === "search") return { command, status, best: documents.map((each) => found.parse(each).hits[0]) };
  if (verb === "ask") {
    const answers = documents.map((each) => answered.parse(each));
    return { command, status, answers: answers.map(({ refused, citations }) => [refused, citations[0]]) };
  }
  return { command, status, documents };
}
