import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { RagctlError } from "../../../src/core/errors.ts";
import { matchAllFilter, type VectorStore } from "../../../src/core/retrieval.ts";
import { verifyPersisted, withDiskErrors } from "../../../src/drivers/stores/lite-disk.ts";
import type { Connection } from "../../../src/drivers/stores/milvus-connection.ts";
import { chunkOf, collect, embedded, liteRuntime, skipLite, withFolder } from "../../contracts/store.ts";
import open from "../../helpers/milvus-lite.ts";
import { mountSmallDisk, skipTmpfs } from "../../helpers/tmpfs.ts";

const isCode = (code: string) => (error: unknown) => error instanceof RagctlError && error.code === code;
const megabyte = 1024 * 1024;

/** A document of one chunk of about `bytes` bytes, whose words no other has. */
const note = (number: number, bytes: number) =>
  embedded(
    chunkOf(number, {
      text: Array.from({ length: bytes / 10 }, (_, word) => `n${number}w${word}`).join(" "),
    }),
  );

/** Writes notes until the store refuses one; how many it took. */
async function fill(store: VectorStore, from: number, bytes: number): Promise<number> {
  for (let number = from; number < from + 200; number++) {
    try {
      await store.write("main", [note(number, bytes)]);
    } catch (error) {
      assert.ok(isCode("DISK_FULL")(error), String(error));
      return number;
    }
  }
  return assert.fail("the store took more than its disk holds");
}

describe("a Milvus Lite whose disk is full", { skip: skipLite || skipTmpfs() }, () => {
  for (const lexical of ["bm25", "sparse"] as const) {
    it(`keeps what it took and refuses the rest as DISK_FULL (${lexical})`, async () => {
      await withFolder(async (home) => {
        const dataFolder = join(home, "disk");
        await mkdir(dataFolder);
        using disk = mountSmallDisk(dataFolder, "2m");
        const options = { id: "x", runtime: liteRuntime, dataFolder, name: "x", socketFolder: home };
        const lite = () => open({ ...options, logPath: join(home, "x.log") });
        let taken: number;
        {
          await using store = lite();
          await store.ensure({ name: "main", dimensions: 8, lexical, fingerprint: "f" });
          // The large ones fill the disk; small ones still find room here and there.
          taken = await fill(store, 0, 20_000);
          taken = await fill(store, taken, 2_000);
          await assert.rejects(store.write("main", [note(taken, 20_000)]), isCode("DISK_FULL"));
          assert.ok(taken > 5, String(taken));
        }
        disk.resize("40m");
        await using store = lite();
        const expected = Array.from({ length: taken }, (_, number) => `v1-${number}`);
        const kept = await collect(store.list("main", matchAllFilter));
        assert.deepEqual(kept.map(({ id }) => id).sort(), expected.sort());
      });
    });
  }

  it("takes the same chunks once there is room again", async () => {
    await withFolder(async (home) => {
      const dataFolder = join(home, "disk");
      await mkdir(dataFolder);
      using disk = mountSmallDisk(dataFolder, "2m");
      await using store = open({
        id: "x",
        runtime: liteRuntime,
        dataFolder,
        name: "x",
        socketFolder: home,
        logPath: join(home, "x.log"),
      });
      await store.ensure({ name: "main", dimensions: 8, lexical: "bm25", fingerprint: "f" });
      const taken = await fill(store, 0, 20_000);
      disk.resize("40m");
      await store.write("main", [note(taken, 20_000)]);
      assert.equal(await store.count("main", matchAllFilter), taken + 1);
    });
  });

  it("says so when it cannot delete, and deletes once there is room again", async () => {
    await withFolder(async (home) => {
      const dataFolder = join(home, "disk");
      await mkdir(dataFolder);
      using disk = mountSmallDisk(dataFolder, "2m");
      await using store = open({
        id: "x",
        runtime: liteRuntime,
        dataFolder,
        name: "x",
        socketFolder: home,
        logPath: join(home, "x.log"),
      });
      await store.ensure({ name: "main", dimensions: 8, lexical: "bm25", fingerprint: "f" });
      await store.write("main", [note(0, 2_000)]);
      disk.fill();
      const first = { field: "id", in: ["v1-0"] } as const;
      await assert.rejects(store.delete("main", first), isCode("DISK_FULL"));
      disk.empty();
      await store.delete("main", first);
      assert.equal(await store.count("main", matchAllFilter), 0);
    });
  });
});

describe("what a Milvus Lite confirmed", () => {
  /** A Lite that finds and has stored so many rows, and what it was asked. */
  const lite = (counts: { readonly found: number; readonly stored: number | undefined }, free: number) => {
    const asked: string[] = [];
    const call = async (what: string): Promise<unknown> => {
      asked.push(what);
      return { data: /^(?:count|read) /.test(what) ? answer() : [] };
    };
    let turn = 0;
    const answer = () => (turn++ % 2 === 0 ? [{ "count(*)": counts.found }] : { row_count: counts.stored });
    // A double of the server's answers, which are the SDK's.
    const local = {
      id: "public",
      call: call as unknown as Connection["call"],
      folder: "/data/stores",
      freeBytes: async () => free,
    };
    return { local, asked };
  };

  it("is not counted while the disk has ample room", async () => {
    const { local, asked } = lite({ found: 3, stored: 1 }, 1_000 * megabyte);
    await verifyPersisted(local, "main", ["a", "b"]);
    assert.deepEqual(asked, []);
  });

  it("is counted once in memory and once in the file where room is scarce", async () => {
    const { local, asked } = lite({ found: 3, stored: 3 }, 100 * megabyte);
    await verifyPersisted(local, "main", ["a", "b"]);
    assert.equal(asked.length, 2);
  });

  it("is taken back where the file lacks it, with the reason that is left", async () => {
    for (const [free, code] of [
      [1, "DISK_FULL"],
      [100 * megabyte, "STORE_FAILED"],
    ] as const) {
      const { local, asked } = lite({ found: 3, stored: 1 }, free);
      await assert.rejects(verifyPersisted(local, "main", ["a", "b"]), isCode(code));
      assert.equal(asked.at(-1), 'take back what collection "main" could not keep');
    }
  });

  it("is left as it is where the file tells no count, or none that is a number", async () => {
    for (const counts of [
      { found: 3, stored: undefined },
      { found: 3, stored: Number.POSITIVE_INFINITY },
      { found: Number.NaN, stored: 3 },
    ]) {
      const { local, asked } = lite(counts, 100 * megabyte);
      await verifyPersisted(local, "main", ["a", "b"]);
      assert.ok(!asked.some((what) => what.startsWith("take back")), JSON.stringify(counts));
    }
  });

  it("is refused for its own reason where the disk has room", async () => {
    for (const [free, code] of [
      [1, "DISK_FULL"],
      [100 * megabyte, "STORE_FAILED"],
    ] as const) {
      const call = withDiskErrors({
        ...lite({ found: 0, stored: 0 }, free).local,
        call: () => Promise.reject(new RagctlError("STORE_FAILED", "internal error")),
      });
      await assert.rejects(
        call("delete", () => Promise.resolve(undefined)),
        isCode(code),
      );
    }
  });
});
