import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { builtCommand, errorOf, type Home, openHome, record, records, skipChain, start } from "../support.ts";

/** What goes before a command so that modes of files hold for it, which they do not for root. */
const bounded = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

function skipModes(): string | false {
  if (process.platform === "win32") return "modes of files say nothing here";
  const [program, ...parameters] = [...bounded, "true"];
  try {
    execFileSync(program ?? "true", parameters, { stdio: "ignore" });
    return false;
  } catch {
    return "root cannot give up its rights here, so no home is read-only";
  }
}

/** Takes the right to write from everything in a home, and gives it back. */
async function close({ path, base }: Home) {
  const paths = [
    path,
    ...(await readdir(path, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name)),
  ];
  const tmp = join(base, "tmp");
  await mkdir(tmp);
  for (const each of paths) execFileSync("chmod", ["u-w", each]);
  return {
    tmp,
    /** Node keeps its compiled code there too. */
    async leavesNothing() {
      const left = await readdir(tmp);
      assert.deepEqual(
        left.filter((name) => name.startsWith("ragctl")),
        [],
      );
    },
    ragctl: (...words: readonly string[]) => {
      const command = [...builtCommand, ...words, "--json"];
      return start(path, base, ["env", `TMPDIR=${tmp}`, ...bounded, ...command]).ended;
    },
    async [Symbol.asyncDispose]() {
      for (const each of paths) await chmod(each, 0o700);
    },
  };
}

test("a home that cannot be written is listed and backed up from a copy", { skip: skipModes() }, async () => {
  await using home = await openHome("resident:\n  mode: off\n", []);
  const made = await start(home.path, home.base, [...builtCommand, "list"]).ended;
  assert.equal(made.status, 0, made.stderr);
  const upload = join(home.path, "uploads/public/general_knowledge");
  await mkdir(upload, { recursive: true });
  await mkdir(join(home.path, "stores"), { recursive: true });
  await writeFile(join(upload, "a.txt"), "a");
  await writeFile(join(home.path, "stores/public.db"), "vectors");
  const before = await readdir(home.path, { recursive: true });
  await using closed = await close(home);
  for (const command of ["list", "collections", "collections list", "logs", "sources"]) {
    const ended = await closed.ragctl(...command.split(" "));
    assert.equal(ended.status, 0, `${command}: ${ended.stderr}`);
    assert.match(ended.stderr, /home is not writable: working on a copy of the home/, command);
  }
  const shown = await closed.ragctl("config", "show", "--effective");
  assert.equal(shown.status, 0, shown.stderr);
  assert.ok(shown.stdout.includes(home.path));
  assert.equal((await closed.ragctl("status")).status, 3);
  const checks = records(record(JSON.parse((await closed.ragctl("doctor")).stdout))["checks"]);
  const found = Object.fromEntries(checks.map(({ name, status }) => [String(name), status]));
  assert.deepEqual([found["home"], found["registry"]], ["warning", "ok"]);

  const backup = await closed.ragctl("backup", "create", join(home.base, "backup"));
  assert.equal(backup.status, 0, backup.stderr);
  assert.deepEqual(
    records(record(JSON.parse(backup.stdout))["files"]).map(({ path }) => path),
    ["registry.sqlite", "settings.yaml", "stores/public.db", "uploads/public/general_knowledge/a.txt"],
  );
  for (const command of [["prune"], ["backup", "restore", join(home.base, "backup"), "--force"]]) {
    const refused = await closed.ragctl(...command);
    assert.equal(refused.status, 2, refused.stderr);
    const { message, hint } = errorOf(refused);
    assert.ok(String(message).includes(home.path), String(message));
    assert.match(String(hint), /write/);
  }
  await closed.leavesNothing();
  assert.deepEqual(await readdir(home.path, { recursive: true }), before);

  await chmod(closed.tmp, 0o500);
  const uncopied = await closed.ragctl("list");
  await chmod(closed.tmp, 0o700);
  assert.equal(uncopied.status, 2, uncopied.stderr);
  const { message, hint } = errorOf(uncopied);
  assert.ok(String(message).includes(home.path) && String(message).includes(closed.tmp), String(message));
  assert.match(String(hint), /TMPDIR/);
});

test("a home that cannot be written is searched in a copy", { skip: skipModes() || skipChain }, async () => {
  await using home = await openHome("resident:\n  mode: off\n");
  const folder = await home.folder("docs", { "badges.md": "A lost badge is reported to the front desk." });
  await home.json(["ingest", folder]);
  await home.run(["stop"]);
  await using closed = await close(home);
  const ended = await closed.ragctl("search", "lost badge");
  assert.equal(ended.status, 0, ended.stderr);
  assert.match(ended.stdout, /front desk/);
  await closed.leavesNothing();
});
