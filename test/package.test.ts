import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { record, records, root } from "./cli/support.ts";

test("the package holds what the program and its demo read, and neither source maps nor models of tests", () => {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const [pack] = records(JSON.parse(stdout));
  const paths = records(record(pack)["files"]).map(({ path }) => String(path));
  for (const path of ["config/defaults.yaml", "fixtures/questions.jsonl", "models/manifest.yaml"])
    assert.ok(paths.includes(path), `${path} is missing`);
  assert.ok(paths.some((path) => path.startsWith("fixtures/documents/")));
  assert.deepEqual(
    paths.filter((path) => path.endsWith(".map") || /^fixtures\/(?!documents\/|questions\.jsonl)/.test(path)),
    [],
  );
});
