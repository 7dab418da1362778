import assert from "node:assert/strict";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import Sqlite from "better-sqlite3";
import {
  assertFits,
  builtCommand,
  type Ended,
  errorOf,
  type Home,
  jsonLines,
  openHome,
  record,
  records,
  root,
  skipChain,
  start,
} from "../support.ts";

const canBeAnother = process.platform === "linux" && process.geteuid?.() === 0;

describe("a registry that does not open", { skip: skipChain }, () => {
  let home: Home;
  let registry: string;
  const ragctl = (...words: readonly string[]): Promise<Ended> =>
    start(home.path, home.base, [...builtCommand, ...words]).ended;
  const checksOf = ({ stdout }: Ended) =>
    new Map(records(record(JSON.parse(stdout))["checks"]).map((check) => [String(check["name"]), check]));
  /** Writes the version of the schema that the registry says it has. */
  const setVersion = (version: number): void => {
    const sqlite = new Sqlite(registry);
    sqlite.pragma(`user_version = ${version}`);
    sqlite.close();
  };
  let version = 0;

  before(async () => {
    home = await openHome();
    registry = join(home.path, "registry.sqlite");
    assert.equal((await ragctl("doctor")).status, 0);
    const sqlite = new Sqlite(registry);
    version = Number(sqlite.pragma("user_version", { simple: true }));
    sqlite.close();
    setVersion(version + 99);
  });
  after(() => home[Symbol.asyncDispose]());

  it("is one failed check of doctor, which goes on with what needs none", async () => {
    const ended = await ragctl("doctor", "--json");
    assert.equal(ended.status, 1, ended.stderr);
    assertFits("doctor", JSON.parse(ended.stdout));
    const checks = checksOf(ended);
    const { status, message, hint } = checks.get("registry") ?? {};
    assert.equal(status, "failed");
    assert.match(String(message), /^CONFIG_INVALID: the registry .* was written by a newer ragctl/);
    assert.match(String(hint), /update ragctl/);
    for (const name of ["node", "home", "embedding model", "public store", "private store", "gpu"])
      assert.equal(checks.get(name)?.["status"], "ok", name);
    for (const name of ["vectors", "size", "network"])
      assert.deepEqual(
        [checks.get(name)?.["status"], checks.get(name)?.["message"]],
        ["warning", "not checked: requires the registry"],
      );
    const text = await ragctl("doctor");
    assert.equal(text.status, 1);
    assert.match(text.stdout, /^FAILED {2}registry: CONFIG_INVALID: .*\n {8}→ update ragctl/m);
    const lines = await ragctl("doctor", "--format", "jsonl");
    assert.equal(lines.status, 1);
    assert.equal(jsonLines(lines.stdout).find(({ name }) => name === "registry")?.["status"], "failed");
    assert.equal((await ragctl("doctor", "--wait", "600")).status, 1, "waiting does not mend it");
  });

  it("keeps nobody from listing the models that are here", async () => {
    const { status, stdout, stderr } = await ragctl("models", "list", "--json");
    assert.equal(status, 0, stderr);
    assert.ok(records(record(JSON.parse(stdout))["models"]).some(({ state }) => state === "ready"));
  });

  it("keeps the owner from nothing, and those chosen with --as from stopping the resident process", async () => {
    assert.equal(record(JSON.parse((await ragctl("status", "--json")).stdout))["running"], true);
    for (const command of ["stop", "status", "doctor"]) {
      const ended = await ragctl(command, "--as", "owner", "--json");
      assert.equal(errorOf(ended)["code"], "CONFIG_INVALID", command);
    }
    assert.equal((await ragctl("status")).status, 0);
    const stopped = await ragctl("stop", "--json");
    assert.deepEqual([stopped.status, record(JSON.parse(stopped.stdout))["stopped"]], [0, true]);
    assert.equal((await ragctl("status")).status, 3);
  });

  it("is no way for another user of the machine to stop the resident process", {
    skip: canBeAnother ? false : "only root of Linux runs as another user here",
  }, async () => {
    assert.equal((await ragctl("doctor")).status, 1);
    for (const command of ["stop", "status"]) {
      const as = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
      const { stderr, ...ended } = await start(home.path, root, [...as, ...builtCommand, command]).ended;
      assert.equal(ended.status, 4, stderr);
      assert.match(stderr, /PERMISSION_DENIED: the resident process of .* belongs to another user/);
    }
    assert.equal((await ragctl("status")).status, 0);
  });

  it("may be damaged, cut off, garbage or a folder", async () => {
    setVersion(version);
    for (const [what, damage] of Object.entries({
      "cut off": () => truncateSync(registry, 5000),
      garbage: () => writeFileSync(registry, "no database ".repeat(999)),
      "a folder": () => {
        for (const suffix of ["", "-wal", "-shm"]) rmSync(`${registry}${suffix}`, { force: true });
        mkdirSync(registry);
      },
    })) {
      damage();
      const ended = await ragctl("doctor", "--json");
      assert.equal(ended.status, 1, `${what}: ${ended.stderr}`);
      assert.equal(checksOf(ended).get("registry")?.["status"], "failed", what);
      assert.notEqual(checksOf(ended).get("registry")?.["hint"], "", what);
      assert.equal(checksOf(ended).get("embedding model")?.["status"], "ok", what);
    }
    assert.equal((await ragctl("stop")).status, 0);
  });
});
