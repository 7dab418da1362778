import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stringify } from "yaml";
import { loadSettings } from "../../src/config/load.ts";
import { findProjectFile } from "../../src/config/project-file.ts";
import type { Untrusted } from "../../src/config/setting-kinds.ts";
import { type Setting, settingTable } from "../../src/config/settings.ts";
import { folderWith, load } from "./support.ts";

const user = process.geteuid?.();

/**
 * Everything that a project file may set without trust; whoever adds a setting here has thought of a file
 * written by a stranger.
 */
const allowed: Readonly<Record<string, Untrusted>> = {
  "chunk.preset": "any",
  "chunk.maxTokens": "any",
  "chunk.minTokens": "any",
  "chunk.size": "any",
  "chunk.overlap": "any",
  "embed.model": "id",
  "retrieve.candidates": "any",
  "retrieve.topK": "any",
  "retrieve.denseWeight": "any",
  "retrieve.features": "any",
  "retrieve.lexicalWeight": "any",
  "retrieve.nameWeight": "any",
  "retrieve.yearWeight": "any",
  "retrieve.fusion": "any",
  "retrieve.rrfK": "any",
  "retrieve.rerankModel": "id",
  "retrieve.rerankHits": "lower",
  "mmr.lambda": "any",
  "mmr.topK": "any",
  "answer.model": "id",
  "answer.temperature": "lower",
  "answer.maxTokens": "lower",
  "answer.contextTokens": "any",
  "answer.reader": "any",
  "answer.firstTokenMs": "lower",
  "answer.threshold": "higher",
  "answer.neighbours": "any",
  "answer.write": "any",
  "answer.grounded": "lower",
  "parse.timeoutMs": "lower",
  "parse.memoryMb": "lower",
  "parse.maxBytes": "lower",
  "parse.ocr": "any",
  "parse.ocrLanguages": "any",
  "parse.ocrPageTimeoutMs": "lower",
  "parse.loaderTimeoutMs": "lower",
  "parse.loaderMaxBytes": "lower",
  "ingest.collection": "any",
  "ingest.keepVersions": "higher",
  "output.color": "any",
};

/** Values of a setting on both sides of `without`, as far as it has them. */
function beside(
  { kind, choices, fallback, check }: Setting,
  without: unknown,
): { lower: unknown[]; higher: unknown[] } {
  if (choices !== undefined) {
    const at = choices.indexOf(String(without));
    return { lower: choices.slice(0, at), higher: choices.slice(at + 1) };
  }
  const steps = kind === "number" ? [0.01, 0.5] : [1, Number(fallback) * 3 + 1];
  const numbers = steps.flatMap((step) => [Number(without) - step, Number(without) + step]).filter(check);
  return {
    lower: numbers.filter((each) => each < Number(without)),
    higher: numbers.filter((each) => each > Number(without)),
  };
}

test("every setting says what an untrusted project file may do with it, and nothing is the default", () => {
  const stated = [...settingTable.values()].flatMap(({ key, untrusted }) =>
    untrusted === undefined ? [] : [[key, untrusted]],
  );
  assert.deepEqual(Object.fromEntries(stated), allowed);
});

test("an untrusted project file changes no setting further than the setting allows, a trusted one every setting", (context) => {
  const folder = folderWith(context);
  const projectFile = join(folder, "ragctl.yaml");
  const texts: Readonly<Record<string, string>> = {
    "parse.ocrLanguages": "deu",
    "hub.url": "https://evil.example",
    "parse.loaders": "a: b {file}",
  };
  const give = (key: string, value: unknown, trust: boolean): string => {
    const [section = "", name] = key.split(".");
    writeFileSync(
      projectFile,
      stringify(name === undefined ? { [section]: value } : { [section]: { [name]: value } }),
    );
    try {
      assert.equal(load({ projectFile, trust }).origins.get(key), "project file");
      return "taken";
    } catch (error) {
      // The weights and lengths of chunks have rules of their own together; those are not about trust.
      return error instanceof Error &&
        "code" in error &&
        error.code === "CONFIG_UNTRUSTED" &&
        error.message.includes(key)
        ? "refused"
        : "taken";
    }
  };
  const defaults = load({}).settings as unknown as Record<string, Record<string, unknown>>;
  for (const setting of settingTable.values()) {
    const { key, untrusted, kind } = setting;
    const [section = "", name = ""] = key.split(".");
    const without = name === "" ? "" : defaults[section]?.[name];
    const isText = kind === "text";
    const address =
      key.startsWith("milvus.") && key.endsWith("Uri") ? "http://evil:19530" : "https://evil.example";
    const sides = isText
      ? {
          lower: [],
          higher: [
            texts[key] ??
              (untrusted === "id" ? "m" : key.endsWith("Url") || key.endsWith("Uri") ? address : "x"),
          ],
        }
      : beside(setting, without);
    assert.ok(sides.lower.length + sides.higher.length > 0, `${key} has no other value`);
    for (const [side, values] of Object.entries(sides)) {
      for (const value of values) {
        const fits = untrusted === "any" || untrusted === "id" || untrusted === side;
        assert.equal(give(key, value, false), fits ? "taken" : "refused", `${key}: ${value}`);
        assert.equal(give(key, value, true), "taken", `${key}: ${value}, trusted`);
      }
    }
  }
});

test("what a project file may make stricter is measured by the settings of the home", (context) => {
  const folder = folderWith(context, {
    "home/settings.yaml": "answer: { threshold: 0.7, grounded: prefer }",
    "loose.yaml": "answer: { threshold: 0.5, grounded: off }",
    "strict.yaml": "answer: { threshold: 0.8, grounded: strict }",
  });
  const flags = { home: join(folder, "home") };
  assert.throws(() => load({ flags, projectFile: join(folder, "loose.yaml") }), {
    code: "CONFIG_UNTRUSTED",
    message: /answer\.threshold \(allowed: 0\.7 or more\), answer\.grounded \(allowed: strict or prefer\)/,
  });
  assert.equal(load({ flags, projectFile: join(folder, "strict.yaml") }).settings.answer.threshold, 0.8);
});

test("no path names a model in an untrusted project file, wherever it leads", (context) => {
  const paths = [
    "/etc/m.gguf",
    "./m.gguf",
    "../m.gguf",
    "~/m.gguf",
    "C:\\m.gguf",
    ".\\m.gguf",
    "\\\\host\\m.gguf",
  ];
  const folder = folderWith(
    context,
    Object.fromEntries(paths.map((path, at) => [`${at}.yaml`, stringify({ answer: { model: path } })])),
  );
  for (const at of paths.keys())
    assert.throws(() => load({ projectFile: join(folder, `${at}.yaml`) }), {
      code: "CONFIG_UNTRUSTED",
      message: /answer\.model/,
    });
});

test("all keys that reach too far are named at once", (context) => {
  const folder = folderWith(context, {
    "a.yaml": "home: x\nhub: { url: https://e }\nanswer: { model: ./m }\nembed: { model: a, threads: 3 }",
  });
  assert.throws(
    () => load({ projectFile: join(folder, "a.yaml") }),
    /sets home, hub\.url, answer\.model, embed\.threads, which/,
  );
});

test("a path in a file starts at its folder, and ~/ is the user's home", (context) => {
  const folder = folderWith(context, {
    "sub/ragctl.yaml": "answer: { model: ./models/mine.gguf }\nembed: { model: ~/e5 }\nhome: data",
  });
  const { settings } = load({ projectFile: join(folder, "sub", "ragctl.yaml"), trust: true });
  assert.equal(settings.answer.model, join(folder, "sub", "models", "mine.gguf"));
  assert.equal(settings.embed.model, "/home/u/e5");
  assert.equal(settings.home, join(folder, "sub", "data"));
  assert.equal(
    load({ cwd: folder, flags: { "answer.model": "../m.gguf" } }).settings.answer.model,
    join(folder, "..", "m.gguf"),
  );
  assert.equal(
    load({ cwd: folder, flags: { "answer.model": "models/mine.gguf" } }).settings.answer.model,
    join(folder, "models", "mine.gguf"),
  );
});

test("the project file is looked for in the working folder and above it within one repository only", (context) => {
  const folder = folderWith(context, {
    "repo/ragctl.yaml": "",
    "repo/a/b/x": "",
    "repo/.git/HEAD": "ref: refs/heads/main",
    "plain/ragctl.yaml": "",
    "plain/a/x": "",
    "repo/inner/ragctl.yaml": "",
    "tree/.git": `gitdir: ../repo/.git\n`,
    "tree/ragctl.yaml": "",
    "tree/a/x": "",
  });
  const find = (path: string) => findProjectFile(join(folder, path), join(folder, "user"), user).path;
  assert.equal(find("repo/a/b"), join(folder, "repo", "ragctl.yaml"));
  assert.equal(find("repo/inner"), join(folder, "repo", "inner", "ragctl.yaml"));
  assert.equal(find("tree/a"), join(folder, "tree", "ragctl.yaml"));
  assert.equal(find("plain"), join(folder, "plain", "ragctl.yaml"));
  assert.equal(find("plain/a"), undefined);
});

test("a .git that is no repository makes no folder above count", (context) => {
  const folder = folderWith(context, {
    "empty/.git": "",
    "empty/ragctl.yaml": "",
    "empty/a/x": "",
    "bare/ragctl.yaml": "",
    "bare/a/x": "",
  });
  mkdirSync(join(folder, "bare", ".git"));
  for (const name of ["empty", "bare"])
    assert.equal(findProjectFile(join(folder, name, "a"), folder, user).path, undefined, name);
});

const notRoot = process.geteuid?.() === 0 ? false : "only root can give files away";

test("a project file counts only where everything that decides it belongs to the user", {
  skip: notRoot,
}, (context) => {
  const files = { "p/.git/HEAD": "x", "p/ragctl.yaml": "", "p/a/b/x": "" };
  for (const foreign of ["p", "p/.git", "p/ragctl.yaml", "p/a"]) {
    const folder = folderWith(context, files);
    assert.equal(findProjectFile(join(folder, "p/a/b"), folder, user).path, join(folder, "p/ragctl.yaml"));
    chownSync(join(folder, foreign), 65534, 65534);
    assert.equal(findProjectFile(join(folder, "p/a/b"), folder, user).path, undefined, foreign);
  }
  const folder = folderWith(context, { "ragctl.yaml": "answer: { threshold: 0.9 }" });
  chownSync(join(folder, "ragctl.yaml"), 65534, 65534);
  assert.equal(findProjectFile(folder, folder, user).ignored, join(folder, "ragctl.yaml"));
  const own = { env: {}, cwd: folder, userHome: "/home/u", defaultsFile: null };
  const { projectFile, notices } = loadSettings(own);
  assert.equal(projectFile, undefined);
  assert.match(notices[0]?.message ?? "", /ragctl\.yaml ignored: it belongs to another user/);
  assert.equal(loadSettings({ ...own, trust: true }).settings.answer.threshold, 0.9);
});

test("a project file that is a device or a pipe is refused at once", {
  skip: process.platform === "win32" && "POSIX only",
}, (context) => {
  const folder = folderWith(context, { "large.yaml": "x".repeat(1_000_001) });
  symlinkSync("/dev/zero", join(folder, "zero.yaml"));
  execFileSync("mkfifo", [join(folder, "pipe.yaml")]);
  for (const name of ["zero", "pipe"])
    assert.throws(() => load({ projectFile: join(folder, `${name}.yaml`) }), {
      code: "CONFIG_INVALID",
      message: /not a regular file/,
    });
  assert.throws(() => load({ projectFile: join(folder, "large.yaml") }), {
    code: "CONFIG_INVALID",
    message: /larger than 1000000 bytes/,
  });
});
