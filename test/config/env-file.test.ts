import assert from "node:assert/strict";
import { chownSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runAsCaller } from "../../src/config/caller.ts";
import { describeSettings, environmentValue } from "../../src/config/load.ts";
import { RagctlError } from "../../src/core/errors.ts";
import { folderWith, load } from "./support.ts";

const refused = (code: string, pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof RagctlError && error.code === code, String(error));
  assert.match(error.message, pattern);
  return true;
};

test("a variable may name a file that holds its value, as container systems hand over secrets", (context) => {
  const cwd = folderWith(context, { token: "root:secret\n", two: "a\nb\n", empty: "" });
  const file = join(cwd, "token");
  for (const name of ["MILVUS_TOKEN_FILE", "RAGCTL_MILVUS_TOKEN_FILE"])
    assert.equal(load({ env: { [name]: file } }).settings.milvus.token, "root:secret", name);
  assert.equal(load({ cwd, env: { MILVUS_TOKEN_FILE: "two" } }).settings.milvus.token, "a\nb");
  assert.equal(load({ cwd, env: { MILVUS_TOKEN_FILE: "empty" } }).settings.milvus.token, "");
  // A setting whose own name ends so is a path, as before.
  assert.equal(load({ env: { RAGCTL_MILVUS_KEY_FILE: file } }).settings.milvus.keyFile, file);
  assert.equal(load({ env: { PASSWORD_FILE: "/nowhere" } }).notices.length, 0, "others' variables");
  const absent = { MILVUS_TOKEN_FILE: join(cwd, "absent") };
  assert.throws(() => load({ env: absent }), refused("CONFIG_INVALID", /MILVUS_TOKEN_FILE.*absent/));
  assert.throws(
    () => load({ env: { MILVUS_TOKEN: "x", MILVUS_TOKEN_FILE: file } }),
    refused("CONFIG_INVALID", /MILVUS_TOKEN and MILVUS_TOKEN_FILE/),
  );
  assert.throws(() => load({ env: { RAGCTL_FOO_FILE: file } }), refused("CONFIG_INVALID", /RAGCTL_FOO_FILE/));
  runAsCaller({ cwd, environment: { OPENAI_API_KEY_FILE: file } }, () =>
    assert.equal(environmentValue("OPENAI_API_KEY", cwd), "root:secret"),
  );
});

test("the .env of the home sets what the environment would, below it and above settings.yaml", (context) => {
  const home = folderWith(context, {
    ".env": "MILVUS_TOKEN='root:x'\nRAGCTL_RETRIEVE_TOP_K=7 # hits\nCHUNK_SIZE=300\nREMOTE_KEY=abc\n",
    "settings.yaml": "retrieve:\n  topK: 3\n",
  });
  const loaded = load({ env: { CHUNK_SIZE: "400" }, flags: { home } });
  const { milvus, retrieve, chunk } = loaded.settings;
  assert.deepEqual([milvus.token, retrieve.topK, chunk.size], ["root:x", 7, 400]);
  const row = describeSettings(loaded).find(({ key }) => key === "retrieve.topK");
  assert.equal(row?.origin, `environment:RAGCTL_RETRIEVE_TOP_K (${join(home, ".env")})`);
  runAsCaller({ cwd: home, environment: {} }, () =>
    assert.equal(environmentValue("REMOTE_KEY", home), "abc"),
  );
  runAsCaller({ cwd: home, environment: { REMOTE_KEY: "own" } }, () =>
    assert.equal(environmentValue("REMOTE_KEY", home), "own"),
  );
  const wrong = folderWith(context, { ".env": "RAGCTL_HOME=/elsewhere\n" });
  assert.throws(() => load({ flags: { home: wrong } }), refused("CONFIG_INVALID", /sets "home"/));
  const unknown = folderWith(context, { ".env": "RAGCTL_RETRIVE_TOP_K=7\n" });
  assert.throws(() => load({ flags: { home: unknown } }), refused("CONFIG_INVALID", /RAGCTL_RETRIVE_TOP_K/));
});

test("the .env of the working folder sets harmless settings; nothing in it sends data elsewhere without trust", (context) => {
  const cwd = folderWith(context, {
    ".env":
      "CHUNK_SIZE=300\nMILVUS_PUBLIC_URI=http://evil.example:19530\nUNRELATED=1\nRAGCTL_RETRIEVE_TOP_K=9\n",
  });
  const loaded = load({ cwd });
  assert.deepEqual(
    [loaded.settings.chunk.size, loaded.settings.retrieve.topK, loaded.settings.milvus.publicUri],
    [300, 9, ""],
  );
  const [notice] = loaded.notices;
  assert.equal(notice?.name, "MILVUS_PUBLIC_URI");
  assert.equal(notice?.surprising, true);
  assert.match(notice?.message ?? "", /\.env.*--trust/);
  assert.equal(load({ cwd, trust: true }).settings.milvus.publicUri, "http://evil.example:19530");
  assert.equal(load({ cwd, env: { CHUNK_SIZE: "500" } }).settings.chunk.size, 500);
  const own = folderWith(context, { ".env": "RAGCTL_MILVUS_PUBLIC_URI=http://evil.example:19530\n" });
  assert.throws(() => load({ cwd: own }), refused("CONFIG_UNTRUSTED", /\.env sets milvus\.publicUri/));
  const home = folderWith(context, { ".env": "RAGCTL_HOME=/elsewhere\n" });
  assert.throws(() => load({ cwd: home }), refused("CONFIG_UNTRUSTED", /\.env sets home/));
  // What may only be tightened is compared as the number that the text is.
  const wide = folderWith(context, { ".env": "RAGCTL_ANSWER_MAX_TOKENS=8000\n" });
  assert.throws(() => load({ cwd: wide }), refused("CONFIG_UNTRUSTED", /answer\.maxTokens/));
  // A file of secrets is read where the settings are trusted, and nowhere else.
  const secret = folderWith(context, { ".env": "MILVUS_TOKEN_FILE=/etc/passwd\n" });
  assert.equal(load({ cwd: secret }).settings.milvus.token, "");
  runAsCaller({ cwd: own, environment: {} }, () =>
    assert.equal(environmentValue("UNRELATED", own), undefined),
  );
});

test("a .env of another user is not read, and said", { skip: process.geteuid?.() !== 0 }, (context) => {
  const cwd = folderWith(context, { ".env": "CHUNK_SIZE=300\n" });
  chownSync(join(cwd, ".env"), 12345, 12345);
  const { settings, notices } = load({ cwd });
  assert.equal(settings.chunk.size, 0);
  assert.match(notices[0]?.message ?? "", /\.env ignored: it belongs to another user/);
});
