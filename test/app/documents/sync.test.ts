import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { matchAllFilter } from "../../../src/core/retrieval.ts";
import open from "../../../src/drivers/stores/milvus.ts";
import {
  assertFits,
  builtCommand,
  type Home,
  jsonLines,
  openHome,
  record,
  records,
  skipChain,
  start,
  until,
} from "../../cli/support.ts";

const kills = Number(process.env["RAGCTL_KILLS"] ?? 4);
const textOf = (file: number, revision = 0): string =>
  `# Station ${file}\n\nValve ${file * 7} of station ${file} opens at ${file + 3} bar. Revision ${revision}.\n`;

/** In a process of its own, to be killed. */
const begin = (home: Home, parameters: readonly string[]) =>
  start(home.path, home.base, [...builtCommand, ...parameters, "--format", "json"]);
async function json(home: Home, parameters: readonly string[], status = 0): Promise<Record<string, unknown>> {
  const ended = await home.run([...parameters, "--format", "json"]);
  assert.equal(ended.status, status, `${parameters.join(" ")}: ${ended.stderr}`);
  return record(JSON.parse(ended.stdout));
}
const visible = async (home: Home) =>
  records((await json(home, ["list"]))["documents"])
    .map((document) => `${document["name"]} ${document["sha256"]} ${document["chunks"]}`)
    .sort();
async function stored(home: Home): Promise<readonly string[]> {
  assertFits("prune", await json(home, ["prune", "--keep", "0"]));
  await json(home, ["search", "valve"]);
  const [instance] = records((await json(home, ["status"]))["instances"]);
  await using store = open({ id: "public", uri: String(instance?.["uri"]), indexKind: "flat" });
  return (await Array.fromAsync(store.list("stations", matchAllFilter))).map((chunk) => chunk.text).sort();
}

describe("a folder that is kept in step", { skip: skipChain }, () => {
  let home: Home;
  let folder: string;
  before(async () => {
    home = await openHome();
    folder = await home.folder(
      "stations",
      Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`s${at}.md`, textOf(at)])),
    );
  });
  after(() => home[Symbol.asyncDispose]());
  const sync = (...more: readonly string[]) => json(home, ["sync", folder, "-c", "stations", ...more]);
  const sums = (report: Record<string, unknown>) => {
    const { added, updated, moved, deleted, unchanged, failed } = record(report["counts"]);
    return [added, updated, moved, deleted, unchanged, failed];
  };

  it("is taken whole, then only what changed is done, and a dry run says the same and does nothing", async () => {
    const first = await sync();
    assertFits("sync", first);
    assert.deepEqual(sums(first), [12, 0, 0, 0, 0, 0]);
    const ids = new Map(
      records((await json(home, ["list"]))["documents"]).map((document) => [
        document["name"],
        document["id"],
      ]),
    );
    await writeFile(join(folder, "s0.md"), textOf(0, 1));
    await mkdir(join(folder, "sub"));
    await rename(join(folder, "s1.md"), join(folder, "sub/s1.md"));
    await rm(join(folder, "s2.md"));
    await writeFile(join(folder, "copy.md"), textOf(3));
    await writeFile(join(folder, "data.bin"), Uint8Array.of(0, 1, 2, 3));
    const dry = await sync("--dry-run");
    const skippedIn = (report: Record<string, unknown>) =>
      records(report["files"]).flatMap(({ name, state, reason }) =>
        name === "data.bin" ? [[state, String(reason).includes("parse.loaders")]] : [],
      );
    assert.deepEqual(skippedIn(dry), [["skipped", true]]);
    assert.deepEqual(sums(dry), [1, 1, 1, 1, 9, 0]);
    assert.equal((await visible(home)).length, 12);
    assert.deepEqual(sums(await sync()), [1, 1, 1, 1, 9, 0]);
    const now = new Map(
      records((await json(home, ["list"]))["documents"]).map((document) => [
        document["name"],
        document["id"],
      ]),
    );
    assert.equal(now.get("sub/s1.md"), ids.get("s1.md"));
    assert.equal(now.has("s2.md"), false);
    const hit = records((await json(home, ["search", "valve 7 of station 1", "-k", "1"]))["hits"])[0];
    assert.equal(hit?.["source_file"], "sub/s1.md");
    const all = await json(home, ["sync"]);
    assertFits("syncs", all);
    assert.deepEqual(records(all["syncs"]).map(sums), [[0, 0, 0, 0, 12, 0]]);
    assertFits("sources", await json(home, ["sources"]));
  });

  it("lists a copy under each path, keeps it when one path goes, and reports it", async () => {
    const report = await json(home, ["duplicates"]);
    assertFits("duplicates", report);
    assert.equal(records(report["exact"]).length, 1);
    await json(home, ["forget", "s3.md", "--yes"]);
    const hit = records((await json(home, ["search", "valve 21 of station 3", "-k", "1"]))["hits"])[0];
    assert.equal(hit?.["source_file"], "copy.md");
  });

  it("shows, compares and restores versions; a replaced one is found only when asked for", async () => {
    const history = await json(home, ["history", "s0.md"]);
    assertFits("history", history);
    assert.deepEqual(
      records(history["versions"]).map((version) => [
        version["version"],
        version["is_latest"],
        version["kept"],
      ]),
      [
        [2, true, true],
        [1, false, true],
      ],
    );
    const diff = await json(home, ["diff", "s0.md"]);
    assertFits("diff", diff);
    assert.match(String(diff["patch"]), /\+.*Revision 1/);
    const texts = async (...more: readonly string[]) =>
      records((await json(home, ["search", "station 0 revision", "-k", "20", ...more]))["hits"]).map(
        (found) => String(found["text"]),
      );
    assert.ok(
      !(await texts()).some((text) => text.includes("station 0 opens") && text.includes("Revision 0")),
    );
    assert.ok(
      (await texts("--all-versions")).some(
        (text) => text.includes("station 0 opens") && text.includes("Revision 0"),
      ),
    );
    await json(home, ["restore", "s0.md", "1"]);
    assert.ok(
      (await texts()).some((text) => text.includes("station 0 opens") && text.includes("Revision 0")),
    );
    assert.deepEqual(sums(await sync())[1], 0, "what was restored stays");
  });

  it("is never emptied because its folder is not mounted", async () => {
    const away = `${folder}-away`;
    await rename(folder, away);
    assert.match((await begin(home, ["sync", folder, "-c", "stations"]).ended).stderr, /SOURCE_MISSING/);
    await mkdir(folder);
    assert.match((await begin(home, ["sync", folder, "-c", "stations"]).ended).stderr, /--allow-empty/);
    await rm(folder, { recursive: true });
    await rename(away, folder);
    const narrowed = await begin(home, ["sync", folder, "-c", "stations", "--include", "nothing*"]).ended;
    assert.match(narrowed.stderr, /no file in .* matches --include nothing\*[\s\S]*correct the patterns/);
  });

  it("is watched: changes are taken as they come, and Ctrl-C ends it cleanly", async (context) => {
    const { child, ended } = start(home.path, home.base, [
      ...builtCommand,
      "watch",
      folder,
      "--format",
      "jsonl",
    ]);
    context.after(() => child.kill("SIGKILL"));
    let output = "";
    child.stdout?.on("data", (text: string) => {
      output += text;
    });
    assert.ok(await until(() => output.includes('"sync-end"')), output);
    const told = async (mark: string): Promise<number> => {
      const since = performance.now();
      assert.ok(await until(() => output.includes(mark)), output);
      return performance.now() - since;
    };
    await appendFile(join(folder, "s5.md"), "\nA first change opens the model.\n");
    context.diagnostic(`first change ${Math.round(await told('"updated","from":""'))} ms`);
    await writeFile(join(folder, "s99.md"), textOf(99));
    const ms = await told("s99.md");
    context.diagnostic(`second change ${Math.round(ms)} ms`);
    const failures = () => output.split('"code":"SOURCE_EMPTY"').length - 1;
    await writeFile(join(folder, "s98.md"), "");
    assert.ok(await until(() => failures() === 1), output);
    await writeFile(join(folder, "s98.md"), textOf(98));
    await told('"s98.md","state":"added"');
    await writeFile(join(folder, "s98.md"), "");
    assert.ok(await until(() => failures() === 2), output);
    await rm(join(folder, "s98.md"));
    child.kill("SIGINT");
    const { status, stdout } = await ended;
    assert.equal(status, 130);
    assert.equal(jsonLines(stdout)[0]?.["event"], "watch-ready");
  });

  it(`ends in the same state after ${kills} kills at random moments as if it had never been disturbed`, async () => {
    // Its restored version would stay, where a home that was never disturbed has the file's content.
    await writeFile(join(folder, "s0.md"), textOf(99, 9));
    for (let round = 0; round < kills; round++) {
      const names = (await readdir(folder)).filter((name) => name.endsWith(".md")).sort();
      await writeFile(join(folder, names[round % names.length] ?? ""), textOf(100 + round, round));
      await rename(
        join(folder, names[(round + 3) % names.length] ?? ""),
        join(folder, `sub/moved${round}.md`),
      );
      await writeFile(join(folder, `new${round}.md`), textOf(200 + round));
      const { child, ended } = begin(home, ["sync", folder, "-c", "stations"]);
      const timer = setTimeout(() => child.kill("SIGKILL"), 300 + Math.random() * 3000);
      await ended;
      clearTimeout(timer);
    }
    await sync("--verify");
    await using other = await openHome();
    await json(other, ["sync", folder, "-c", "stations"]);
    assert.deepEqual(await visible(home), await visible(other));
    assert.deepEqual(await stored(home), await stored(other));
  });

  it("is ingested in the background by a worker that takes each job once", async () => {
    const queued = await json(home, [
      "ingest",
      join(folder, "new0.md"),
      join(folder, "none.md"),
      "-c",
      "auto",
      "--background",
    ]);
    assertFits("jobs", queued);
    const [one, two] = await Promise.all([
      begin(home, ["worker", "--once"]).ended,
      begin(home, ["worker", "--once"]).ended,
    ]);
    const done = [one, two].flatMap(({ stdout }) => records(record(JSON.parse(stdout))["jobs"]));
    assert.deepEqual(done.map((job) => job["state"]).sort(), ["dead", "done"]);
    const listed = await json(home, ["queue", "list", "--state", "dead"]);
    assertFits("jobs", listed);
    assert.equal(record(records(listed["jobs"])[0]?.["error"])["code"], "SOURCE_MISSING");
  });
});

describe("an ingest", { skip: skipChain }, () => {
  it("that stores nothing leaves no collection, is recorded, and one that finds nothing new opens no model", async () => {
    await using home = await openHome();
    const failed = await begin(home, ["ingest", join(home.base, "none.md"), "-c", "empty"]).ended;
    assert.equal(failed.status, 3);
    assert.deepEqual((await json(home, ["collections"]))["collections"], []);
    const folder = await home.folder("docs", { "a.md": textOf(1), "b.md": textOf(2) });
    await json(home, ["ingest", folder]);
    const again = await json(home, ["ingest", folder]);
    assert.equal(record(again["counts"])["unchanged"], 2);
    assert.equal(again["provider"], "");
    const runs = records((await json(home, ["logs"]))["runs"]);
    assert.ok(
      runs.some((run) => String(run["summary"]).includes("empty")),
      "the failed run is in the log",
    );
  });
});
