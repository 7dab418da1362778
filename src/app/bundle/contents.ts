import { existsSync } from "node:fs";
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import type { FileHash } from "../../models/catalog.ts";
import type { BundledFile } from "./manifest.ts";
import { type Installation, packageFiles } from "./packages.ts";

/** A file on this machine and its place in a bundle. */
export interface BundleFile {
  readonly path: string;
  readonly from: string;
  readonly executable?: boolean;
}

/** Place of the program and its packages in a bundle. */
const appFolder = "app";
/** Place of Node.js in a bundle. */
export const nodePath = "node/bin/node";

/** The file of a bundle that starts ragctl. */
export const entryOf = ({ base, program }: Installation): string =>
  [appFolder, insideOf(base, join(program.folder, "bin/ragctl.js"))].join("/");

const insideOf = (base: string, path: string): string => relative(base, path).split(sep).join("/");

/**
 * Node.js as it will run the program, and its version: the one installed with ragctl, else the one that runs
 * now. @throws RUNTIME_MISSING for one that needs a library of this machine
 */
export async function locateNode(
  root: string,
): Promise<{ readonly origin: BundleFile; readonly version: string }> {
  const own = join(root, "node_modules/node");
  const from = join(own, "bin/node");
  if (existsSync(from)) {
    const { version } = versionSchema.parse(JSON.parse(await readFile(join(own, "package.json"), "utf8")));
    return { origin: { path: nodePath, from, executable: true }, version: `v${version}` };
  }
  const variables: Readonly<Record<string, unknown>> = process.config.variables;
  if (String(variables["node_shared"]) === "true") {
    throw new RagctlError(
      "RUNTIME_MISSING",
      `${process.execPath} depends on a shared libnode of this machine`,
      {
        hint: "install Node.js from nodejs.org, or run `npm install node` next to ragctl, and run the command again",
      },
    );
  }
  return { origin: { path: nodePath, from: process.execPath, executable: true }, version: process.version };
}

const versionSchema = z.object({ version: z.string() });

/**
 * The files of the program and of its packages for `platform`, and the links that are left out.
 * @throws RUNTIME_MISSING for a program that is not built
 */
export async function listProgramFiles(
  { base, program, packages }: Installation,
  platform: string,
): Promise<{ readonly origins: readonly BundleFile[]; readonly leftOut: readonly string[] }> {
  if (!existsSync(join(program.folder, "dist/main.js"))) {
    throw new RagctlError("RUNTIME_MISSING", `ragctl in ${program.folder} has not been built`, {
      hint: "run `npm run build` there",
    });
  }
  const origins = (await programFiles(program.folder)).map((from) => ({
    path: `${appFolder}/${insideOf(base, from)}`,
    from,
    executable: false,
  }));
  const leftOut: string[] = [];
  for (const { folder } of packages) {
    const { files, links } = await packageFiles(folder, platform);
    for (const file of files) {
      const from = join(folder, file);
      const executable = ((await stat(from)).mode & 0o111) !== 0;
      origins.push({ path: `${appFolder}/${insideOf(base, from)}`, from, executable });
    }
    leftOut.push(...links.map((link) => insideOf(base, join(folder, link))));
  }
  return { origins, leftOut };
}

const publishedSchema = z.object({ files: z.array(z.string()) });

/** What package.json publishes, and what npm always adds. */
async function programFiles(folder: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, "package.json"), "utf8");
  const { files } = publishedSchema.parse(JSON.parse(text));
  const published = [...files, "package.json", "LICENSE", "README.md"].map((name) => join(folder, name));
  return (await Promise.all(published.filter(existsSync).map(listFiles))).flat();
}

/** Regular files in a folder in a fixed order, or the file itself; hidden ones of a model are drafts. */
export async function listFiles(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The files of a model in `folder`, without downloads that are not finished and without locks. */
export async function modelOrigins(folder: string): Promise<readonly BundleFile[]> {
  const files = (await listFiles(folder)).filter((path) => !/(?:^|\/)\./.test(insideOf(folder, path)));
  return Promise.all(
    files.map(async (from) => ({
      path: `models/${basename(folder)}/${insideOf(folder, from)}`,
      from,
      executable: ((await stat(from)).mode & 0o111) !== 0,
    })),
  );
}

/** The manifest entry of a file, read as a stream. @throws SOURCE_SPECIAL for anything but a regular file */
export async function describeFile(
  origin: BundleFile,
  fileHash: FileHash,
  signal: AbortSignal,
): Promise<BundledFile> {
  const { path, from, executable = false } = origin;
  const { size } = await lstat(from);
  return { path, size_bytes: size, sha256: await fileHash(from, signal), executable };
}
