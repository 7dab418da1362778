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

/** Commands, each with the statuses it may end with; run one after the other, the same on every registry. */
const steps: readonly (readonly [command: string, statuses?: readonly number[]])[] = [
  ["agents seed"],
  ["ingest NOTES -c plant"],
  ["ingest NOTES -c plant"],
  ["list"],
  ["search pressure~of~pump~P-101 -c plant"],
  ["ask How~many~days~of~paid~leave~has~an~employee? -c plant", [0, 5, 6]],
  ["principals add ada --department hr"],
  ["permissions deny read plant --principal ADA"],
  ["permissions list"],
  ["search leave --as Ada -c plant", [3, 4]],
  ["permissions remove --principal ada --collection plant", [0, 2, 3]],
  ["chat rooms add workshop", [0, 2]],
  ["sync NOTES -c plant"],
  ["reembed -c plant"],
  ["queue add NOTES -c plant", [0, 2]],
  ["worker --once", [0, 2]],
  ["queue list"],
  ["collections"],
  ["logs --limit 2"],
  ["forget leave.md"],
  ["collections"],
];

/** Members that differ from run to run: ids made at random, times, durations, sizes of memory, folders. */
const changing =
  /^(?:id|run_id|run|created_at|started_at|ended_at|ingested_at|queued_at|synced_at|timestamp|at|time|worker|elapsed_s|.*_ms|.*_bytes|.*_per_second|not_before)$/;

/** Ids of documents, versions and chunks hash the path, which is another one in each home. */
const idOfPath = /\b[0-9a-f]{16,20}\b/g;

function settled(value: unknown, base: string): unknown {
  if (typeof value === "string") return value.replaceAll(base, "BASE").replaceAll(idOfPath, "ID");
  if (Array.isArray(value)) return value.map((each) => settled(each, base));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, changing.test(key) ? "…" : settled(each, base)]),
  );
}

async function outputs(home: Home): Promise<readonly unknown[]> {
  const folder = await home.folder("notes", notes);
  const printed: unknown[] = [];
  for (const [command, statuses = [0]] of steps) {
    if (command.startsWith("sync")) await appendFile(join(folder, "pump.md"), "\nIt weighs 80 kg.\n");
    const words = command.split(" ").map((word) => word.replace("NOTES", folder).replaceAll("~", " "));
    const { status, stdout, stderr } = await home.run([...words, "--format", "json"]);
    assert.ok(statuses.includes(status ?? -1), `${command} ended with ${status}: ${stderr}`);
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
