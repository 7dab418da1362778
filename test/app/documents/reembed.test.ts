import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  assertFits,
  builtCommand,
  type Home,
  openHome,
  record,
  records,
  skipChain,
  start,
} from "../../cli/support.ts";
import { testHome } from "../../contracts/store.ts";

const [small, other] = ["bge-small-en-v1.5-int8", "all-minilm-l6-v2-int8"];
const skip =
  skipChain !== false
    ? skipChain
    : existsSync(join(testHome, "models", other))
      ? false
      : `no ${other} in ${testHome}: ragctl models pull ${other}`;

const begin = (home: Home, parameters: readonly string[]) =>
  start(home.path, home.base, [...builtCommand, ...parameters, "--format", "json"]);
async function json(home: Home, parameters: readonly string[]): Promise<Record<string, unknown>> {
  const ended = await begin(home, parameters).ended;
  assert.equal(ended.status, 0, `${parameters.join(" ")}: ${ended.stderr}`);
  return record(JSON.parse(ended.stdout));
}

describe("a collection that is embedded anew", { skip }, () => {
  it("answers all the while, goes on after kill -9, is swapped when whole, and goes back by name", async () => {
    await using home = await openHome("", [small, other, "milvus-lite-2.5.1"]);
    const texts = Array.from({ length: 40 }, (_, at): [string, string] => [
      `s${at}.md`,
      `# Station ${at}\n\nValve ${at * 7} opens at ${at} bar.\n`,
    ]);
    const folder = await home.folder("stations", Object.fromEntries(texts));
    await json(home, ["sync", folder, "-c", "stations"]);
    const embedder = async () => records((await json(home, ["collections"]))["collections"])[0]?.["embedder"];
    const state = { over: false, searches: 0 };
    const searching = (async () => {
      while (!state.over) {
        const found = await json(home, ["search", "valve 70 of station 10", "-k", "3"]);
        const hits = records(found["hits"]);
        assert.ok(
          hits.some((hit) => hit["source_file"] === "s10.md"),
          JSON.stringify(hits.map((hit) => hit["source_file"])),
        );
        state.searches++;
      }
    })();
    for (const ms of [1200, 2400]) {
      const { child, ended } = begin(home, ["reembed", "-c", "stations", "--model", other]);
      const timer = setTimeout(() => child.kill("SIGKILL"), ms);
      await ended;
      clearTimeout(timer);
    }
    const report = await json(home, ["reembed", "-c", "stations", "--model", other]);
    assertFits("reembed", report);
    assert.equal(await embedder(), other);
    assert.deepEqual(record((await json(home, ["sync", folder]))["counts"])["deleted"], 0);
    await json(home, ["reembed", "--rollback", "stations"]);
    assert.equal(await embedder(), small);
    state.over = true;
    await searching;
    assert.ok(state.searches > 2, `${state.searches} searches`);
  });
});
