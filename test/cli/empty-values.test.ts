import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { type TestContext, test } from "node:test";
import { runProgram } from "../../src/cli/program.ts";
import { runWithTerminal } from "../../src/cli/shell/terminal.ts";
import { callerPath, runAsCaller } from "../../src/config/caller.ts";

const none = () => Promise.reject(new Error("not started here"));

/** What a command line in an empty folder says, its exit status, and whether a home was made. */
async function ran(
  context: TestContext,
  argv: readonly string[],
): Promise<readonly [string, number, boolean]> {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-empty-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  let said = "";
  let status = 0;
  const error = new Writable({
    write(text, _, done) {
      said += String(text);
      done();
    },
  });
  const own = {
    input: Readable.from([]),
    output: { write: () => true },
    error,
    colors: false,
    exit: (code: number) => {
      status = code;
    },
    onStop: () => ({ [Symbol.dispose]() {} }),
    resident: null,
  };
  const environment = { XDG_DATA_HOME: join(folder, "data") };
  await runAsCaller({ cwd: folder, environment }, () =>
    runWithTerminal(own, () => runProgram(argv, "0", { mcp: none, server: none, serveCopy: none })),
  );
  return [said.split("\n", 1)[0] ?? "", status, existsSync(join(folder, "data"))];
}

const refused = {
  "empty path": [
    ["ingest", ""],
    ["ingest", "a.md", ""],
    ["sync", ""],
    ["watch", ""],
    ["sources", "remove", ""],
    ["list", "--home", ""],
    ["--home=", "ingest", "a.md"],
    ["ask", "--pdf", "", "why"],
    ["search", "--batch", ""],
    ["eval", ""],
    ["backup", "create", ""],
    ["bundle", "create", "--output", ""],
    ["registry", "export", ""],
    ["registry", "move", "--to", ""],
    ["models", "import", "bge-small-en-v1.5-int8", ""],
    ["principals", "add", "ada", "--root", ""],
    ["list", "--log-file", ""],
  ],
  "empty name": [
    ["show", ""],
    ["forget", "a.md", ""],
    ["ask", "--llm-model", "", "why"],
    ["search", "--document", "", "why"],
    ["list", "--as", ""],
    ["models", "pull", ""],
  ],
};

for (const [message, lines] of Object.entries(refused))
  for (const argv of lines)
    test(`"${argv.map((word) => word || "''").join(" ")}" is refused: ${message}`, async (context) => {
      assert.deepEqual(await ran(context, argv), [`error USAGE_INVALID: ${message}`, 2, false]);
    });

test("a question of characters that nobody can see is none", async (context) => {
  for (const argv of [
    ["ask", "\u200b"],
    ["search", "\u00ad\u2060", "\u0007"],
  ]) {
    const [said, status] = await ran(context, ["-q", ...argv]);
    assert.deepEqual([said, status], ["error USAGE_INVALID: no question given", 2]);
  }
});

test("documents beside a whole collection are refused: which of both was meant is not clear", async (context) => {
  const [said, status] = await ran(context, ["-q", "forget", "a.md", "--collection", "notes", "--yes"]);
  assert.equal(said, "error USAGE_INVALID: both documents and collection notes given");
  assert.equal(status, 2);
});

test("a batch that is not there, or is a folder, is named with the reason", async (context) => {
  const cases = {
    "absent.jsonl": /^error USAGE_INVALID: cannot read absent\.jsonl: no such file$/m,
    ".": /: it is not a/,
  };
  for (const [path, message] of Object.entries(cases)) {
    const [said, status] = await ran(context, ["-q", "search", "--batch", path]);
    assert.match(said, message);
    assert.equal(status, 2);
  }
});

test("an empty path means the caller's folder nowhere", () => {
  assert.throws(() => callerPath(""), { code: "USAGE_INVALID", message: "empty path" });
});
