import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { postgresMissing, startPostgres } from "../helpers/postgres.ts";
import { type Home, openHome, skipChain } from "./support.ts";

const notes = {
  "pump.md": "# Pumps\n\nPump P-101 runs at 125 bar. Its seal is changed every 4000 hours.\n",
  "leave.md": "# Leave\n\nEvery employee has 28 days of paid leave a year.\n",
};

/** A command with the status it ends with, and what it is given to read. */
type Step = readonly [command: string, status?: number, input?: string];

/** Run one after the other, the same on every registry. */
const steps: readonly Step[] = [
  ["agents seed"],
  ["ingest NOTES -c plant"],
  ["ingest NOTES -c plant"],
  ["list"],
  ["search pressure~of~pump~P-101 -c plant"],
  ["ask At~which~pressure~does~pump~P-101~run? -c plant"],
  ["principals add ada --department hr"],
  ["permissions deny read plant --principal ADA"],
  ["permissions list"],
  ["search leave --as Ada -c plant", 3],
  ["permissions revoke plant --denial --principal Ada"],
  ["chat --room workshop --public", 0, "At which pressure does pump P-101 run?\n"],
  ["chat history Workshop"],
  ["sync NOTES -c plant"],
  ["reembed -c plant"],
  ["ingest NOTES -c plant --background"],
  ["worker --once"],
  ["queue list"],
  ["collections"],
  ["logs --limit 2"],
  ["forget leave.md"],
  ["collections"],
];

/** Members that differ from run to run: ids made at random, times, durations, sizes of memory, folders. */
const changing =
  /^(?:id|run_id|run|created_at|started_at|ended_at|ingested_at|queued_at|synced_at|timestamp|at|time|worker|elapsed_s|.*_ms|.*_bytes|.*_per_second|not_before)$/;

/** Ids of documents, versions and chunks hash the path, which is another one in each home; others are random. */
const ids = /\b(?:[0-9a-f]{16,20}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g;

function settled(value: unknown, base: string): unknown {
  if (typeof value === "string") return value.replaceAll(base, "BASE").replaceAll(ids, "ID");
  if (Array.isArray(value)) return value.map((each) => settled(each, base));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, changing.test(key) ? "…" : settled(each, base)]),
  );
}

async function outputs(home: Home): Promise<readonly unknown[]> {
  const folder = await home.folder("notes", notes);
  const printed: unknown[] = [];
  for (const [command, expected = 0, input] of steps) {
    if (command.startsWith("sync")) await appendFile(join(folder, "pump.md"), "\nIt weighs 80 kg.\n");
    const words = command.split(" ").map((word) => word.replace("NOTES", folder).replaceAll("~", " "));
    const { status, stdout, stderr } = await home.run([...words, "--format", "json"], input);
    assert.equal(status, expected, `${command}: ${stderr}`);
    assert.ok(!`${stdout}${stderr}`.includes("secret"), command);
    const lines =
      stdout.trim().startsWith("{\n") || stdout.trim() === "" ? [stdout] : stdout.trim().split("\n");
    const documents = lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as unknown);
    printed.push([command, status, settled(documents, home.base)]);
  }
  return printed;
}

test("every command prints the same over a registry in PostgreSQL as over one in SQLite", {
  skip: skipChain || postgresMissing,
  timeout: 1_200_000,
}, async (context) => {
  const server = await startPostgres(context);
  await using sqlite = await openHome();
  await using postgres = await openHome(`registry:\n  url: ${server.address("ragctl")}\n`);
  const [expected, actual] = [await outputs(sqlite), await outputs(postgres)];
  assert.deepEqual(actual, expected);

  const doctor = await postgres.run(["doctor"]);
  assert.match(
    doctor.stdout,
    /registry: PostgreSQL \d+\.\d+ at 127\.0\.0\.1:\d+\/postgres, schema ragctl: sound/,
  );
  assert.match(doctor.stdout, /postgresql:\/\/\*\*\*@127\.0\.0\.1:\d+\/.* \(the registry\)/);
  const backup = join(postgres.base, "backup");
  await postgres.json(["backup", "create", backup]);
  const full = await postgres.run(["backup", "restore", backup, "--force"]);
  assert.match(full.stderr, /is not empty: it has rows in/);
  const restored = await sqlite.run(["backup", "restore", backup, "--force"]);
  assert.equal(restored.status, 0, restored.stderr);
});
