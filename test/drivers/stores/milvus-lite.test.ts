import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { fileURLToPath } from "node:url";
import { RagctlError } from "../../../src/core/errors.ts";
import { matchAllFilter } from "../../../src/core/retrieval.ts";
import { startLiteServer } from "../../../src/drivers/stores/lite-server.ts";
import openMilvus from "../../../src/drivers/stores/milvus.ts";
import {
  chunkOf,
  embedded,
  liteRuntime,
  skipLite,
  storeContract,
  vectorOf,
  withFolder,
} from "../../contracts/store.ts";
import open from "../../helpers/milvus-lite.ts";

const folder = mkdtempSync(join(tmpdir(), "ragctl-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const lite = (name: string, home = folder) =>
  open({
    id: name,
    runtime: liteRuntime,
    dataFolder: join(home, "stores"),
    name,
    socketFolder: join(home, "sockets"),
  });

for (const lexical of ["bm25", "sparse"] as const) {
  storeContract(`Milvus Lite with ${lexical}`, lexical, () => lite(`contract-${lexical}`), skipLite);
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("writes no text of what it sends and receives", { skip: skipLite }, async (test) => {
  await withFolder(async (home) => {
    await using store = lite("quiet", home);
    await store.ensure({ name: "quiet", dimensions: 8, lexical: "bm25", fingerprint: "f" });
    const { mock } = test.mock.method(JSON, "stringify");
    await store.write("quiet", [embedded(chunkOf(0, { text: "The relief valve opens." }))]);
    const query = { text: "relief valve", dense: vectorOf(0), limit: 5, filter: matchAllFilter };
    const { lexical, dense } = await store.search("quiet", query, new AbortController().signal);
    assert.deepEqual([lexical.length, dense.length], [1, 1]);
    const texts = mock.calls.map(({ result }) => result ?? "");
    assert.deepEqual(
      texts.filter((text) => text.includes("The relief valve opens.")),
      [],
    );
  });
});

it("stems English and drops its stop words where a collection asks for it", { skip: skipLite }, async () => {
  await withFolder(async (home) => {
    await using store = lite("analyzer", home);
    for (const analyzer of ["standard", "english"] as const) {
      await store.ensure({ name: analyzer, dimensions: 8, lexical: "bm25", fingerprint: "f", analyzer });
      await store.write(analyzer, [embedded(chunkOf(0, { text: "The pumps were installed in the Café" }))]);
    }
    const found = async (collection: string, text: string): Promise<number> =>
      (
        await store.search(
          collection,
          { text, limit: 5, filter: matchAllFilter },
          new AbortController().signal,
        )
      ).lexical.length;
    const both = (text: string) => Promise.all([found("standard", text), found("english", text)]);
    assert.deepEqual(await both("PUMPS"), [1, 1]);
    assert.deepEqual(await both("cafe"), [1, 1]);
    assert.deepEqual(await both("pump install"), [0, 1]);
    assert.deepEqual(await both("the"), [1, 0]);
  });
});

it("keeps its data over a restart, and puts its socket elsewhere when the home's path is too long for one", {
  skip: skipLite,
}, async () => {
  await withFolder(async (base) => {
    const home = join(base, "long".repeat(30));
    for (const expected of [0, 1]) {
      await using store = lite("kept", home);
      await store.ensure({ name: "main", dimensions: 8, lexical: "bm25", fingerprint: "f" });
      assert.equal(await store.count("main", matchAllFilter), expected);
      await store.write("main", [embedded(chunkOf(0))]);
    }
  });
});

it("makes files that only their owner can read, and closes one of before", { skip: skipLite }, async () => {
  await withFolder(async (home) => {
    const modes = () => {
      const names = readdirSync(join(home, "stores")).filter((name) => name.includes(".db"));
      return new Set(names.map((name) => statSync(join(home, "stores", name)).mode & 0o777));
    };
    const use = async () => {
      await using store = lite("modes", home);
      await store.ensure({ name: "main", dimensions: 8, lexical: "bm25", fingerprint: "f" });
    };
    await use();
    assert.deepEqual(modes(), new Set([0o600]));
    chmodSync(join(home, "stores", "modes.db"), 0o644);
    await use();
    assert.deepEqual(modes(), new Set([0o600]));
  });
});

it("says which program is missing and how to get it", async () => {
  await withFolder(async (home) => {
    await using store = open({
      id: "x",
      runtime: join(home, "none"),
      dataFolder: home,
      name: "x",
      socketFolder: home,
    });
    await assert.rejects(
      store.collections(),
      (error: unknown) =>
        error instanceof RagctlError &&
        error.code === "RUNTIME_MISSING" &&
        /ragctl setup/.test(error.hint ?? ""),
    );
  });
});

it("leaves no server behind when its process is killed with -9", { skip: skipLite }, async () => {
  await withFolder(async (home) => {
    const script = `
      const { startLiteServer } = await import(${JSON.stringify(new URL("../../../src/drivers/stores/lite-server.ts", import.meta.url).href)});
      const server = await startLiteServer(${JSON.stringify({ id: "x", runtime: liteRuntime, dataFolder: home, name: "x", socketFolder: home, logPath: join(home, "x.log") })});
      console.log(server.pid);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: fileURLToPath(new URL(".", import.meta.url)),
    });
    const pid = await new Promise<number>((resolve) =>
      child.stdout.once("data", (data: Buffer) => resolve(Number(data.toString()))),
    );
    assert.ok(alive(pid));
    child.kill("SIGKILL");
    const deadline = Date.now() + 60_000;
    while (alive(pid) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(!alive(pid), `server ${pid} outlived its parent`);
  });
});

it("leaves no log of the server in the temporary folder", { skip: skipLite }, async () => {
  await withFolder(async (home) => {
    const logPath = join(home, "x.log");
    const options = {
      id: "x",
      runtime: liteRuntime,
      dataFolder: home,
      name: "x",
      socketFolder: home,
      logPath,
    };
    const server = await startLiteServer(options);
    await server.stop();
    // The library's default, which knows nothing of the TMPDIR of this process.
    const logs = readdirSync("/tmp").filter((name) => /^milvus\..*\.log\./.test(name));
    assert.deepEqual(
      logs.filter((name) => name.endsWith(`.${server.pid}`)),
      [],
    );
  });
});

it("reports a server that died under it as unavailable and says to run again", {
  skip: skipLite,
}, async () => {
  await withFolder(async (home) => {
    const server = await startLiteServer({
      id: "x",
      runtime: liteRuntime,
      dataFolder: home,
      name: "x",
      socketFolder: home,
      logPath: join(home, "x.log"),
    });
    await using store = openMilvus({ id: "x", uri: server.uri, indexKind: "flat" });
    await store.ensure({ name: "main", dimensions: 8, lexical: "bm25", fingerprint: "f" });
    process.kill(server.pid, "SIGKILL");
    await server.exited;
    await assert.rejects(
      store.count("main", matchAllFilter),
      (error: unknown) =>
        error instanceof RagctlError && error.code === "STORE_UNAVAILABLE" && /again/.test(error.hint ?? ""),
    );
  });
});

it("searches ten thousand chunks within a fifth of a second", { skip: skipLite }, async (context) => {
  await withFolder(async (home) => {
    await using store = lite("speed", home);
    await store.ensure({ name: "main", dimensions: 384, lexical: "bm25", fingerprint: "f" });
    const chunks = Array.from({ length: 10_000 }, (_, index) => ({
      chunk: chunkOf(index, { text: `word${index % 500} text ${index}` }),
      embedding: { dense: vectorOf(index, 384) },
    }));
    await store.write("main", chunks);
    const times: number[] = [];
    for (let index = 0; index < 40; index++) {
      const start = performance.now();
      await store.search(
        "main",
        { dense: vectorOf(index, 384), text: `word${index}`, limit: 10, filter: matchAllFilter },
        new AbortController().signal,
      );
      times.push(performance.now() - start);
    }
    const median = times.sort((a, b) => a - b)[20] ?? Number.POSITIVE_INFINITY;
    context.diagnostic(`median ${median.toFixed(1)} ms`);
    assert.ok(median < 200, `median hybrid search took ${median.toFixed(1)} ms`);
  });
});
