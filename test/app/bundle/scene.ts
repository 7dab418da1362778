import { chmod, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { type BundleRequest, createBundle } from "../../../src/app/bundle/create.ts";
import type { Models } from "../../../src/models/models.ts";
import { root } from "../../cli/support.ts";
import { embedEntry, modelsOf, never, someBytes } from "../../models/fixtures.ts";

const [system, processor] = [process.platform, process.arch];
/** A processor that this machine does not have. */
export const otherProcessor = processor === "x64" ? "arm64" : "x64";

/** A small program with packages around it, and a home with one model. */
export interface Scene {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly models: Models;
  /** Makes a bundle; its path. */
  create(name?: string, more?: Partial<BundleRequest>): Promise<string>;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

const described = (facts: object): string => JSON.stringify({ version: "1.2.3", license: "MIT", ...facts });

/** Packages of a program: two it needs, one of them nested; the rest does not belong into a bundle. */
function programFiles(): Readonly<Record<string, string>> {
  const packages = "node_modules";
  return {
    "package.json": described({
      name: "ragctl",
      version: "0.0.7",
      files: ["bin", "dist", "config"],
      dependencies: { near: "1" },
      optionalDependencies: {
        ...{ "@native/this": "1", "@native/other": "1", absent: "1" },
        ...{ "@node-llama-cpp/this-cuda": "1", "@node-llama-cpp/this-metal": "1" },
      },
      devDependencies: { developing: "1" },
    }),
    "bin/ragctl.js": 'process.stdout.write(process.argv.slice(2).join(" ") + "\\n");\n',
    "dist/main.js": "",
    "src/main.ts": "",
    [`${packages}/near/package.json`]: described({ name: "near", dependencies: { far: "1" } }),
    [`${packages}/near/index.js`]: "near",
    [`${packages}/near/prebuilds/${system}-${processor}.node`]: "native",
    [`${packages}/near/prebuilds/${system}-${otherProcessor}.node`]: "foreign",
    [`${packages}/near/${packages}/far/package.json`]: described({
      name: "far",
      license: "(MIT OR Apache-2.0)",
    }),
    [`${packages}/near/${packages}/far/${"long-name-".repeat(12)}/index.js`]: "far",
    [`${packages}/@native/this/package.json`]: described({
      name: "@native/this",
      os: [system],
      cpu: [processor],
    }),
    [`${packages}/@native/other/package.json`]: described({ name: "@native/other", cpu: [otherProcessor] }),
    [`${packages}/@node-llama-cpp/this-cuda/package.json`]: described({ name: "@node-llama-cpp/this-cuda" }),
    [`${packages}/@node-llama-cpp/this-metal/package.json`]: described({
      name: "@node-llama-cpp/this-metal",
    }),
    [`${packages}/developing/package.json`]: described({ name: "developing" }),
  };
}

export async function openScene(test: TestContext, settings = ""): Promise<Scene> {
  const base = await mkdtemp(join(tmpdir(), "ragctl-bundle-"));
  test.after(() => rm(base, { recursive: true, force: true }));
  const program = join(base, "program");
  await writeFiles(program, programFiles());
  await cp(join(root, "config/bundle"), join(program, "config/bundle"), { recursive: true });
  const weights = { "model.onnx": someBytes(300_000), "tokenizer.json": someBytes(2000) };
  const models = await modelsOf(base, [
    embedEntry("tiny", weights, [
      { type: "file", path: "nowhere", files: { "model.onnx": "a", "tokenizer.json": "b" } },
    ]),
  ]);
  await writeFiles(join(models.home, "models/tiny"), weights);
  await writeFiles(join(models.home, "models/tiny/.part"), { "model.onnx": "half" });
  if (settings !== "") await writeFile(join(models.home, "settings.yaml"), settings);
  const shellNode = join(program, "node_modules/node");
  await writeFiles(shellNode, { "package.json": described({ name: "node", version: "24.0.0" }) });
  await mkdir(join(shellNode, "bin"));
  // A whole Node.js would be 120 MB of every bundle: this one starts the one that runs the tests.
  await writeFile(join(shellNode, "bin/node"), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  await chmod(join(shellNode, "bin/node"), 0o755);
  return {
    ...{ base, root: program, home: models.home, models },
    async create(name = "ragctl.tar.gz", more = {}) {
      const output = join(base, name);
      await createBundle({
        ...{ output, home: models.home, models, modelIds: [], root: program },
        ...{ signal: never(), ...more },
      });
      return output;
    },
  };
}

/** A copy of a file to spoil. */
export async function copied(path: string, ending: string): Promise<string> {
  await copyFile(path, `${path}${ending}`);
  return `${path}${ending}`;
}
