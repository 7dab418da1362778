import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { documents, jsonLines, openHome, record, records, skipChain, until } from "../cli/support.ts";

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("several ragctl processes in one home", { skip: skipChain }, () => {
  it("all answer at once over one Milvus server per instance, and the resident process leaves when idle", async () => {
    await using home = await openHome("milvus:\n  idleMs: 1500\nresident:\n  idleMs: 1500\n");
    await home.json(["ingest", join(documents, "policy_handbook.pdf"), "-c", "policies"]);
    await home.json(["ingest", join(documents, "shift_log.txt"), "-c", "shifts", "--instance", "private"]);
    const started = Array.from({ length: 8 }, () =>
      home.start(["search", "annual leave", "--format", "jsonl"]),
    );
    const ended = await Promise.all(started.map((one) => one.ended));
    const answers = new Set<string>();
    for (const { status, stdout, stderr } of ended) {
      assert.deepEqual([status, stderr], [0, ""]);
      const [result] = jsonLines(stdout);
      answers.add(JSON.stringify(records(result?.["hits"]).map((hit) => hit["chunk_id"])));
    }
    assert.equal(answers.size, 1);
    const status = await home.json(["status"]);
    const instances = records(status["instances"]);
    assert.deepEqual(instances.map((instance) => instance["name"]).sort(), ["private", "public"]);
    const pids = [Number(status["pid"]), ...instances.map((instance) => Number(instance["pid"]))];
    assert.ok(await until(() => pids.every((pid) => !alive(pid))), "the resident process stayed");
    assert.equal((await home.json(["status"], [3]))["running"], false);
    assert.equal(record(await home.json(["search", "annual leave"]))["query"], "annual leave");
  });

  it("survive kill -9 of the resident process between two commands", async () => {
    await using home = await openHome();
    await home.json(["ingest", join(documents, "shift_log.txt")]);
    const before = await home.json(["search", "compressor"]);
    process.kill(Number((await home.json(["status"]))["pid"]), "SIGKILL");
    const after = await home.json(["search", "compressor"]);
    assert.deepEqual(
      records(after["hits"]).map((hit) => hit["chunk_id"]),
      records(before["hits"]).map((hit) => hit["chunk_id"]),
    );
  });
});
