import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachReporting } from "../../../src/cli/shell/each.ts";
import type { Session } from "../../../src/cli/shell/session.ts";
import { asRagctlError, RagctlError } from "../../../src/core/errors.ts";

function session(signal = new AbortController().signal) {
  const told: string[] = [];
  const statuses: number[] = [];
  const output = {
    note: (message: string) => void told.push(message),
    error(thrown: unknown) {
      const error = asRagctlError(thrown);
      told.push(error.code);
      return error;
    },
  };
  // Only what `forEachReporting` uses of a session.
  const fake = {
    output,
    run: { signal },
    exit: (status: number) => void statuses.push(status),
  } as unknown as Session;
  return { told, statuses, fake };
}

const work = async (name: string): Promise<string> => {
  if (name === "down") throw new RagctlError("STORE_UNAVAILABLE", "it is down");
  if (name === "busy") throw new RagctlError("STORE_BUSY", "it is busy");
  return name.toUpperCase();
};
const itself = (name: string): string => name;

test("one of several that fails is named with its error, and the others are done; the status is the first failure's", async () => {
  const { told, statuses, fake } = session();
  assert.deepEqual(await forEachReporting(["a", "busy", "b", "down"], itself, work, fake), ["A", "B"]);
  assert.deepEqual(told, ["busy skipped:", "STORE_BUSY", "down skipped:", "STORE_UNAVAILABLE"]);
  assert.deepEqual(statuses, [8]);
});

test("a single one fails as a command does, and an interruption ends them all", async () => {
  await assert.rejects(forEachReporting(["down"], itself, work, session().fake), /it is down/);
  const { told, fake } = session(AbortSignal.abort(new Error("stopped")));
  await assert.rejects(forEachReporting(["down", "a"], itself, work, fake), /it is down/);
  assert.deepEqual(told, []);
});
