import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import Sqlite from "better-sqlite3";
import type { MilvusServer } from "../../scripts/servers/milvus.ts";
import { matchAllFilter } from "../../src/core/retrieval.ts";
import openStore from "../../src/drivers/stores/milvus.ts";
import { assertFits, type Home, openHome, record, records, skipChain, until } from "../cli/support.ts";
import { milvusFixture, skipMilvus } from "../helpers/milvus-servers.ts";

const fileCount = 40;
const notes = Object.fromEntries(
  Array.from({ length: fileCount }, (_, i) => [
    `note${String(i).padStart(2, "0")}.md`,
    `# Note ${i}\n\n${Array.from({ length: 14 }, (_, line) => `## Valve ${i * 31 + line}\n\nIt opens at ${line + 3} bar and is checked by crew ${i}. ${"Its spring is replaced every second year by the same crew. ".repeat(5)}`).join("\n\n")}\n`,
  ]),
);
const root = "root:Milvus";

describe("two Milvus servers by address", {
  skip: skipChain || skipMilvus("standalone") || skipMilvus("lite"),
}, () => {
  const [publicServer, privateServer] = [milvusFixture("standalone"), milvusFixture("lite")];
  let standalone: MilvusServer;
  let lite: MilvusServer;
  before(async () => {
    [standalone, lite] = await Promise.all([
      publicServer.start({ authorization: true }),
      privateServer.start(),
    ]);
  });
  after(() => Promise.all([publicServer.dispose(), privateServer.dispose()]));

  const open = (): Promise<Home> =>
    openHome(
      `milvus:\n  publicUri: ${standalone.uri}\n  publicToken: ${root}\n  privateUri: ${lite.uri}\nresident:\n  mode: off\n`,
    );
  /** What the server really holds, visible or not: a leftover or a double shows here. */
  const stored = async (): Promise<readonly string[]> => {
    await using store = openStore({
      id: "public",
      uri: standalone.uri,
      token: root,
      lexicalIndex: async () => (await publicServer.lexicalIndexes()).of("public"),
    });
    const chunks = await Array.fromAsync(store.list("general_knowledge", matchAllFilter));
    return chunks.map((chunk) => `${chunk.sourceName} ${chunk.ordinal} ${chunk.contentHash}`).sort();
  };
  /** Chunks whose words the home keeps for the public server. */
  const indexed = (home: Home): number => {
    const path = join(home.path, "cache/lexical.sqlite");
    if (!existsSync(path)) return 0;
    const index = new Sqlite(path, { readonly: true });
    try {
      return Number(index.prepare("SELECT count(*) FROM chunks").pluck().get());
    } catch {
      return 0; // its tables are being made
    } finally {
      index.close();
    }
  };

  it("loses nothing and keeps nothing twice when the server is killed in the middle of an ingest", async () => {
    await using home = await open();
    const folder = await home.folder("notes", notes);
    const { ended } = home.start(["ingest", folder, "--format", "json"]);
    assert.ok(await until(() => indexed(home) > 0, 120_000), "nothing was stored");
    process.kill(standalone.pid, "SIGKILL");
    const { status, stderr } = await ended;
    await standalone.exited;
    assert.notEqual(status, 0);
    assert.match(stderr, /STORE_(?:UNAVAILABLE|FAILED)/);
    const { port } = standalone;
    standalone = await publicServer.start({ authorization: true, port });
    const report = await home.json(["ingest", folder]);
    const counts = record(report["counts"]);
    assert.equal(Number(counts["added"]) + Number(counts["unchanged"]), fileCount);
    const { documents } = await home.json(["list"]);
    const expected = records(documents).reduce((sum, each) => sum + Number(each["chunks"]), 0);
    const chunks = await stored();
    assert.equal(chunks.length, expected);
    assert.equal(new Set(chunks).size, expected);
    assert.equal(indexed(home), expected);
    const { hits } = await home.json(["search", "crew 7 valve 220", "--mode", "lexical"]);
    assert.equal(records(hits)[0]?.["source_file"], "note07.md");
  });

  it("takes over a local collection and moves it between servers, without embedding anything", async () => {
    await using local = await openHome("resident:\n  mode: off\n");
    const folder = await local.folder("few", Object.fromEntries(Object.entries(notes).slice(0, 12)));
    await local.json(["ingest", folder]);
    const found = async (settings: string) => {
      await writeFile(join(local.path, "settings.yaml"), settings);
      const { hits, unavailable } = await local.json(["search", "crew 7 valve 220"]);
      assert.deepEqual(unavailable, []);
      return records(hits).map((hit) => `${hit["source_file"]} ${hit["chunk_index"]}`);
    };
    const before = await found("resident:\n  mode: off\n");
    const servers = `milvus:\n  publicUri: ${lite.uri}\n  privateUri: ${standalone.uri}\n  privateToken: ${root}\nresident:\n  mode: off\n`;
    await writeFile(join(local.path, "settings.yaml"), servers);
    const lost = await local.run(["search", "crew 7", "--format", "json"]);
    assert.match(lost.stderr, /has no vectors of collection/);
    const migrate = async (...more: readonly string[]) => {
      const report = await local.json(["collections", "migrate", "general_knowledge", ...more]);
      assertFits("migration", report);
      assert.equal(report["compared"], Math.min(100, Number(report["chunks"])));
      return [report["from"], report["to"], report["copied"] === report["chunks"]];
    };
    assert.deepEqual(await migrate("--from", "local"), ["local", "public", true]);
    assert.deepEqual(await found(servers), before);
    const again = await local.json(["collections", "migrate", "general_knowledge", "--from", "local"]);
    assert.equal(again["copied"], 0);
    assert.deepEqual(await migrate("--instance", "private"), ["public", "private", true]);
    assert.deepEqual(new Set(await found(servers)), new Set(before));
    const same = await local.run(["collections", "migrate", "general_knowledge", "--instance", "private"]);
    assert.equal(same.status, 2);
    assert.match(same.stderr, /already in the private instance/);
  });

  it("answers from the instance that is there, and names the other with the reason", async () => {
    await using home = await open();
    const general = await home.folder("general", { "canteen.md": "# Canteen\n\nIt opens at noon.\n" });
    const secret = await home.folder("secret", { "salary.md": "# Salaries\n\nThey are paid at noon.\n" });
    await home.json(["ingest", general, "--collection", "canteen"]);
    await home.json(["ingest", secret, "--instance", "private", "--collection", "hr_private_docs"]);
    const search = async (...more: readonly string[]) => {
      const { hits, unavailable } = await home.json(["search", "what happens at noon", ...more]);
      return {
        files: records(hits)
          .map((hit) => String(hit["source_file"]))
          .sort(),
        unavailable: records(unavailable).map(({ collection, code }) => `${collection} ${code}`),
        reason: records(unavailable)[0]?.["reason"],
      };
    };
    const both = { files: ["canteen.md", "salary.md"], unavailable: [], reason: undefined };
    assert.deepEqual(await search(), both);
    const refused = await search("--set", "milvus.publicToken=root:wrong");
    assert.deepEqual(refused.files, ["salary.md"]);
    assert.deepEqual(refused.unavailable, ["canteen STORE_UNAVAILABLE"]);
    assert.match(String(refused.reason), /refused the credentials/);
    await standalone.stop();
    const down = await search();
    assert.deepEqual([down.files, down.unavailable], [["salary.md"], ["canteen STORE_UNAVAILABLE"]]);
  });
});
