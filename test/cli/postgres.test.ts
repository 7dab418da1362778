import assert from "node:assert/strict";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { postgresMissing, startPostgres } from "../helpers/postgres.ts";
import { temporaryFolder } from "../registry/support.ts";
import { type Home, openHome, skipChain } from "./support.ts";
import { assertStatuses, type Printed, type Step, transcript } from "./transcript.ts";

const texts = {
  "pump.md": "# Pumps\n\nPump P-101 runs at 125 bar. Its seal is changed every 4000 hours.\n",
  "leave.md": "# Leave\n\nEvery employee has 28 days of paid leave a year.\n",
};

/** Run one after the other, the same on every registry; `notes` is the folder that is written before. */
const stepsIn = (notes: string): readonly Step[] => [
  { command: "agents seed" },
  { command: "ingest NOTES -c plant" },
  { command: "ingest NOTES -c plant" },
  { command: "list" },
  { command: "search pressure~of~pump~P-101 -c plant" },
  { command: "ask At~which~pressure~does~pump~P-101~run? -c plant" },
  { command: "principals add ada --department hr" },
  { command: "permissions deny read plant --principal ADA" },
  { command: "permissions list" },
  { command: "search leave --as Ada -c plant", status: 3 },
  { command: "permissions revoke plant --denial --principal Ada" },
  { command: "chat --room workshop --public", input: "At which pressure does pump P-101 run?\n" },
  { command: "chat history Workshop" },
  {
    command: "sync NOTES -c plant",
    before: () => appendFile(join(notes, "pump.md"), "\nIt weighs 80 kg.\n"),
  },
  { command: "reembed -c plant" },
  { command: "ingest NOTES -c plant --background" },
  { command: "worker --once" },
  { command: "queue list" },
  { command: "collections" },
  { command: "logs --limit 2" },
  { command: "forget leave.md --yes" },
  { command: "collections" },
];

async function printed(home: Home, folder: string): Promise<readonly Omit<Printed, "stderr">[]> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  const steps = stepsIn(folder);
  const results = await transcript(home, steps, { NOTES: folder });
  assertStatuses(results, steps);
  assert.ok(!JSON.stringify(results).includes("secret"));
  return results.map(({ stderr: _, ...rest }) => rest);
}

test("every command prints the same over a registry in PostgreSQL as over one in SQLite", {
  skip: skipChain || postgresMissing,
  timeout: 1_200_000,
}, async (context) => {
  const server = await startPostgres(context);
  await using sqlite = await openHome();
  await using postgres = await openHome(`registry:\n  url: ${server.address("ragctl")}\n`);
  // The same folder: ids of documents come from their paths.
  const folder = join(temporaryFolder(context), "notes");
  const [expected, actual] = [await printed(sqlite, folder), await printed(postgres, folder)];
  assert.deepEqual(actual, expected);

  const doctor = await postgres.run(["doctor"]);
  assert.match(
    doctor.stdout,
    /registry: PostgreSQL \d+\.\d+ at 127\.0\.0\.1:\d+\/postgres, schema ragctl: intact/,
  );
  assert.match(doctor.stdout, /postgresql:\/\/\*\*\*@127\.0\.0\.1:\d+\/.* \(the registry\)/);
  const backup = join(postgres.base, "backup");
  await postgres.json(["backup", "create", backup]);
  const full = await postgres.run(["backup", "restore", backup, "--force"]);
  assert.match(full.stderr, /is not empty: it has rows in/);
  const restored = await sqlite.run(["backup", "restore", backup, "--force"]);
  assert.equal(restored.status, 0, restored.stderr);
});
