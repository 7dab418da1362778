import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { RagctlError } from "../../core/errors.ts";
import { runCommand } from "../../models/sources/command.ts";
import { SourceFailure } from "../../models/sources/source.ts";
import { createStagingFolder } from "../draft.ts";
import { platformName } from "./manifest.ts";
import { gpuBuilds } from "./packages.ts";

/** The folder of this program: of its package.json. */
const installation = resolve(fileURLToPath(new URL("../../../", import.meta.url)));

/** The result for llama.cpp's GPU builds, by the names of their packages. */
export interface GpuReport {
  readonly installed: readonly string[];
  /** Were there before. */
  readonly present: readonly string[];
}

const failed = (specifier: string, { kind, message }: SourceFailure): RagctlError =>
  new RagctlError(
    kind === "network" ? "NETWORK_UNAVAILABLE" : "DOWNLOAD_FAILED",
    `cannot download ${specifier} (${message})`,
    {
      hint: "run it again with network access and npm; for an offline machine, run `ragctl bundle create --gpu` on another one",
    },
  );

/**
 * Fetches the builds of llama.cpp for this platform's GPUs, which the package leaves out, with npm into the
 * program's folder. @throws NETWORK_UNAVAILABLE, DOWNLOAD_FAILED, USAGE_INVALID where the folder cannot be
 * written, RUNTIME_MISSING where this platform has none
 */
export async function installGpuBuilds(
  signal: AbortSignal,
  npm = "npm",
  root = installation,
): Promise<GpuReport> {
  const builds = await gpuBuilds(root, platformName());
  if (builds.length === 0)
    throw new RagctlError("RUNTIME_MISSING", `no GPU build of llama.cpp exists for ${platformName()}`, {
      hint: "to see what ragctl found: ragctl doctor",
    });
  const missing = builds.filter(({ folder }) => !existsSync(join(folder, "package.json")));
  const { extract } = await import("tar");
  for (const { name, version, folder } of missing) {
    const draft = await createStagingFolder(folder);
    try {
      const specifier = `${name}@${version}`;
      await runCommand(npm, ["pack", "--silent", specifier], draft, signal).catch((error: unknown) => {
        throw error instanceof SourceFailure ? failed(specifier, error) : error;
      });
      const archive = join(draft, `${specifier.slice(1).replace("/", "-").replace("@", "-")}.tgz`);
      const unpacked = join(draft, "unpacked");
      await mkdir(unpacked);
      await extract({ file: archive, cwd: unpacked, strip: 1 });
      await rm(folder, { recursive: true, force: true });
      await rename(unpacked, folder);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  const named = (list: typeof builds): readonly string[] => list.map(({ name }) => name);
  return { installed: named(missing), present: named(builds.filter((build) => !missing.includes(build))) };
}
