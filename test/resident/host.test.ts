import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { RagctlError } from "../../src/core/errors.ts";
import { type Instance, matchAllFilter } from "../../src/core/retrieval.ts";
import open from "../../src/drivers/stores/milvus.ts";
import { type AcquireOptions, acquireHost, hostStatus, stopHost } from "../../src/resident/client.ts";
import { liteRuntime, skipLite, withFolder } from "../contracts/store.ts";
import { mountSmallDisk, skipTmpfs } from "../helpers/tmpfs.ts";

const helper = fileURLToPath(new URL("./host-process.ts", import.meta.url));
const run = {
  id: "r",
  principal: "owner",
  signal: new AbortController().signal,
  log: { event() {}, warn() {} },
};

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return true;
}

async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return false;
}

async function withHome(
  use: (options: AcquireOptions) => Promise<void>,
  more: Partial<AcquireOptions> = {},
): Promise<void> {
  await withFolder(async (base) => {
    const home = join(base, "home");
    const instances: readonly Instance[] = ["private"];
    try {
      await use({ home, runtime: liteRuntime, instances, idleMs: 20_000, ...more });
    } finally {
      await stopHost(home);
    }
  });
}

interface Seen {
  readonly pid: number;
  readonly seen: number;
}

async function command(options: AcquireOptions, number: number): Promise<Seen> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    helper,
    JSON.stringify(options),
    String(number),
  ]);
  return JSON.parse(stdout);
}

async function serverPids(home: string): Promise<number[]> {
  return (await hostStatus(home))?.instances.map((instance) => instance.pid) ?? [];
}

it("gives eight commands that start at once the same single host, and none of them an error", {
  skip: skipLite,
}, async () => {
  await withHome(async (options) => {
    const results = await Promise.all(Array.from({ length: 8 }, (_, number) => command(options, number)));
    assert.equal(new Set(results.map((result) => result.pid)).size, 1);
    assert.equal((await command(options, 0)).seen, 8);
    const status = await hostStatus(options.home);
    assert.equal(status?.pid, results[0]?.pid);
    assert.equal(status?.instances.length, 1);
    assert.ok((status?.instances[0]?.rssBytes ?? 0) > 1e6);
    assert.equal((await stat(options.home)).mode & 0o777, 0o700);
  });
});

it("recovers by itself after kill -9 of the host, with nothing lost and no server left over", {
  skip: skipLite,
}, async () => {
  await withHome(async (options) => {
    for (let round = 0; round < 3; round++) {
      const { pid, seen } = await command(options, round);
      assert.equal(seen, round + 1);
      const [server = 0] = await serverPids(options.home);
      process.kill(pid, "SIGKILL");
      const next = await command(options, round);
      assert.notEqual(next.pid, pid);
      assert.equal(next.seen, round + 1);
      assert.ok(await until(() => !alive(server)), `server ${server} outlived its host`);
    }
  });
});

it("recovers when many commands meet a host killed with -9", { skip: skipLite }, async () => {
  await withHome(async (options) => {
    const { pid } = await command(options, 0);
    process.kill(pid, "SIGKILL");
    const results = await Promise.all([1, 2, 3, 4].map((number) => command(options, number)));
    assert.equal(new Set(results.map((result) => result.pid)).size, 1);
    assert.equal((await command(options, 0)).seen, 5);
  });
});

it("stops by itself, servers included, once nobody holds a lease, and not before", {
  skip: skipLite,
}, async () => {
  await withHome(
    async (options) => {
      const lease = await acquireHost(options, run);
      const [server = 0] = await serverPids(options.home);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      assert.ok(alive(lease.pid) && alive(server));
      assert.equal((await hostStatus(options.home))?.clients, 1);
      await lease[Symbol.asyncDispose]();
      assert.ok(await until(() => !alive(lease.pid) && !alive(server)));
      assert.equal(await hostStatus(options.home), null);
      await using again = await acquireHost(options, run);
      assert.notEqual(again.pid, lease.pid);
    },
    { idleMs: 300 },
  );
});

it("takes back the lease of a command killed with -9", { skip: skipLite }, async () => {
  await withHome(
    async (options) => {
      const script = `
        const { acquireHost } = await import(${JSON.stringify(new URL("../../src/resident/client.ts", import.meta.url).href)});
        const lease = await acquireHost(${JSON.stringify(options)}, { id: "r", principal: "owner", signal: new AbortController().signal, log: { event() {}, warn() {} } });
        console.log(lease.pid);
        setInterval(() => {}, 1000);`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const host = await new Promise<number>((resolve) =>
        child.stdout.once("data", (data: Buffer) => resolve(Number(data.toString()))),
      );
      await new Promise((resolve) => setTimeout(resolve, 600));
      assert.ok(alive(host));
      child.kill("SIGKILL");
      assert.ok(await until(() => !alive(host)));
    },
    { idleMs: 300 },
  );
});

it("brings a server back that died under a lease, at the same address", { skip: skipLite }, async () => {
  await withHome(async (options) => {
    await using lease = await acquireHost(options, run);
    const [server = 0] = await serverPids(options.home);
    process.kill(server, "SIGKILL");
    await until(async () => !(await serverPids(options.home)).includes(server));
    await using again = await acquireHost(options, run);
    assert.deepEqual(again.uris, lease.uris);
    await using store = open({ id: "private", uri: again.uris.private ?? "", indexKind: "flat" });
    await store.ensure({ name: "main", dimensions: 8, lexical: "bm25", fingerprint: "f" });
    assert.equal(await store.count("main", matchAllFilter), 0);
  });
});

it("stops when asked, and says that nothing runs otherwise", { skip: skipLite }, async () => {
  await withHome(async (options) => {
    assert.equal(await stopHost(options.home), false);
    const { pid } = await acquireHost(options, run);
    assert.equal(await stopHost(options.home), true);
    // A child that has ended is alive to a signal until its parent has taken note.
    assert.ok(await until(() => !alive(pid)));
    assert.equal(await hostStatus(options.home), null);
  });
});

it("stops one that holds no lock of this version, as after an upgrade", { skip: skipLite }, async () => {
  await withHome(async (options) => {
    const { pid } = await acquireHost(options, run);
    await rm(join(options.home, "host/.lock"), { recursive: true });
    assert.equal(await stopHost(options.home), true);
    assert.ok(await until(() => !alive(pid), 1_000));
  });
});

it("ends when its home is removed", { skip: skipLite }, async () => {
  await withHome(async (options) => {
    const { pid } = await acquireHost(options, run);
    await rm(options.home, { recursive: true });
    assert.ok(await until(() => !alive(pid), 20_000));
    assert.equal(existsSync(options.home), false);
  });
});

it("passes on why a server cannot start", async () => {
  await withHome(
    async (options) => {
      await assert.rejects(
        acquireHost(options, run),
        (error: unknown) =>
          error instanceof RagctlError &&
          error.code === "RUNTIME_MISSING" &&
          /ragctl setup/.test(error.hint ?? ""),
      );
    },
    { runtime: "/nonexistent" },
  );
});

it("says where to look when no host comes up", async () => {
  await withHome(
    async (options) => {
      await assert.rejects(
        acquireHost(options, run),
        (error: unknown) =>
          error instanceof RagctlError &&
          error.code === "HOST_UNAVAILABLE" &&
          /host\.log/.test(error.hint ?? ""),
      );
      assert.match(await readFile(join(options.home, "host/host.log"), "utf8"), /nowhere\.js/);
    },
    { entry: "/nowhere.js", timeoutMs: 1_500 },
  );
});

it("says at once that the disk is full, and leaves nothing of its attempts there", {
  skip: skipTmpfs(),
}, async () => {
  await withHome(async (options) => {
    const folder = join(options.home, "host");
    await mkdir(options.home, { recursive: true });
    using disk = mountSmallDisk(options.home, "1m");
    await mkdir(folder);
    disk.fill();
    const since = performance.now();
    await assert.rejects(
      acquireHost(options, run),
      (error: unknown) => error instanceof RagctlError && error.code === "DISK_FULL",
    );
    assert.ok(performance.now() - since < 10_000);
    assert.deepEqual(await readdir(folder), ["host.log"]);
  });
});

it("starts again on a disk without a byte left, and lends its databases to be read", {
  skip: skipLite || skipTmpfs(),
}, async () => {
  await withHome(async (options) => {
    await mkdir(options.home, { recursive: true });
    using disk = mountSmallDisk(options.home, "8m");
    assert.equal((await command(options, 1)).seen, 1);
    await stopHost(options.home);
    disk.fill();
    for (const _ of ["once", "and again"]) {
      {
        await using lease = await acquireHost(options, run);
        await using store = open({ id: "private", uri: lease.uris.private ?? "", indexKind: "flat" });
        assert.equal(await store.count("main", matchAllFilter), 1);
      }
      await stopHost(options.home);
    }
  });
});

it("neither starts nor stops for a home that another machine serves, and names that machine", async () => {
  await withFolder(async (home) => {
    const lock = join(home, "host/.lock");
    await mkdir(lock, { recursive: true });
    const owner = { host: "elsewhere", pid: 7, started: "of another kernel/1", role: "server" };
    await writeFile(join(lock, "mark"), JSON.stringify(owner));
    const named = { code: "STORE_BUSY", message: /process 7 of elsewhere/ };
    await assert.rejects(stopHost(home), named);
    const asked = { home, runtime: "", instances: [], entry: "/nowhere.js", timeoutMs: 50 };
    await assert.rejects(acquireHost(asked, run), named);
    assert.deepEqual(await readdir(join(home, "host")), [".lock"]);
  });
});

it("works from a home whose path is too long for a socket", { skip: skipLite }, async () => {
  await withFolder(async (base) => {
    const home = join(base, "long".repeat(30));
    await mkdir(home, { recursive: true });
    const lease = await acquireHost({ home, runtime: liteRuntime, instances: ["public", "private"] }, run);
    assert.equal(new Set(Object.values(lease.uris)).size, 2);
    assert.ok(Object.values(lease.uris).every((uri) => existsSync(`${uri}`.slice("unix:".length))));
    assert.equal(await stopHost(home), true);
  });
});

it("leaves the host of a home alone that is copied while it runs, and gives the copy its own", {
  skip: skipLite,
}, async () => {
  await withHome(async (options) => {
    const original = await command(options, 0);
    const copy = { ...options, home: `${options.home}-copy` };
    const isFile = async (path: string): Promise<boolean> => !(await stat(path)).isSocket();
    await cp(options.home, copy.home, { recursive: true, filter: isFile });
    try {
      assert.equal(await hostStatus(copy.home), null);
      assert.equal(await stopHost(copy.home), false);
      const servers = await serverPids(options.home);
      const copied = await command(copy, 1);
      assert.notEqual(copied.pid, original.pid);
      assert.equal(copied.seen, 2);
      assert.deepEqual(await serverPids(options.home), servers);
      assert.equal((await command(options, 0)).seen, 1);
    } finally {
      await stopHost(copy.home);
    }
  });
});
