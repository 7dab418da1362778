import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openScene, type Scene, skipScene } from "../scene.ts";

const skip = skipScene || (process.platform === "win32" && "no named pipes in a folder");

describe("a folder of links, pipes and half files", { skip }, () => {
  let base = "";
  let folder = "";
  let scene: Scene;
  const at = (...names: readonly string[]) => join(folder, ...names);
  const page = (title: string) => `# ${title}\n\n${title} opens at ${title.length} bar.\n`;
  before(async () => {
    scene = await openScene();
    base = await mkdtemp(join(tmpdir(), "ragctl-odd-"));
    folder = join(base, "folder");
    const outside = join(base, "outside");
    for (const each of [folder, outside]) await mkdir(each);
    const files = {
      "../outside/far.md": page("Far"),
      "pump.md": page("Pump"),
      "turns.md": page("Turning"),
      "empty.md": "",
      "half.pdf": "%PDF-1.7\n1 0 obj\n<<",
      "half.docx": "PK\x03\x04half",
    };
    for (const [name, text] of Object.entries(files)) await writeFile(at(name), text);
    for (const name of ["sub", "turns-back.md", "bare"]) await mkdir(at(name));
    await writeFile(at("sub/valve.md"), page("Valve"));
    await writeFile(at("turns-back.md/inner.md"), page("Inner"));
    const links = {
      "alias.md": "pump.md",
      "sub/again.md": "../pump.md",
      self: ".",
      "sub/parent": "..",
      "far.md": join(outside, "far.md"),
      far: outside,
      "broken.md": "nowhere.md",
      "loop-one": "loop-two",
      "loop-two": "loop-one",
    };
    for (const [name, target] of Object.entries(links)) await symlink(target, at(name));
    execFileSync("mkfifo", [at("pipe.md")]);
  });
  after(async () => {
    await scene[Symbol.asyncDispose]();
    await rm(base, { recursive: true });
  });

  /** What a sync says of each file, and the documents that are left. */
  async function synced() {
    const run = scene.as("owner");
    const [end] = (
      await Array.fromAsync(scene.app.background.sync({ folder, collection: "odd" }, run))
    ).slice(-1);
    assert.ok(end?.type === "sync-end");
    const told = end.report.files.map(({ state, name, code }) => [state, name, code].join(" ").trim());
    const documents = await scene.app.documents(["odd"], run);
    return { told: told.sort(), kept: documents.map(({ name }) => name).sort() };
  }

  const faults = [
    "failed broken.md SOURCE_MISSING",
    "failed empty.md SOURCE_EMPTY",
    "failed far SOURCE_OUTSIDE",
    "failed far.md SOURCE_OUTSIDE",
    "failed half.docx SOURCE_DAMAGED",
    "failed half.pdf SOURCE_DAMAGED",
    "failed loop-one SOURCE_OUTSIDE",
    "failed loop-two SOURCE_OUTSIDE",
    "failed pipe.md SOURCE_SPECIAL",
  ];

  it("gives each document once, and names all that is none", async () => {
    const { told, kept } = await synced();
    const names = ["pump.md", "sub/valve.md", "turns-back.md/inner.md", "turns.md"];
    assert.deepEqual(told, [...names.map((name) => `added ${name}`), ...faults].sort());
    assert.deepEqual(kept, names);
  });

  it("keeps no document of a file that became a folder or a link, nor of a folder that became a file", async () => {
    for (const name of ["turns.md", "turns-back.md", "pump.md"]) await rm(at(name), { recursive: true });
    await mkdir(at("turns.md"));
    await writeFile(at("turns.md/new.md"), page("New"));
    await writeFile(at("turns-back.md"), page("Back"));
    await symlink("sub/valve.md", at("pump.md"));
    const { told, kept } = await synced();
    const changes = [
      "added turns-back.md",
      "added turns.md/new.md",
      "deleted pump.md",
      "deleted turns-back.md/inner.md",
      "deleted turns.md",
    ];
    assert.deepEqual(told, [...changes, ...faults].sort());
    assert.deepEqual(kept, ["sub/valve.md", "turns-back.md", "turns.md/new.md"]);
  });

  it("keeps nothing of a folder that became a pipe or an empty file, nor of a file that became a bare folder", async () => {
    for (const name of ["turns.md", "turns-back.md", "sub"]) await rm(at(name), { recursive: true });
    execFileSync("mkfifo", [at("turns.md")]);
    await mkdir(at("turns-back.md"));
    await writeFile(at("sub"), "");
    await writeFile(at("last.md"), page("Last"));
    await link(at("last.md"), at("same.md"));
    const { told, kept } = await synced();
    const deleted = ["sub/valve.md", "turns-back.md", "turns.md/new.md"].map((name) => `deleted ${name}`);
    assert.deepEqual(
      told.filter((each) => !faults.includes(each)),
      [
        "added last.md",
        "added same.md",
        ...deleted,
        "failed alias.md SOURCE_MISSING",
        "failed pump.md SOURCE_MISSING",
        "failed sub SOURCE_EMPTY",
        "failed turns.md SOURCE_SPECIAL",
      ],
    );
    assert.deepEqual(kept, ["last.md", "same.md"]);
  });
});
