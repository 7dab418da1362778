import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findProjectFile } from "../../src/config/files.ts";
import { folderWith, load } from "./support.ts";

test("a project file may not widen what a run touches unless it is trusted", (context) => {
  const cases: Readonly<Record<string, string>> = {
    home: "home: data",
    "registry.path": "registry: { path: r.sqlite }",
    "milvus.publicUri": "milvus: { publicUri: http://evil:19530 }",
    "milvus.privateUri": "milvus: { privateUri: http://evil:19530 }",
    "milvus.token": "milvus: { token: abc }",
    "hub.url": "hub: { url: https://evil.example }",
    "embed.model": "embed: { model: ../../other/model.onnx }",
    "answer.model": "answer: { model: /etc/model.gguf }",
  };
  const folder = folderWith(context, Object.fromEntries(Object.entries(cases).map(([key, text]) => [`${key}.yaml`, text])));
  for (const key of Object.keys(cases)) {
    const projectFile = join(folder, `${key}.yaml`);
    assert.throws(
      () => load({ projectFile }),
      (error: Error & { code?: string; hint?: string }) => {
        assert.equal(error.code, "CONFIG_UNTRUSTED");
        assert.match(error.hint ?? "", /--trust/);
        return error.message.includes(key);
      },
    );
    assert.equal(load({ projectFile, trust: true }).origins.get(key), "project file");
  }
});

test("all keys that reach too far are named at once, and a model of another form is refused too", (context) => {
  const folder = folderWith(context, {
    "a.yaml": "home: x\nhub: { url: https://e }\nanswer: { model: hf:owner/name }\nembed: { model: a\\..\\b }",
  });
  assert.throws(() => load({ projectFile: join(folder, "a.yaml") }), /sets home, hub\.url, answer\.model, embed\.model, which/);
});

test("what stays within the project needs no trust, and a trusted relative path starts at its file", (context) => {
  const folder = folderWith(context, {
    "sub/ragctl.yaml": "answer: { model: models/mine.gguf }\nretrieve: { topK: 3 }",
    "b.yaml": "home: data",
  });
  assert.equal(load({ projectFile: join(folder, "sub", "ragctl.yaml") }).settings.answer.model, "models/mine.gguf");
  assert.equal(load({ projectFile: join(folder, "b.yaml"), trust: true }).settings.home, join(folder, "data"));
});

test("the project file is looked for in the working folder and above it within one repository only", (context) => {
  const folder = folderWith(context, {
    "repo/ragctl.yaml": "",
    "repo/a/b/x": "",
    "plain/ragctl.yaml": "",
    "plain/a/x": "",
    "repo/inner/ragctl.yaml": "",
  });
  mkdirSync(join(folder, "repo", ".git"));
  const found = (path: string) => findProjectFile(join(folder, path), join(folder, "user"));
  assert.equal(found("repo/a/b"), join(folder, "repo", "ragctl.yaml"));
  assert.equal(found("repo/inner"), join(folder, "repo", "inner", "ragctl.yaml"));
  assert.equal(found("plain"), join(folder, "plain", "ragctl.yaml"));
  assert.equal(found("plain/a"), undefined);
});
