import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { Header } from "tar";
import { createBundle } from "../../../src/app/bundle/create.ts";
import { installBundle } from "../../../src/app/bundle/install.ts";
import { manifestName, parseManifest, platformName } from "../../../src/app/bundle/manifest.ts";
import { verifyBundle } from "../../../src/app/bundle/verify.ts";
import { asRagctlError, RagctlError } from "../../../src/core/errors.ts";
import { record, records } from "../../cli/support.ts";
import { never } from "../../models/fixtures.ts";
import { copied, openScene, otherProcessor, type Scene } from "./scene.ts";

const verify = (file: string, key?: string) => verifyBundle(file, key, never());

const install = (scene: Scene, source: string, more: Partial<Parameters<typeof installBundle>[0]> = {}) =>
  installBundle({
    ...{ source, folder: join(scene.base, "installed"), home: join(scene.base, "other home") },
    ...{ isHomeGiven: true, key: undefined, signal: never() },
    ...more,
  });

const refusal = (code: string, pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof RagctlError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, pattern);
  return true;
};

/** The archive with its manifest changed, checksums included. */
async function withManifest(file: string, change: (text: string) => string): Promise<string> {
  const bytes = gunzipSync(await readFile(file));
  const size = Number.parseInt(bytes.toString("latin1", 124, 135), 8);
  const text = Buffer.from(change(bytes.toString("utf8", 512, 512 + size)));
  const { path, mode } = new Header(bytes, 0);
  const header = new Header({ path: String(path), mode: mode ?? 0o644, size: text.length, type: "File" });
  header.encode();
  const rest = bytes.subarray(512 + Math.ceil(size / 512) * 512);
  const padding = Buffer.alloc(-text.length & 511);
  const changed = `${file}.changed`;
  await writeFile(changed, gzipSync(Buffer.concat([header.block ?? Buffer.alloc(0), text, padding, rest])));
  return changed;
}

test("a bundle holds program, packages of this platform, Node.js, models, licences and components, and verifies", async (t) => {
  const scene = await openScene(t, "retrieve:\n  topK: 4\n# token: hidden\nmilvus:\n  token: secret-token\n");
  const file = await scene.create();
  const { manifest } = await verify(file);
  const names = manifest.files.map(({ path }) => path);
  assert.deepEqual(
    names.filter((name) => !name.includes("config/")),
    [
      ...["install", "sbom.cdx.json", "licences.txt", "settings.yaml", "node/bin/node"],
      ...["app/bin/ragctl.js", "app/dist/main.js", "app/package.json"],
      "app/node_modules/@native/this/package.json",
      "app/node_modules/@node-llama-cpp/this-metal/package.json",
      ...["app/node_modules/near/index.js", "app/node_modules/near/package.json"],
      `app/node_modules/near/prebuilds/${platformName()}.node`,
      `app/node_modules/near/node_modules/far/${"long-name-".repeat(12)}/index.js`,
      "app/node_modules/near/node_modules/far/package.json",
      ...["models/tiny/model.onnx", "models/tiny/tokenizer.json"],
    ],
  );
  assert.equal(spawnSync("tar", ["-xzf", file, "-C", scene.base]).status, 0);
  const top = join(scene.base, `ragctl-0.0.7-${platformName()}`);
  assert.match(readFileSync(join(top, "settings.yaml"), "utf8"), /^retrieve:\n {2}topK: 4\n$/);
  assert.match(readFileSync(join(top, "licences.txt"), "utf8"), /^far\t1\.2\.3\t\(MIT OR Apache-2\.0\)$/m);
  const sbom = record(JSON.parse(readFileSync(join(top, "sbom.cdx.json"), "utf8")));
  assert.deepEqual([sbom["bomFormat"], sbom["specVersion"]], ["CycloneDX", "1.6"]);
  assert.deepEqual(
    records(sbom["components"])
      .map((component) => component["purl"] ?? component["name"])
      .sort(),
    [
      "pkg:generic/node@24.0.0",
      "pkg:npm/%40native/this@1.2.3",
      "pkg:npm/%40node-llama-cpp/this-metal@1.2.3",
      "pkg:npm/far@1.2.3",
      "pkg:npm/near@1.2.3",
      "tiny",
    ],
  );
  assert.ok(statSync(join(top, "node/bin/node")).mode & 0o100, "Node.js is executable");
  await assert.rejects(scene.create(), refusal("USAGE_INVALID", /already exists/));
});

test("builds for GPUs are named as left out, and go in where they are asked for", async (t) => {
  const scene = await openScene(t);
  const request = { home: scene.home, models: scene.models, modelIds: [], root: scene.root, signal: never() };
  const [small, large] = await Promise.all(
    [false, true].map((gpu) => createBundle({ ...request, gpu, output: join(scene.base, `${gpu}.tar.gz`) })),
  );
  const names = (report: typeof small) =>
    report?.manifest.files.filter(({ path }) => path.includes("this-cuda")).length;
  assert.deepEqual([names(small), names(large)], [0, 1]);
  assert.ok(small?.leftOut.includes("@node-llama-cpp/this-cuda (--gpu)"), String(small?.leftOut));
  assert.ok(!large?.leftOut.some((each) => each.includes("cuda")));
});

test("a model that is replaced after it was verified is named, and no bundle is left", async (t) => {
  const scene = await openScene(t);
  const weights = join(scene.home, "models/tiny/model.onnx");
  const { models } = scene;
  const swapping: typeof models = {
    ...models,
    async verify(...parameters) {
      const states = await models.verify(...parameters);
      await writeFile(weights, Buffer.alloc(statSync(weights).size, 7));
      return states;
    },
  };
  await assert.rejects(
    scene.create("swapped.tar.gz", { models: swapping }),
    refusal("SOURCE_CHANGED", /models\/tiny\/model\.onnx changed while the bundle was being made/),
  );
  assert.equal(existsSync(join(scene.base, "swapped.tar.gz")), false);
});

test("a file of the program that changes before it is packed is named, and no bundle is left", async (t) => {
  const scene = await openScene(t);
  const script = join(scene.root, "bin/ragctl.js");
  // Half of the progress: every checksum is there, and nothing is packed.
  const onProgress = (done: number, total: number): void => {
    if (done * 2 === total) writeFileSync(script, Buffer.alloc(statSync(script).size, 32));
  };
  await assert.rejects(
    scene.create("changed.tar.gz", { onProgress }),
    refusal("SOURCE_CHANGED", /bin\/ragctl\.js changed while/),
  );
  assert.equal(existsSync(join(scene.base, "changed.tar.gz")), false);
});

test("a bundle installs by its own script, without ragctl, and the command starts on its home", async (t) => {
  const scene = await openScene(t);
  spawnSync("tar", ["-xzf", await scene.create(), "-C", scene.base]);
  const script = join(scene.base, `ragctl-0.0.7-${platformName()}`, "install");
  const run = () => spawnSync(script, ["--to", join(scene.base, "it's here")], { encoding: "utf8" });
  const { stdout, stderr, status } = run();
  // The program of this scene prints what it is asked to do.
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^bundle install \S+ragctl-0\.0\.7-\S+ --to .*it's here$/m);
  await writeFile(join(script, "../app/dist/main.js"), "altered");
  assert.equal(run().status, 7, "a file was altered");
  const manifest = join(script, "..", manifestName);
  await writeFile(manifest, readFileSync(manifest, "utf8").replace(platformName(), "plan9-x64"));
  assert.equal(run().status, 2, "another platform");
});

test("the command starts a program whose name is one of a shell's commands, and runs no other", async (t) => {
  const scene = await openScene(t);
  spawnSync("tar", ["-xzf", await scene.create(), "-C", scene.base]);
  const source = join(scene.base, `ragctl-0.0.7-${platformName()}`);
  const [entry, strange] = ["app/bin/ragctl.js", "app/bin/$(touch ran)`touch ran`it's;touch ran.js"];
  await rename(join(source, entry), join(source, strange));
  for (const name of [manifestName, "SHA256SUMS"]) {
    const text = await readFile(join(source, name), "utf8");
    await writeFile(
      join(source, name),
      text.replaceAll(entry, () => strange),
    );
  }
  const { command } = await install(scene, source);
  const { stdout, stderr } = spawnSync(command, ["list"], { encoding: "utf8", cwd: scene.base });
  assert.equal(stdout, "list\n", stderr);
  assert.equal(existsSync(join(scene.base, "ran")), false);
});

test("an installation over an older one replaces the program and keeps the home, its models and settings", async (t) => {
  const scene = await openScene(t, "retrieve:\n  topK: 4\n");
  const terms = "terms:\n  - { when: [LOTO], also: energy isolation }\n";
  await writeFile(join(scene.home, "glossary.yaml"), terms);
  const file = await scene.create();
  const first = await install(scene, file);
  assert.deepEqual([first.replaced, first.keptModels, first.manifest.packages], [null, [], 4]);
  const home = join(scene.base, "other home");
  assert.equal(readFileSync(join(home, "glossary.yaml"), "utf8"), terms);
  await writeFile(join(home, "registry.sqlite"), "documents");
  await writeFile(join(home, "settings.yaml"), "retrieve:\n  topK: 9\n");
  await writeFile(join(home, "glossary.yaml"), "terms: []\n");
  await writeFile(join(first.folder, "program", "of-the-old-version"), "");
  const again = await install(scene, file, { home: join(scene.base, "unused"), isHomeGiven: false });
  assert.deepEqual([again.replaced, again.keptModels, again.home], ["0.0.7", ["tiny"], home]);
  assert.equal(existsSync(join(first.folder, "program", "of-the-old-version")), false);
  assert.equal(readFileSync(join(home, "registry.sqlite"), "utf8"), "documents");
  assert.match(readFileSync(join(home, "settings.yaml"), "utf8"), /9/);
  assert.equal(readFileSync(join(home, "glossary.yaml"), "utf8"), "terms: []\n");
  assert.deepEqual(readdirSync(first.folder).sort(), ["installation.json", "program", "ragctl"]);
  assert.deepEqual(readdirSync(join(home, "models")), ["tiny"]);
  const started = spawnSync(again.command, ["ask", "a question"], { encoding: "utf8" });
  assert.equal(started.stdout, "ask a question\n", started.stderr);
  await mkdir(join(scene.base, "full"));
  await writeFile(join(scene.base, "full", "letter.txt"), "");
  await assert.rejects(
    install(scene, file, { folder: join(scene.base, "full") }),
    refusal("USAGE_INVALID", /is not a ragctl installation/),
  );
});

/** An installation that was ended before it was done, as a kill leaves it. */
async function withLeftovers(folder: string): Promise<void> {
  await mkdir(join(folder, ".partial-a1B2c3", "app"), { recursive: true });
  await writeFile(join(folder, "installation.json.partial"), "{");
}

test("an installation that was killed before anything was in its place is repeated, and its leavings go", async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  const [folder, models] = [join(scene.base, "installed"), join(scene.base, "other home", "models")];
  await withLeftovers(folder);
  await mkdir(join(models, ".partial-x9Y8z7", "tiny"), { recursive: true });
  const report = await install(scene, file);
  assert.equal(report.replaced, null);
  assert.deepEqual(readdirSync(folder).sort(), ["installation.json", "program", "ragctl"]);
  assert.deepEqual(readdirSync(models), ["tiny"]);
});

test("a record of an installation that is cut short asks for the home, and is replaced where it is named", async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  const { folder } = await install(scene, file);
  const path = join(folder, "installation.json");
  await truncate(path, 40);
  await assert.rejects(install(scene, file, { isHomeGiven: false }), (error) => {
    assert.ok(error instanceof RagctlError && error.hint?.includes("--home"), String(error));
    return refusal("USAGE_INVALID", /installation\.json is damaged/)(error);
  });
  const again = await install(scene, file);
  assert.equal(again.replaced, null);
  assert.equal(record(JSON.parse(readFileSync(path, "utf8")))["version"], "0.0.7");
});

test("a program that was set aside when its successor's installation was killed is back, even if the next one fails", async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  const { folder, command } = await install(scene, file);
  const started = () => spawnSync(command, ["ask"], { encoding: "utf8" }).stdout;
  await withLeftovers(folder);
  await rename(join(folder, "program"), join(folder, ".partial-a1B2c3-before"));
  assert.equal(started(), "");
  const damaged = await copied(file, ".cut");
  await truncate(damaged, 1000);
  await assert.rejects(install(scene, damaged));
  assert.equal(started(), "ask\n");
  await rename(join(folder, "program"), join(folder, ".partial-a1B2c3-before"));
  assert.equal((await install(scene, file)).replaced, "0.0.7");
  assert.equal(started(), "ask\n");
  assert.deepEqual(readdirSync(folder).sort(), ["installation.json", "program", "ragctl"]);
});

test("two installations into one folder take turns", async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  const reports = await Promise.all([install(scene, file), install(scene, file)]);
  assert.deepEqual(new Set(reports.map(({ folder }) => folder)).size, 1);
  assert.deepEqual(readdirSync(join(scene.base, "installed")).sort(), [
    "installation.json",
    "program",
    "ragctl",
  ]);
});

test("a bundle that is cut short, altered or none is refused, and nothing is installed", async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  const bytes = await readFile(file);
  for (const size of [0, 100, bytes.length >> 1, bytes.length - 20]) {
    const short = await copied(file, `.${size}`);
    await truncate(short, size);
    await assert.rejects(verify(short), RagctlError, `${size} bytes`);
    await assert.rejects(install(scene, short), RagctlError);
  }
  const tar = gunzipSync(bytes);
  const last = tar.length - 1024 - 512;
  tar[last] = (tar[last] ?? 0) ^ 1;
  await writeFile(`${file}.altered`, gzipSync(tar));
  await assert.rejects(verify(`${file}.altered`), refusal("HASH_MISMATCH", /models\/tiny\/tokenizer.json/));
  await assert.rejects(install(scene, `${file}.altered`), refusal("HASH_MISMATCH", /different sha256/));
  await writeFile(`${file}.text`, "no archive");
  await assert.rejects(verify(`${file}.text`), refusal("USAGE_INVALID", /is not an archive/));
  await assert.rejects(verify(join(scene.base, "absent")), refusal("SOURCE_MISSING", /does not exist/));
  assert.deepEqual(readdirSync(join(scene.base, "installed")), []);
  assert.deepEqual(readdirSync(join(scene.base, "other home", "models")), []);
});

test("a bundle that states other paths, sizes or kinds than it may is refused before anything is written", async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  const refused = async (change: (text: string) => string, code: string, pattern: RegExp) => {
    const changed = await withManifest(file, change);
    await assert.rejects(install(scene, changed), refusal(code, pattern));
    await assert.rejects(verify(changed), refusal(code, pattern));
  };
  const path = '"path": "app/dist/main.js"';
  for (const outside of ["../../outside", "/etc/outside", "app/./x", "app//x", "app\\\\x", "a\\nb"]) {
    await refused((text) => text.replace(path, `"path": "${outside}"`), "USAGE_INVALID", /no manifest/);
  }
  await refused((text) => text.replace(path, '"path": "app/dist/renamed.js"'), "HASH_MISMATCH", /SHA256SUMS/);
  assert.equal(existsSync(join(scene.base, "outside")), false);

  const tar = gunzipSync(await readFile(file));
  const { manifest } = await verify(file);
  const link = new Header({
    ...{ path: `ragctl-0.0.7-${platformName()}/SHA256SUMS`, type: "SymbolicLink", size: 0 },
    linkpath: "/etc/passwd",
  });
  link.encode();
  const head = 512 + Math.ceil(Number.parseInt(tar.toString("latin1", 124, 135), 8) / 512) * 512;
  await writeFile(`${file}.link`, gzipSync(Buffer.concat([tar.subarray(0, head), link.block ?? tar])));
  await assert.rejects(install(scene, `${file}.link`), refusal("HASH_MISMATCH", /is not a file/));
  assert.ok(manifest.files.length > 0);
});

test("an unpacked bundle whose files are pipes, links or of another size is refused, and nothing is installed", async (t) => {
  const scene = await openScene(t);
  await scene.create();
  const entry = join("app", "dist", "main.js");
  const hostile: Readonly<Record<string, readonly [(path: string) => void, RegExp]>> = {
    pipe: [(path) => spawnSync("mkfifo", [path]), /holds app\/dist\/main.js, which is not a file/],
    link: [(path) => symlinkSync("/etc/passwd", path), /holds app\/dist\/main.js, which is not a file/],
    longer: [
      (path) => writeFileSync(path, "more"),
      /holds 4 bytes of app\/dist\/main.js, but its manifest lists 0/,
    ],
    missing: [() => undefined, /lacks app\/dist\/main.js/],
  };
  for (const [name, [spoil, reason]] of Object.entries(hostile)) {
    const folder = join(scene.base, name);
    await mkdir(folder);
    spawnSync("tar", ["-xzf", join(scene.base, "ragctl.tar.gz"), "-C", folder, "--strip-components=1"]);
    await rm(join(folder, entry));
    spoil(join(folder, entry));
    await assert.rejects(install(scene, folder), refusal("HASH_MISMATCH", reason), name);
  }
  assert.deepEqual(readdirSync(join(scene.base, "installed")), []);
});

test("a bundle with garbage behind its end, with names that fall together or models it does not hold is refused", async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  await writeFile(`${file}.more`, Buffer.concat([await readFile(file), Buffer.from("garbage")]));
  await assert.rejects(install(scene, `${file}.more`), refusal("HASH_MISMATCH", /cannot be unpacked/));
  const { manifest } = await verify(file);
  const [first] = manifest.files;
  assert.ok(first !== undefined);
  const stated = (path: string) => ({ ...first, path });
  const changes: Readonly<Record<string, object>> = {
    "a file twice": { files: [...manifest.files, first] },
    "two names of one form": { files: [...manifest.files, stated("app/\u00e9"), stated("app/e\u0301")] },
    "two names of one case": { files: [...manifest.files, stated("app/STRASSE"), stated("app/straße")] },
    "a file below a file": { files: [...manifest.files, stated(`${first.path}/x`)] },
    "a model without files": { models: [...manifest.models, { id: "ghost", task: "embed", licence: "MIT" }] },
    "files of no model": { files: [...manifest.files, stated("models/ghost/model.onnx")] },
  };
  for (const [name, change] of Object.entries(changes))
    assert.throws(() => parseManifest(JSON.stringify({ ...manifest, ...change })), Error, name);
  assert.deepEqual(readdirSync(join(scene.base, "installed")), []);
});

test("a bundle for another platform is verified and not installed", async (t) => {
  const scene = await openScene(t);
  const other = `${process.platform}-${otherProcessor}`;
  const text = await withManifest(await scene.create(), (each) =>
    each.replace(`"platform": "${platformName()}"`, `"platform": "${other}"`),
  );
  // Its first file names the folder of the other platform only if the whole archive was made there.
  await assert.rejects(verify(text), refusal("USAGE_INVALID", /does not begin with/));
  const folder = join(scene.base, "unpacked");
  await mkdir(folder);
  spawnSync("tar", ["-xzf", join(scene.base, "ragctl.tar.gz"), "-C", folder, "--strip-components=1"]);
  const manifest = join(folder, manifestName);
  await writeFile(manifest, (await readFile(manifest, "utf8")).replace(platformName(), other));
  assert.equal(parseManifest(await readFile(manifest, "utf8")).platform, other);
  await assert.rejects(install(scene, folder), refusal("USAGE_INVALID", new RegExp(`is for ${other}`)));
});

/** Signs as minisign does: Ed25519 over BLAKE2b, and over that signature with the trusted comment. */
async function signed(file: string, comment = "made on Monday") {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const id = Buffer.from("8bytesid");
  const digest = createHash("blake2b512")
    .update(await readFile(file))
    .digest();
  const signature = sign(null, digest, privateKey);
  const global = sign(null, Buffer.concat([signature, Buffer.from(comment)]), privateKey);
  const line = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString("base64");
  await writeFile(
    `${file}.minisig`,
    `untrusted comment: x\n${line([Buffer.from("ED"), id, signature])}\ntrusted comment: ${comment}\n${line([global])}\n`,
  );
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  return line([Buffer.from("Ed"), id, raw]);
}

test("a key asks for a signature of the whole archive by that key", async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  const stranger = await signed(await copied(file, ".other"));
  await assert.rejects(verify(file, stranger), refusal("HASH_MISMATCH", /signature .* does not exist/));
  await assert.rejects(
    verify(file, "/nowhere/minisign.pub"),
    refusal("SOURCE_MISSING", /public key .* does not exist/),
  );
  await assert.rejects(
    install(scene, file, { key: stranger }),
    refusal("HASH_MISMATCH", /signature .* does not exist/),
  );
  const key = await signed(file);
  assert.equal((await verify(file, key)).signature, "made on Monday");
  await writeFile(join(scene.base, "minisign.pub"), `untrusted comment: minisign public key\n${key}\n`);
  assert.equal((await verify(file, join(scene.base, "minisign.pub"))).signature, "made on Monday");
  assert.equal((await install(scene, file, { key })).signature, "made on Monday");
  await assert.rejects(verify(file, stranger), refusal("HASH_MISMATCH", /is not the file that was signed/));
  await assert.rejects(
    verify(file, join(scene.base, "ragctl.tar.gz")),
    refusal("USAGE_INVALID", /not a minisign public key/),
  );
  const text = await readFile(`${file}.minisig`, "utf8");
  await writeFile(`${file}.minisig`, text.replace("Monday", "Sunday"));
  await assert.rejects(verify(file, key), refusal("HASH_MISMATCH", /is not the file that was signed/));
  await writeFile(`${file}.minisig`, text);
  // Bytes behind the archive change nothing that is unpacked, but they were not signed.
  await writeFile(file, Buffer.concat([await readFile(file), Buffer.from("more")]));
  await assert.rejects(verify(file, key), refusal("HASH_MISMATCH", /is not the file that was signed/));
});

test("a signature of minisign itself is accepted", {
  skip: spawnSync("minisign", ["-v"]).error && "no minisign",
}, async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  const [key, secret] = [join(scene.base, "key.pub"), join(scene.base, "key.sec")];
  assert.equal(spawnSync("minisign", ["-G", "-W", "-p", key, "-s", secret]).status, 0);
  assert.equal(spawnSync("minisign", ["-S", "-s", secret, "-m", file, "-t", "for the plant"]).status, 0);
  assert.equal((await verify(file, key)).signature, "for the plant");
  assert.equal(spawnSync("minisign", ["-V", "-p", key, "-m", file]).status, 0);
});

/** Mounting asks for rights that a test run may lack. */
const mountTmpfs = (folder: string, size: string): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]).status === 0;

test("a bundle that does not fit on the disk says so and leaves nothing", async (t) => {
  const scene = await openScene(t);
  const file = await scene.create();
  const small = join(scene.base, "small");
  await mkdir(small);
  if (!mountTmpfs(small, "200k")) return t.skip("no right to mount a file system");
  try {
    await assert.rejects(
      install(scene, file, { folder: join(small, "program"), home: join(small, "home") }),
      refusal("DISK_FULL", /needs 1 MB/),
    );
    assert.deepEqual(readdirSync(join(small, "home", "models")), []);
    const output = join(small, "ragctl.tar.gz");
    const full = (error: unknown) => asRagctlError(error).code === "DISK_FULL";
    await assert.rejects(scene.create(join("small", "ragctl.tar.gz")), full);
    assert.equal(existsSync(output), false);
    assert.deepEqual(readdirSync(small).sort(), ["home", "program"]);
  } finally {
    spawnSync("umount", [small]);
  }
});

test("an archive of another kind is refused at once, however many blocks follow", {
  timeout: 60_000,
}, async (t) => {
  const scene = await openScene(t);
  const file = join(scene.base, "notes.tar.gz");
  const header = new Header({ path: "notes.txt", size: 512, mode: 0o644, type: "File" });
  header.encode();
  await writeFile(
    file,
    gzipSync(Buffer.concat([header.block ?? Buffer.alloc(0), Buffer.alloc(3 << 20, "a")])),
  );
  await assert.rejects(verify(file), refusal("USAGE_INVALID", /is not an archive/));
});
