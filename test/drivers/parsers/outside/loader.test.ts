import assert from "node:assert/strict";
import { access, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { createParserChain } from "../../../../src/drivers/parsers/parser-chain.ts";
import { openParserPool } from "../../../../src/drivers/parsers/process/pool.ts";
import { source } from "../make.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "ragctl-loader-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const node = process.execPath;
async function readWith(
  argv: readonly string[],
  limits: { timeoutMs?: number; maxOutputBytes?: number } = {},
  name = "notes; $(touch pwned).abc",
) {
  const pool = openParserPool({ workers: 1, timeoutMs: 10_000, memoryMb: 128, maxBytes: 1e6 });
  await using readers = createParserChain(pool, {
    loaders: { loaders: { abc: argv }, timeoutMs: 10_000, maxOutputBytes: 1e6, ...limits },
  });
  const file = await source(join(folder, name), name, "text", new TextEncoder().encode("body text"));
  return await readers.parse(file, signal);
}

test("a declared loader gets the file on standard input or by its path, and its Markdown is read", async () => {
  const upper = `process.stdin.on("data", (d) => process.stdout.write("# Notes\\n\\n" + String(d).toUpperCase()))`;
  const piped = await readWith([node, "-e", upper]);
  assert.deepEqual(
    piped.content.blocks.map(({ kind, text }) => [kind, text]),
    [
      ["heading", "Notes"],
      ["paragraph", "BODY TEXT"],
    ],
  );
  const byPath = await readWith([
    node,
    "-e",
    `process.stdout.write(require("fs").readFileSync(process.argv[1], "utf8"))`,
    "{file}",
  ]);
  assert.equal(byPath.content.blocks[0]?.text, "body text");
});

test("a loader that fails, hangs, prints without end or is not there refuses the document with the reason", async () => {
  await assert.rejects(readWith([node, "-e", `console.error("no licence"); process.exit(4)`]), {
    code: "SOURCE_UNREADABLE",
    message: /status 4 \(no licence\)/,
  });
  await assert.rejects(readWith([node, "-e", "setInterval(() => {}, 1000)"], { timeoutMs: 400 }), {
    code: "PARSER_TIMEOUT",
  });
  await assert.rejects(
    readWith([node, "-e", `setInterval(() => process.stdout.write("x".repeat(1e5)), 1)`], {
      maxOutputBytes: 1e6,
    }),
    {
      code: "PARSER_MEMORY",
    },
  );
  await assert.rejects(readWith([join(folder, "not-there")]), { code: "SOURCE_UNREADABLE" });
  await assert.rejects(readWith([node, "-e", ""]), { code: "SOURCE_EMPTY" });
});

test("a loader gets the bytes that were hashed under the file's own name, or nothing at all", async () => {
  const pool = openParserPool({ workers: 1, timeoutMs: 10_000, memoryMb: 128, maxBytes: 1e6 });
  const program = `process.stdout.write(process.argv[1] + "\\n\\n" + require("fs").readFileSync(process.argv[1], "utf8"))`;
  const loaders = {
    abc: [node, "-e", program, "{file}"],
    def: [node, "-e", "process.stdin.pipe(process.stdout)"],
  };
  await using readers = createParserChain(pool, {
    loaders: { loaders, timeoutMs: 10_000, maxOutputBytes: 1e6 },
  });
  await writeFile(join(folder, "secret"), "outside");
  for (const name of ["swap.abc", "swap.def"]) {
    const file = await source(join(folder, name), name, "text", new TextEncoder().encode("body text"));
    const blocks = (await readers.parse(file, signal)).content.blocks.map(({ text }) => text);
    assert.equal(blocks.at(-1), "body text");
    if (blocks.length > 1) {
      assert.equal(basename(blocks[0] ?? ""), name);
      await assert.rejects(access(blocks[0] ?? ""), { code: "ENOENT" });
    }
    await rm(file.path);
    await symlink(join(folder, "secret"), file.path);
    await assert.rejects(readers.parse(file, signal), { code: "SOURCE_CHANGED" });
  }
});
