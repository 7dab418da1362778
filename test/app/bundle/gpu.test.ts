import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { installGpuBuilds } from "../../../src/app/bundle/gpu.ts";
import { platformName } from "../../../src/app/bundle/manifest.ts";

const { signal } = new AbortController();
const build = `@node-llama-cpp/${platformName().replace(/^win32/, "win")}-cuda`;

/** A program whose llama.cpp has a build for CUDA, and an npm that packs it as `script` says. */
async function programWith(script: string) {
  const root = await mkdtemp(join(tmpdir(), "ragctl-gpu-"));
  const llama = join(root, "node_modules/node-llama-cpp");
  await mkdir(llama, { recursive: true });
  const facts = { name: "node-llama-cpp", version: "9.9.9", license: "MIT" };
  await writeFile(
    join(root, "package.json"),
    JSON.stringify({ name: "ragctl", version: "1.0.0", license: "Apache-2.0" }),
  );
  await writeFile(
    join(llama, "package.json"),
    JSON.stringify({
      ...facts,
      optionalDependencies: { [build]: "9.9.9", "@node-llama-cpp/other-x64-cuda": "9.9.9" },
    }),
  );
  const npm = join(root, "npm");
  await writeFile(npm, `#!/bin/sh\n${script}\n`);
  await chmod(npm, 0o755);
  return { root, npm, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

test("builds for GPUs of this platform are fetched once, beside llama.cpp", async () => {
  const archive = `${build.slice(1).replace("/", "-")}-9.9.9.tgz`;
  await using program = await programWith(
    `[ "$3" = "${build}@9.9.9" ] && mkdir package && echo '{"name":"${build}"}' > package/package.json && tar -czf ${archive} package`,
  );
  const { root, npm } = program;
  assert.deepEqual(await installGpuBuilds(signal, npm, root), { installed: [build], present: [] });
  const text = await readFile(join(root, "node_modules", build, "package.json"), "utf8");
  assert.equal(JSON.parse(text).name, build);
  assert.deepEqual(await installGpuBuilds(signal, npm, root), { installed: [], present: [build] });
});

test("a build that cannot be fetched leaves nothing, and says why", async () => {
  await using program = await programWith(
    "echo 'npm error network getaddrinfo could not resolve' >&2; exit 1",
  );
  const { root, npm } = program;
  await assert.rejects(installGpuBuilds(signal, npm, root), {
    code: "NETWORK_UNAVAILABLE",
    message: /cannot download .*-cuda@9\.9\.9 \(.*resolve/,
  });
});
