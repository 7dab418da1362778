import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { record, records, root } from "./cli/support.ts";

test("the package holds what the program and its demo read, and neither source maps nor models of tests", () => {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const [pack] = records(JSON.parse(stdout));
  const paths = records(record(pack)["files"]).map(({ path }) => String(path));
  for (const path of [
    ...[
      "config/defaults.yaml",
      "config/languages/en.yaml",
      "fixtures/questions.jsonl",
      "models/manifest.yaml",
    ],
    ...["server.json", "skills/ragctl/SKILL.md"],
  ])
    assert.ok(paths.includes(path), `${path} is missing`);
  assert.ok(paths.some((path) => path.startsWith("fixtures/documents/")));
  assert.deepEqual(
    paths.filter((path) => path.endsWith(".map") || /^fixtures\/(?!documents\/|questions\.jsonl)/.test(path)),
    [],
  );
});

test("the manifest of the registry of assistants' servers says what the package says, and its skill has a head", () => {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const [manifest, pack] = [
    record(JSON.parse(read("server.json"))),
    record(JSON.parse(read("package.json"))),
  ];
  const [first] = records(manifest["packages"]);
  assert.deepEqual(
    [manifest["name"], manifest["version"], first?.["identifier"], first?.["version"]],
    [pack["mcpName"], pack["version"], pack["name"], pack["version"]],
  );
  assert.ok(String(manifest["description"]).length <= 100);
  const [, head = ""] = /^---\n(.*?)\n---\n/s.exec(read("skills/ragctl/SKILL.md")) ?? [];
  const { name, description } = record(parse(head));
  assert.equal(name, "ragctl");
  assert.ok(String(description).length > 0 && String(description).length <= 1024);
});
