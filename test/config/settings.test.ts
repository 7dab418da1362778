import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { editSettings } from "../../src/config/edit.ts";
import { createHome, defaultHome } from "../../src/config/home.ts";
import { describeSettings, settingValue } from "../../src/config/load.ts";
import { settingTable } from "../../src/config/settings.ts";
import { mountSmallDisk, skipTmpfs } from "../helpers/tmpfs.ts";
import { folderWith, load } from "./support.ts";

test("a flag beats the environment, that the project file, that the defaults file, that the built-in value", (context) => {
  const folder = folderWith(context, {
    "ragctl.yaml": "retrieve: { topK: 3 }\nchunk: { maxTokens: 300, minTokens: 8 }",
    "d.yaml": "retrieve: { topK: 2, candidates: 30 }\nchunk: { maxTokens: 200 }",
  });
  const files = { projectFile: join(folder, "ragctl.yaml"), defaultsFile: join(folder, "d.yaml") };
  const { settings, origins } = load({
    ...files,
    env: { RAGCTL_CHUNK_MAX_TOKENS: "400", RAGCTL_RETRIEVE_TOP_K: "4" },
    flags: { "retrieve.topK": "7", home: undefined },
  });
  assert.deepEqual([settings.retrieve.topK, origins.get("retrieve.topK")], [7, "flag"]);
  assert.deepEqual(
    [settings.chunk.maxTokens, origins.get("chunk.maxTokens")],
    [400, "environment:RAGCTL_CHUNK_MAX_TOKENS"],
  );
  assert.deepEqual([settings.chunk.minTokens, origins.get("chunk.minTokens")], [8, "project file"]);
  assert.deepEqual([settings.retrieve.candidates, origins.get("retrieve.candidates")], [30, "defaults file"]);
  assert.deepEqual([settings.mmr.lambda, origins.get("mmr.lambda")], [0.5, "built-in"]);
});

test("the defaults file that is shipped repeats no default", () => {
  const shipped = load({ defaultsFile: new URL("../../config/defaults.yaml", import.meta.url).pathname });
  assert.deepEqual(shipped.settings, load({}).settings);
  assert.ok([...shipped.origins.values()].every((origin) => origin === "built-in"));
});

test("settings kept in the home stand between project file and defaults file, and cannot move the home", (context) => {
  const folder = folderWith(context, {
    "project/ragctl.yaml": "home: data\nretrieve: { topK: 3 }",
    "project/data/settings.yaml": "retrieve: { topK: 2, candidates: 40 }",
    "moved/settings.yaml": "home: elsewhere",
  });
  const { settings, origins } = load({
    projectFile: join(folder, "project", "ragctl.yaml"),
    trust: true,
    cwd: folder,
  });
  assert.deepEqual([settings.retrieve.topK, settings.retrieve.candidates], [3, 40]);
  assert.equal(origins.get("retrieve.candidates"), "home file");
  assert.throws(
    () => load({ flags: { home: join(folder, "moved") } }),
    /sets "home", which is not allowed in a home's settings/,
  );
});

test("every setting can be set by its own variable, and the value it had by default is accepted", () => {
  const rows = describeSettings(load({}));
  assert.equal(rows.length, settingTable.size);
  for (const row of rows) {
    const [variable = ""] = row.variables;
    assert.match(variable, /^RAGCTL_[A-Z0-9_]+$/);
    if (row.value === "") continue;
    const { origins } = load({ env: { [variable]: String(row.value) } });
    assert.equal(origins.get(row.key), `environment:${variable}`);
  }
});

test("an unknown key is refused with its path and the nearest known one", (context) => {
  const folder = folderWith(context, {
    "a.yaml": "retrieve:\n  topk: 3\n",
    "b.yaml": "retreive:\n  topK: 3\n",
    "c.yaml": "retrieve: 3\n",
    "d.yaml": "- a\n",
    "e.yaml": "__proto__: { a: 1 }\n",
  });
  const file = (name: string) => () => load({ projectFile: join(folder, name) });
  assert.throws(file("a.yaml"), {
    code: "CONFIG_INVALID",
    message: `"retrieve.topk" (${join(folder, "a.yaml")}) is not a setting; did you mean "retrieve.topK"?`,
  });
  assert.throws(file("b.yaml"), /"retreive" .* is not a setting/);
  assert.throws(file("c.yaml"), /"retrieve" .* is a section/);
  assert.throws(file("d.yaml"), /must be a mapping of sections/);
  assert.throws(file("e.yaml"), /"__proto__" .* is not a setting/);
  assert.throws(file("none.yaml"), /cannot read/);
  assert.throws(
    () => load({ flags: { "mmr.lamda": 1 } }),
    /"mmr.lamda" \(flag\) is not a setting; did you mean "mmr.lambda"/,
  );
  assert.throws(
    () => load({ env: { RAGCTL_MMR_LAMDA: "1" } }),
    /RAGCTL_MMR_LAMDA is not a setting; did you mean RAGCTL_MMR_LAMBDA/,
  );
});

test("a file that is not YAML is refused with the place of the fault", (context) => {
  const folder = folderWith(context, { "ragctl.yaml": "chunk:\n  maxTokens: [1\n" });
  assert.throws(() => load({ projectFile: join(folder, "ragctl.yaml") }), /cannot read .*: .*line/);
});

test("a bad value is refused with key, value, origin and range, wherever it stands", (context) => {
  const folder = folderWith(context, { "ragctl.yaml": 'chunk: { maxTokens: "512" }' });
  assert.throws(
    () => load({ flags: { "chunk.maxTokens": 9 } }),
    /^RagctlError: chunk.maxTokens cannot be 9: it must be a whole number from 64 to 8192 \(tokens\)$/,
  );
  assert.throws(() => settingValue("retrieve.topK", "abc"), {
    message: /^retrieve\.topK cannot be "abc": it must be a whole number/,
    hint: "`ragctl config show --effective` prints its value; docs/reference/configuration.md explains it",
  });
  assert.throws(
    () => load({ projectFile: join(folder, "ragctl.yaml") }),
    /chunk.maxTokens is "512" \(project file\)/,
  );
  assert.throws(
    () => load({ env: { MMR_LAMBDA_DEFAULT: "1.5" }, flags: { "mmr.lambda": 1 } }),
    /mmr.lambda is "1.5" \(environment:MMR_LAMBDA_DEFAULT\); it must be a number from 0 to 1/,
  );
  assert.throws(() => load({ env: { BGE_M3_DEVICE: "tpu" } }), /it must be one of auto, cpu, cuda/);
  assert.throws(
    () => load({ flags: { "chunk.minTokens": 600 } }),
    /chunk.minTokens \(600\) is greater than chunk.maxTokens \(512\)/,
  );
  assert.throws(
    () => load({ flags: { "retrieve.denseWeight": 0, "retrieve.lexicalWeight": 0 } }),
    /at least one must be greater/,
  );
});

test("settings that contradict each other are refused with the places they come from", (context) => {
  const folder = folderWith(context, { "ragctl.yaml": "chunk: { minTokens: 600 }" });
  assert.throws(() => load({ projectFile: join(folder, "ragctl.yaml") }), {
    message: "chunk.minTokens (600) is greater than chunk.maxTokens (512)",
    hint: "change one of them where it is set: chunk.minTokens (project file), chunk.maxTokens (built-in)",
  });
});

test("any text as any setting is either accepted within the bounds or refused as CONFIG_INVALID", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...settingTable.keys()),
      fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)),
      (key, value) => {
        try {
          const { settings } = load({ flags: { [key]: value } });
          assert.ok(
            settings.chunk.maxTokens >= 64 &&
              settings.mmr.lambda <= 1 &&
              Number.isFinite(settings.answer.temperature),
          );
        } catch (error) {
          assert.equal(error instanceof Error && "code" in error && error.code, "CONFIG_INVALID");
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("settings cannot be changed", () => {
  const { settings } = load({});
  assert.throws(() => Object.assign(settings.chunk, { maxTokens: 1 }), TypeError);
});

test("a secret is covered when it is shown and when it is wrong", () => {
  const secret = "user:hunter2";
  const rows = describeSettings(
    load({ flags: { "milvus.token": secret, "milvus.publicUri": "http://me:hunter2@host:19530" } }),
  );
  assert.doesNotMatch(JSON.stringify(rows), /hunter2/);
  assert.equal(rows.find((row) => row.key === "milvus.token")?.value, "***");
  const long = { flags: { "milvus.token": `hunter2${"x".repeat(5000)}` } };
  assert.throws(
    () => load(long),
    (error: Error) => !error.message.includes("hunter2"),
  );
});

test("the home is the platform's data folder, or what a flag or RAGCTL_HOME says", (context) => {
  const environment = { XDG_DATA_HOME: "/data" };
  assert.equal(
    defaultHome({ name: "linux", userHome: "/home/u", environment: {} }),
    "/home/u/.local/share/ragctl",
  );
  assert.equal(defaultHome({ name: "linux", userHome: "/home/u", environment }), "/data/ragctl");
  assert.equal(
    defaultHome({ name: "linux", userHome: "/home/u", environment: { XDG_DATA_HOME: "relative" } }),
    "/home/u/.local/share/ragctl",
  );
  assert.equal(
    defaultHome({ name: "darwin", userHome: "/Users/u", environment }),
    "/Users/u/Library/Application Support/ragctl",
  );
  assert.equal(
    defaultHome({ name: "win32", userHome: "C:\\U", environment: { LOCALAPPDATA: "C:\\L" } }),
    "C:\\L\\ragctl",
  );
  const folder = folderWith(context);
  assert.equal(load({ cwd: folder, env: { RAGCTL_HOME: "here" } }).settings.home, join(folder, "here"));
  assert.equal(load({ flags: { home: "" } }).settings.home, "/home/u/.local/share/ragctl");
});

test("the home and its folders are made for their owner only", {
  skip: process.platform === "win32" && "modes are POSIX",
}, (context) => {
  const folder = folderWith(context);
  const paths = createHome(join(folder, "a", "home"));
  for (const path of [paths.home, paths.models, join(paths.home, "cache")])
    assert.equal(statSync(path).mode & 0o777, 0o700, path);
  createHome(paths.home);
  writeFileSync(join(folder, "file"), "");
  assert.throws(() => createHome(join(folder, "file", "home")), { code: "CONFIG_INVALID" });
});

test("a home that cannot be made is refused by the folder that is in the way, and nothing is tried below /proc", {
  skip: process.platform !== "linux" && "needs /proc",
}, (context) => {
  const folder = folderWith(context, { file: "x" });
  const cases: Readonly<Record<string, RegExp>> = {
    "/proc/nope/a": /\/proc is not writable/,
    "/sys/nope": /\/sys is not writable/,
    "/dev/null/x": /\/dev\/null is not a folder/,
    [join(folder, "file", "a", "b")]: /file is not a folder/,
    [join(folder, "file")]: /file is not a folder/,
  };
  for (const [home, reason] of Object.entries(cases))
    assert.throws(
      () => createHome(home),
      { code: "CONFIG_INVALID", message: reason, hint: /RAGCTL_HOME/ },
      home,
    );
  assert.throws(() => createHome(join(folder, "a\0b")), { code: "CONFIG_INVALID" });
});

test("a home below a folder that may not be written is refused by that folder", {
  skip: process.geteuid?.() === 0 && "root may write everywhere",
}, (context) => {
  const folder = folderWith(context);
  chmodSync(folder, 0o500);
  assert.throws(() => createHome(join(folder, "a", "b")), {
    code: "CONFIG_INVALID",
    message: /is not writable/,
  });
});

test("an address never shows its credentials, neither among the settings nor when it is wrong", () => {
  for (const password of ["s3cr3t", "p@ss@w0rd", "a/b", "a:b@c/d"]) {
    const uri = `http://root:${password}@127.0.0.1:1`;
    const row = describeSettings(load({ flags: { "milvus.privateUri": uri } })).find(
      ({ key }) => key === "milvus.privateUri",
    );
    assert.equal(row?.value, "http://***@127.0.0.1:1");
    assert.throws(() => load({ flags: { "hub.url": `ftp://root:${password}@h` } }), {
      code: "CONFIG_INVALID",
      message: /"ftp:\/\/\*\*\*@h"/,
    });
  }
});

test("a model is named by id, plain path or file address, and an address elsewhere is refused", () => {
  const answerer = (value: string) =>
    load({ flags: { "answer.model": value }, cwd: "/srv/project", userHome: "/home/ada" }).settings.answer
      .model;
  assert.deepEqual(
    [
      "qwen3-4b",
      "models/phi.gguf",
      "phi.gguf",
      "./phi.gguf",
      "~/phi.gguf",
      "file:///srv/phi%20mini.gguf",
    ].map(answerer),
    [
      "qwen3-4b",
      "/srv/project/models/phi.gguf",
      "/srv/project/phi.gguf",
      "/srv/project/phi.gguf",
      "/home/ada/phi.gguf",
      "/srv/phi mini.gguf",
    ],
  );
  for (const elsewhere of ["https://hub.example/phi.gguf", "file://elsewhere/phi.gguf"])
    assert.throws(() => answerer(elsewhere), {
      code: "CONFIG_INVALID",
      message: /not a file on this machine/,
    });
});

test("a full disk leaves the settings as they were, and no draft", { skip: skipTmpfs() }, (context) => {
  const folder = folderWith(context);
  using disk = mountSmallDisk(folder, "1m");
  const path = join(folder, "settings.yaml");
  for (const folderName of ["cache", "models"]) mkdirSync(join(folder, folderName));
  writeFileSync(path, "chunk:\n  maxTokens: 300\n");
  disk.fill();
  assert.throws(() => editSettings(path, new Map([["chunk.maxTokens", 200]])), { code: "ENOSPC" });
  disk.empty();
  assert.equal(readFileSync(path, "utf8"), "chunk:\n  maxTokens: 300\n");
  assert.deepEqual(readdirSync(folder).sort(), ["cache", "models", "settings.yaml"]);
});
