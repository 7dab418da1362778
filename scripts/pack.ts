// Packs the program with the packages it runs with, for one platform: `npm install -g FILE` unpacks it, fetches nothing and runs no
// script. Packages for developing it, for other platforms and for GPUs stay out (`ragctl setup --gpu` adds those).
//   node scripts/pack.ts [--to FOLDER] [--platform linux-x64]
// Needs the packages of that platform installed: on another machine `npm ci --os linux --cpu x64` before.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as tar from "tar";
import { packageFiles, readInstallation } from "../src/app/bundle/packages.ts";

const root = resolve(fileURLToPath(new URL("..", import.meta.url)));
const { values } = parseArgs({
  options: {
    to: { type: "string", default: "." },
    platform: { type: "string", default: `${process.platform}-${process.arch}` },
  },
});
const { to, platform } = values;

const packageOf = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const writePackage = (path: string, facts: object): void =>
  writeFileSync(path, `${JSON.stringify(facts, null, 2)}\n`);

const stage = mkdtempSync(join(tmpdir(), "ragctl-pack-"));
try {
  const packed = spawnSync("npm", ["pack", "--silent", "--pack-destination", stage], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, RAGCTL_PACK: "archive" },
  });
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`);
  await tar.extract({ file: join(stage, packed.stdout.trim()), cwd: stage });
  const folder = join(stage, "package");
  const { packages } = await readInstallation(root, platform, false);
  for (const { folder: from } of packages) {
    const { files } = await packageFiles(from, platform);
    const into = join(folder, relative(root, from));
    for (const file of files) {
      mkdirSync(dirname(join(into, file)), { recursive: true });
      cpSync(join(from, file), join(into, file));
    }
    // Some would fetch GPU libraries or compile; what they bring is here.
    const { scripts: _, ...rest } = packageOf(join(into, "package.json"));
    writePackage(join(into, "package.json"), { ...rest, gypfile: false });
  }
  const path = join(folder, "package.json");
  const { devDependencies: _, allowScripts: _1, overrides: _2, scripts: _3, ...facts } = packageOf(path);
  const { dependencies, name, version } = facts;
  writePackage(path, { ...facts, bundleDependencies: Object.keys(dependencies) });
  const file = resolve(to, `${name}-${version}-${platform}.tgz`);
  await tar.create({ file, cwd: stage, gzip: true, portable: true }, ["package"]);
  process.stdout.write(`${file}\n`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
