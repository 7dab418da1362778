import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { matchAllFilter } from "../../src/core/retrieval.ts";
import open from "../../src/drivers/stores/milvus.ts";
import { type Home, openHome, record, records, skipChain } from "../cli/support.ts";

const kills = Number(process.env["RAGCTL_KILLS"] ?? 6);
const fileCount = 30;
const files = Object.fromEntries(
  Array.from({ length: fileCount }, (_, i) => [
    `note${String(i).padStart(2, "0")}.md`,
    `# Note ${i}\n\n${Array.from({ length: 12 + (i % 7) }, (_, line) => `Valve ${i * 31 + line} opens at ${line + 3} bar and is checked by crew ${i}.`).join("\n\n")}\n`,
  ]),
);

/** The registry's documents as "name hash chunks", in order. */
async function contents(home: Home): Promise<readonly string[]> {
  const { documents } = await home.json(["list"]);
  return records(documents)
    .map((document) => `${document["name"]} ${document["sha256"]} ${document["chunks"]}`)
    .sort();
}

/**
 * Everything the vector store really holds, visible or not, as "source ordinal hash": a leftover or a double
 * shows here.
 */
async function stored(home: Home): Promise<readonly string[]> {
  await home.json(["search", "valve"]); // makes sure that the store's server runs
  const [instance] = records((await home.json(["status"]))["instances"]);
  await using store = open({ id: "public", uri: String(instance?.["uri"]), indexKind: "flat" });
  const chunks = await Array.fromAsync(store.list("general_knowledge", matchAllFilter));
  return chunks.map((chunk) => `${chunk.sourceName} ${chunk.ordinal} ${chunk.contentHash}`).sort();
}

/** More documents than are stored at once. */
const manyShort = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [
    `note${String(at).padStart(3, "0")}.md`,
    `Valve ${at} is closed at ${at} bar.`,
  ]),
);

/**
 * In a process of its own, which loads everything each time: what is killed then is the ingest, and it takes
 * about as long as the one before.
 */
const alone = (folder: string): readonly string[] => ["ingest", folder, "--no-resident"];

/**
 * The result of a command, run again while it is told that something is busy: the process that a killed one
 * had started ends a moment after it, and may be removing what was forgotten.
 */
async function whenFree(home: Home, args: readonly string[]): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < 20; tries += 1) {
    const { status, stdout, stderr } = await home.run([...args, "--format", "json"]);
    if (status !== 8) {
      assert.equal(status, 0, stderr);
      return record(JSON.parse(stdout));
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`${args.join(" ")} is busy for good`);
}

describe("an ingest that is killed", { skip: skipChain }, () => {
  let undisturbed: {
    readonly contents: readonly string[];
    readonly chunks: readonly string[];
    readonly ms: number;
  };

  before(async () => {
    await using home = await openHome();
    const folder = await home.folder("notes", files);
    const since = performance.now();
    await home.json(alone(folder));
    const ms = performance.now() - since;
    undisturbed = { contents: await contents(home), chunks: await stored(home), ms };
    assert.equal(undisturbed.contents.length, fileCount);
  });

  it(`ends, after ${kills} times kill -9 at random moments and one clean run, as if nothing had happened`, async (context) => {
    await using home = await openHome();
    const folder = await home.folder("notes", files);
    let struck = 0;
    for (let round = 0; round < kills; round++) {
      const { child, ended } = home.start(alone(folder));
      const timer = setTimeout(() => child.kill("SIGKILL"), Math.random() * undisturbed.ms);
      const { signal, status, stderr } = await ended;
      clearTimeout(timer);
      if (signal === "SIGKILL") struck += 1;
      else assert.equal(status, 0, stderr);
      // A run that came to its end leaves nothing to do: forget half, so that the next has work again.
      if (status === 0) await home.run(["forget", ...Object.keys(files).slice(0, fileCount / 2), "--yes"]);
    }
    context.diagnostic(`${struck} of ${kills} runs were killed before they ended`);
    const counts = record((await whenFree(home, ["ingest", folder]))["counts"]);
    assert.equal(
      Number(counts["added"]) + Number(counts["unchanged"]) + Number(counts["updated"]),
      fileCount,
    );
    assert.deepEqual(await contents(home), undisturbed.contents);
    assert.deepEqual(await stored(home), undisturbed.chunks);
    assert.equal(record((await home.json(["ingest", folder]))["counts"])["unchanged"], fileCount);
  });

  it("ends with status 130 on SIGINT and is finished by the next run", async () => {
    await using home = await openHome();
    const folder = await home.folder("notes", manyShort);
    const { child, ended } = home.start(alone(folder));
    // With the first documents that are stored, however fast the machine is; more are to come.
    child.stdout?.once("data", () => child.kill("SIGINT"));
    const { status, stdout, stderr } = await ended;
    assert.equal(status, 130, stderr);
    assert.match(stdout, /^(?:added +note\d+\.md: 1 chunk\n)*$/, "there is no report");
    assert.match(stderr, /stopping/);
    await home.json(["ingest", folder]);
    assert.equal((await contents(home)).length, Object.keys(manyShort).length);
  });
});

describe("the chunks of one document", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
  });
  after(() => home[Symbol.asyncDispose]());

  it("are found once even when two runs ingest the same folder at the same time", async () => {
    const folder = await home.folder("notes", Object.fromEntries(Object.entries(files).slice(0, 8)));
    const runs = await Promise.all([home.run(["ingest", folder]), home.run(["ingest", folder])]);
    assert.ok(
      runs.every(({ status }) => status === 0 || status === 1 || status === 8),
      JSON.stringify(runs),
    );
    await home.json(["ingest", folder]);
    const { documents } = await home.json(["list"]);
    assert.equal(records(documents).length, 8);
    const hits = records((await home.json(["search", "valve opens", "--top-k", "50"]))["hits"]).map(
      (hit) => hit["chunk_id"],
    );
    assert.equal(new Set(hits).size, hits.length);
  });
});
