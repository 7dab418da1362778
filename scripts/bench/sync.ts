// How `sync` does on a folder of many files, and whether it ends in the same state when it is killed at
// random.
// Usage: node scripts/bench/sync.ts --models HOME [--files 1000] [--kills 20] [--program bin/ragctl.js]
// HOME is a ragctl home whose models are linked into the temporary ones; nothing in it is changed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { matchAllFilter } from "../../src/core/retrieval.ts";
import { z } from "../../src/core/schema.ts";
import open from "../../src/drivers/stores/milvus.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string" },
    files: { type: "string", default: "1000" },
    kills: { type: "string", default: "20" },
    program: { type: "string", default: join(import.meta.dirname, "../../bin/ragctl.js") },
  },
});
if (values.models === undefined) throw new Error("name a home that has models: --models HOME");
const [files, kills, models] = [Number(values.files), Number(values.kills), join(values.models, "models")];
const program = resolve(values.program);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Numbers in [0, 1) that are the same in every run. Source: mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const textOf = (file: number, revision: number): string =>
  `# Pump station ${file}\n\n${Array.from({ length: 4 }, (_, line) => `Valve ${file * 7 + line} of station ${file} opens at ${line + 3} bar; revision ${revision} was checked by crew ${file % 13}.`).join("\n\n")}\n`;

interface Place {
  readonly base: string;
  readonly home: string;
  readonly folder: string;
}

async function place(name: string, base: string): Promise<Place> {
  const home = join(base, `home-${name}`);
  await mkdir(join(home, "models"), { recursive: true, mode: 0o700 });
  for (const id of await readdir(models)) await symlink(join(models, id), join(home, "models", id));
  return { base, home, folder: join(base, "folder") };
}

function start({ home, base }: Place, parameters: readonly string[]) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program, ...parameters, "--format", "json"], {
    cwd: base,
    env: { PATH, HOME, RAGCTL_HOME: home },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part: Buffer) => {
    stdout += part.toString();
  });
  child.stderr.on("data", (part: Buffer) => {
    stderr += part.toString();
  });
  const ended = new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  });
  return { child, ended };
}

async function json(at: Place, parameters: readonly string[]): Promise<Record<string, unknown>> {
  const { status, stdout, stderr } = await start(at, parameters).ended;
  assert.equal(status, 0, `${parameters.join(" ")}: ${stderr}`);
  return z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
}

const list = z.object({
  documents: z.array(z.object({ id: z.string(), path: z.string(), sha256: z.string(), chunks: z.number() })),
});
const counts = z.object({ counts: z.record(z.string(), z.number()), duration_ms: z.number() });

async function documents(at: Place) {
  return list.parse(await json(at, ["list"])).documents;
}

/** What is visible, and every chunk that is really in the store, whatever document it belongs to. */
async function state(at: Place) {
  await json(at, ["prune", "--keep", "0"]);
  const visible = (await documents(at))
    .map(({ path, sha256, chunks }) => `${path} ${sha256} ${chunks}`)
    .sort();
  await json(at, ["search", "valve"]);
  const status = z
    .object({ instances: z.array(z.object({ uri: z.string() })) })
    .parse(await json(at, ["status"]));
  await using store = open({ id: "public", uri: status.instances[0]?.uri ?? "", indexKind: "flat" });
  const stored: string[] = [];
  for await (const chunk of store.list("bench", matchAllFilter))
    stored.push(`${chunk.ordinal} ${createHash("sha256").update(chunk.text).digest("hex")}`);
  return { visible, stored: stored.sort() };
}

/** The folder as files by name, changed in place. */
function folderOf(folder: string) {
  const names = new Map<string, number>();
  const revisions = new Map<number, number>();
  return {
    names,
    async add(file: number) {
      const name = `area${file % 20}/station${file}.md`;
      names.set(name, file);
      await mkdir(join(folder, `area${file % 20}`), { recursive: true });
      await writeFile(join(folder, name), textOf(file, 0));
    },
    async edit(name: string) {
      const file = names.get(name) ?? 0;
      const revision = (revisions.get(file) ?? 0) + 1;
      revisions.set(file, revision);
      await writeFile(join(folder, name), textOf(file, revision));
    },
    async move(name: string, to: string) {
      await mkdir(join(folder, to), { recursive: true });
      const next = `${to}/${name.slice(name.lastIndexOf("/") + 1)}`;
      await rename(join(folder, name), join(folder, next));
      names.set(next, names.get(name) ?? 0);
      names.delete(name);
    },
    async remove(name: string) {
      await unlink(join(folder, name));
      names.delete(name);
    },
  };
}

function sample(names: Iterable<string>, count: number, next: () => number): readonly string[] {
  return [...names]
    .map((name) => ({ name, at: next() }))
    .sort((one, two) => one.at - two.at)
    .slice(0, count)
    .map(({ name }) => name);
}

const base = await mkdtemp(join(tmpdir(), "ragctl-sync-"));
const opened: Place[] = [];
try {
  const next = random(20_260_101);
  const first = await place("one", base);
  opened.push(first);
  const folder = folderOf(first.folder);
  for (let file = 0; file < files; file++) await folder.add(file);
  const sync = ["sync", first.folder, "-c", "bench"];
  const initial = counts.parse(await json(first, sync));
  say(`first sync: ${JSON.stringify(initial.counts)} in ${(initial.duration_ms / 1000).toFixed(1)} s`);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  await json(first, sync); // files written within the clock's tick of the first sync are read once more
  const idle = counts.parse(await json(first, sync));
  say(`nothing changed: ${JSON.stringify(idle.counts)} in ${Math.round(idle.duration_ms)} ms`);
  assert.deepEqual([idle.counts["unchanged"], idle.counts["hashed"]], [files, 0]);

  const [edits, moves, deletes] = [
    Math.round(files * 0.05),
    Math.round(files * 0.02),
    Math.round(files * 0.03),
  ];
  const before = new Map((await documents(first)).map((document) => [document.path, document.id]));
  const chosen = sample(folder.names.keys(), edits + moves + deletes, next);
  const moved = chosen.slice(edits, edits + moves);
  for (const name of chosen.slice(0, edits)) await folder.edit(name);
  for (const name of moved) await folder.move(name, "archive");
  for (const name of chosen.slice(edits + moves)) await folder.remove(name);
  const plan = counts.parse(await json(first, [...sync, "--dry-run"]));
  const changed = counts.parse(await json(first, sync));
  say(
    `${edits} edits, ${moves} moves, ${deletes} deletes: ${JSON.stringify(changed.counts)} in ${(changed.duration_ms / 1000).toFixed(1)} s`,
  );
  const expected = {
    added: 0,
    updated: edits,
    moved: moves,
    deleted: deletes,
    unchanged: files - edits - moves - deletes,
    failed: 0,
  };
  for (const [name, count] of Object.entries(expected)) {
    assert.equal(changed.counts[name], count, name);
    assert.equal(plan.counts[name], count, `--dry-run ${name}`);
  }
  const after = new Map((await documents(first)).map((document) => [document.path, document.id]));
  for (const name of moved) {
    const to = join(first.folder, "archive", name.slice(name.lastIndexOf("/") + 1));
    assert.equal(after.get(to), before.get(join(first.folder, name)), `${name} lost its identity`);
  }
  say(`the ${moves} moved documents kept their ids`);

  let [struck, fresh] = [0, files];
  const longestMs = Math.max(2000, changed.duration_ms + 2500);
  for (let round = 0; round < kills; round++) {
    const some = sample(folder.names.keys(), 40, next);
    for (const name of some.slice(0, 20)) await folder.edit(name);
    for (const name of some.slice(20, 30)) await folder.move(name, `round${round}`);
    for (const name of some.slice(30)) await folder.remove(name);
    for (let count = 0; count < 10; count++) await folder.add(fresh++);
    const { child, ended } = start(first, sync);
    const timer = setTimeout(() => child.kill("SIGKILL"), Math.random() * longestMs);
    const { status } = await ended;
    clearTimeout(timer);
    if (status === null) struck++;
  }
  await json(first, sync);
  const second = await place("two", base);
  opened.push(second);
  await json(second, sync);
  const [killed, clean] = [await state(first), await state(second)];
  assert.deepEqual(killed.visible, clean.visible);
  assert.deepEqual(killed.stored, clean.stored);
  say(
    `${struck} of ${kills} syncs killed with SIGKILL: the same ${clean.visible.length} documents and ${clean.stored.length} chunks as a home that was never disturbed`,
  );
} finally {
  for (const at of opened) await start(at, ["stop"]).ended;
  await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
