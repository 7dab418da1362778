import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "../../src/core/answers/tool.ts";
import { createToolPool, type OpenPooled, type ToolReader } from "../../src/tools/tool-pool.ts";

/** A pool whose tools say when they open and close. */
function watchedPool(readers: number) {
  const said: string[] = [];
  const warnings: unknown[] = [];
  const pooled = createToolPool(readers);
  const pool = {
    ...pooled,
    use: <T>(reader: ToolReader, work: (tool: OpenPooled) => Promise<T>): Promise<T> =>
      pooled.use(reader, (error) => warnings.push(error), work),
  };
  const toolOf = (label: string): Tool => ({
    type: "calculator",
    description: label,
    examples: [],
    parameters: {},
    call: async () => ({ findings: [], data: {}, message: "" }),
    async [Symbol.asyncDispose]() {
      said.push(`-${label}`);
    },
  });
  const open =
    (label: string, row = "1") =>
    (tool: OpenPooled): Promise<Tool> =>
      tool("tables", row, async () => {
        said.push(`+${label}`);
        return toolOf(label);
      });
  /** What opened and closed since it was asked last. */
  const news = async (): Promise<string> => {
    await new Promise((resolve) => setImmediate(resolve));
    return said.splice(0).join(" ");
  };
  return { pool, open, news, warnings };
}

const reader = (key: string, mark = "") => ({ key, mark });

test("a tool stays open for its reader, and each reader has its own", async () => {
  const { pool, open, news } = watchedPool(2);
  for (let turn = 0; turn < 3; turn++) await pool.use(reader("a"), open("a"));
  await pool.use(reader("b"), open("b"));
  assert.equal(await news(), "+a +b");
  await pool[Symbol.asyncDispose]();
  assert.equal(await news(), "-a -b");
});

test("the tools of the reader that asked longest ago close when there are too many", async () => {
  const { pool, open, news } = watchedPool(2);
  for (const key of ["a", "b", "a", "c"]) await pool.use(reader(key), open(key));
  assert.equal(await news(), "+a +b +c -b");
});

test("a tool that is in use is not closed, however many others are asked for meanwhile", async () => {
  const { pool, open, news } = watchedPool(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const long = pool.use(reader("a"), async (tool) => {
    await open("a")(tool);
    await promise;
  });
  await pool.use(reader("b"), open("b"));
  assert.equal(await news(), "+a +b -b");
  await pool.use(reader("c"), open("c"));
  assert.equal(await news(), "+c -c");
  resolve();
  await long;
  assert.equal(await news(), "", "the only one that is left");
});

test("what a reader can read has changed: its tools are opened anew, and the old ones close once unused", async () => {
  const { pool, open, news } = watchedPool(4);
  await pool.use(reader("a", "1"), async (tool) => {
    await open("old")(tool);
    await pool.use(reader("a", "2"), open("new"));
    assert.equal(await news(), "+old +new");
  });
  assert.equal(await news(), "-old");
  await pool.use(reader("a", "2"), open("new"));
  assert.equal(await news(), "");
});

test("a tool whose row changed is opened anew, and one that cannot be opened is tried again", async () => {
  const { pool, open, news, warnings } = watchedPool(4);
  await pool.use(reader("a"), open("first"));
  await pool.use(reader("a"), open("second", "2"));
  assert.equal(await news(), "+first +second -first");
  const fails = (tool: OpenPooled) => tool("broken", "1", async () => Promise.reject(new Error("no")));
  await assert.rejects(pool.use(reader("a"), fails), /no/);
  await assert.rejects(pool.use(reader("a"), fails), /no/);
  await pool[Symbol.asyncDispose]();
  assert.equal(await news(), "-second");
  assert.deepEqual(warnings, []);
});
