import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";

const names = z.record(z.string(), z.unknown()).default({});
const packageSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.unknown(),
  os: z.union([z.string(), z.array(z.string())]).optional(),
  cpu: z.union([z.string(), z.array(z.string())]).optional(),
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.looseObject({ optional: z.boolean().optional() })).default({}),
});
type PackageFacts = z.infer<typeof packageSchema>;

/** An installed package. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, or what else the package states; "" where it states nothing. */
  readonly licence: string;
  readonly folder: string;
}

/** A program and the packages that it runs with. */
export interface Installation {
  /** The common parent folder of all packages. */
  readonly base: string;
  readonly program: InstalledPackage;
  readonly packages: readonly InstalledPackage[];
  /** GPU packages that are installed and were not requested. */
  readonly leftOut: readonly string[];
}

/** Required by a package that takes another way under Node: the build of ONNX Runtime for browsers. */
const unusedPackages = new Set(["onnxruntime-web"]);

/** Builds of llama.cpp for a GPU. That for Metal is the only one of its platform and stays. */
const gpuPackage = /^@node-llama-cpp\/.*-(?:cuda|cuda-ext|vulkan)$/;

/** A build of llama.cpp for a GPU, and the folder it belongs into, whether it is there or not. */
export interface GpuBuild {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/**
 * The builds of llama.cpp for the GPUs that machines of `platform` may have, as the program's llama.cpp wants
 * them.
 */
export async function gpuBuilds(root: string, platform: string): Promise<readonly GpuBuild[]> {
  const by = (await readPackage(root)).name;
  const llama = findPackage(root, "node-llama-cpp");
  if (llama === undefined) throw missingPackage("node-llama-cpp", by);
  const { version, optionalDependencies } = await readPackage(llama);
  const own = `@node-llama-cpp/${platform.replace(/^win32/, "win")}-`;
  return Object.keys(optionalDependencies)
    .filter((name) => name.startsWith(own) && gpuPackage.test(name))
    .map((name) => ({ name, version, folder: join(dirname(llama), name) }));
}

/**
 * The program in `root` and every package that it needs to run on `platform` (e.g. `linux-x64`), as npm laid
 * them out. Packages for developing it and those of other platforms are left out, and without `gpu` those for
 * GPUs.
 * @throws RUNTIME_MISSING for one that is not installed
 */
export async function readInstallation(root: string, platform: string, gpu: boolean): Promise<Installation> {
  const program = await readPackage(root);
  const leftOut = new Set<string>();
  const byFolder = new Map<string, InstalledPackage>();
  const waiting: (readonly [folder: string, facts: PackageFacts])[] = [[root, program]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [folder, facts] = next;
    for (const dependency of dependenciesOf(facts)) {
      const found = locate(folder, dependency, facts.name);
      if (found === undefined || byFolder.has(found)) continue;
      const own = await readPackage(found);
      if (!runsOn(own, platform)) continue;
      if (!gpu && gpuPackage.test(own.name)) leftOut.add(`${own.name} (--gpu)`);
      else {
        byFolder.set(found, described(own, found));
        waiting.push([found, own]);
      }
    }
  }
  const packages = [...byFolder.values()].toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
  return { base: baseOf(root, packages), program: described(program, root), packages, leftOut: [...leftOut] };
}

interface Dependency {
  readonly name: string;
  readonly isOptional: boolean;
}

/**
 * The folder of a dependency; undefined for an optional one that is not installed. @throws RUNTIME_MISSING
 */
function locate(folder: string, { name, isOptional }: Dependency, by: string): string | undefined {
  const found = findPackage(folder, name);
  if (found === undefined && !isOptional) throw missingPackage(name, by);
  return found;
}

function dependenciesOf(facts: PackageFacts): readonly Dependency[] {
  const peers = Object.keys(facts.peerDependencies).filter(
    (name) => facts.peerDependenciesMeta[name]?.optional !== true,
  );
  const required = Object.keys(facts.dependencies).filter((name) => !(name in facts.optionalDependencies));
  return [
    ...required.map((name) => ({ name, isOptional: false })),
    ...[...Object.keys(facts.optionalDependencies), ...peers].map((name) => ({ name, isOptional: true })),
  ].filter(({ name }) => !unusedPackages.has(name));
}

/** Where Node finds a package that a file of `folder` imports. */
function findPackage(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, "node_modules", name);
    if (basename(at) !== "node_modules" && existsSync(join(candidate, "package.json"))) return candidate;
    if (dirname(at) === at) return undefined;
  }
}

async function readPackage(folder: string): Promise<PackageFacts> {
  return packageSchema.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
}

/** npm's rule: one of the names, or none that is negated. */
function runsOn({ os, cpu }: PackageFacts, platform: string): boolean {
  const [system = "", processor = ""] = platform.split("-");
  const allows = (list: string | readonly string[] | undefined, value: string): boolean => {
    const each = [list ?? []].flat();
    if (each.includes(`!${value}`)) return false;
    const wanted = each.filter((name) => !name.startsWith("!"));
    return wanted.length === 0 || wanted.includes(value);
  };
  return allows(os, system) && allows(cpu, processor);
}

const licenceText = z.union([z.string(), z.looseObject({ type: z.string() }).transform(({ type }) => type)]);

const described = ({ name, version, license }: PackageFacts, folder: string): InstalledPackage => ({
  name,
  version,
  licence: licenceText.safeParse(license).data ?? "",
  folder,
});

/** The nearest folder above program and packages: npm puts the packages into it, or above it. */
function baseOf(root: string, packages: readonly InstalledPackage[]): string {
  const holds = (base: string): boolean => packages.every(({ folder }) => folder.startsWith(base + sep));
  let base = root;
  while (!holds(base) && dirname(base) !== base) base = dirname(base);
  return base;
}

/**
 * Native code is in a folder or file named after system and processor, e.g. `darwin/arm64/`,
 * `linux-x64.node`.
 */
const platformPart = /(?:^|\/)(linux|darwin|win32)[/-](x64|arm64|arm|ia32)(?:\/|\.node$|$)/;

/**
 * Files of a package, as paths from its folder, without nested packages and native code of other platforms.
 * Links are listed separately: npm installs none.
 */
export async function packageFiles(
  folder: string,
  platform: string,
): Promise<{ readonly files: readonly string[]; readonly links: readonly string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const named = entries
    .map((entry) => ({
      entry,
      path: relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"),
    }))
    .filter(({ path }) => !/(?:^|\/)node_modules(?:\/|$)/.test(path));
  const ofPlatform = named.filter(({ path }) => {
    const [, system, processor] = platformPart.exec(path) ?? [];
    return system === undefined || `${system}-${processor}` === platform;
  });
  const pathsOf = (kind: "isFile" | "isSymbolicLink"): string[] =>
    ofPlatform.flatMap(({ entry, path }) => (entry[kind]() ? [path] : [])).sort();
  return { files: pathsOf("isFile"), links: pathsOf("isSymbolicLink") };
}

const missingPackage = (name: string, by: string): RagctlError =>
  new RagctlError("RUNTIME_MISSING", `package ${name}, required by ${by}, is not installed`, {
    hint: "reinstall ragctl with npm, then run the command again",
  });
