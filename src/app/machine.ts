import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createHome } from "../config/home.ts";
import type { Settings } from "../config/settings.ts";
import { RagctlError } from "../core/errors.ts";
import { lazy, lazyMap } from "../core/lazy.ts";
import type { Instance } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import { type Models, openModelFolder } from "../models/models.ts";
import { hostFiles } from "../resident/address.ts";
import { hostStatus, stopHost } from "../resident/client.ts";
import type { HostStatus } from "../resident/protocol.ts";
import type { Check } from "../shapes/machine.ts";
import { createEmbedders } from "./engines/embedders.ts";
import { openStore } from "./engines/stores.ts";
import { doctor } from "./owner/doctor/doctor.ts";

export type { HostStatus };

/**
 * The operations that need no registry, and work where it does not open. Anyone who may read the home's files
 * may call them: no permission is checked here.
 */
export interface MachineApi {
  /** @throws CONFIG_INVALID where the home cannot be made or read */
  models(): Promise<Models>;
  /** The resident process; null where none runs. @throws PERMISSION_DENIED in another user's home */
  hostStatus(): Promise<HostStatus | null>;
  /** False where no resident process runs. @throws PERMISSION_DENIED in another user's home */
  stopHost(): Promise<boolean>;
  /** Looks at everything but the registry, which failed to open with `fault`. */
  doctor(fault: RagctlError, run: Run): Promise<readonly Check[]>;
}

const manifestPath = fileURLToPath(new URL("../../models/manifest.yaml", import.meta.url));

/** The models of a home. @throws CONFIG_INVALID when the manifest is not valid */
export const modelsOf = ({ home, hub }: Settings): Promise<Models> =>
  openModelFolder({ home, manifestPath, hubUrl: hub.url });

/** Name of the accelerator llama.cpp found; null for none. */
export async function detectGpu(): Promise<string | null> {
  const { gpuName } = await import("../drivers/runtime/llama.ts");
  return gpuName();
}

/** Creates the operations that need no registry. */
export function createMachineApi(settings: Settings): MachineApi {
  return {
    models: lazy(() => {
      createHome(settings.home, settings.registry.path);
      return modelsOf(settings);
    }),
    async hostStatus() {
      await requireOwnHome(settings.home);
      return hostStatus(settings.home);
    },
    async stopHost() {
      await requireOwnHome(settings.home);
      return stopHost(settings.home);
    },
    async doctor(fault, run) {
      await using resources = new AsyncDisposableStack();
      const models = lazy(() => modelsOf(settings));
      const store = lazyMap((instance: Instance) => openStore(instance, settings, models, resources, run));
      const embedders = createEmbedders(settings, models, resources);
      return await doctor({ settings, embedders, store, models: await models(), gpu: detectGpu }, fault);
    },
  };
}

/**
 * The resident process's folder is readable by its user only. Another user could not reach the process, and
 * would see it reported as not running.
 */
async function requireOwnHome(home: string): Promise<void> {
  const { folder } = hostFiles(home);
  try {
    await access(folder, constants.R_OK | constants.X_OK);
  } catch (cause) {
    // Without the folder no process ever ran here.
    if (!(cause instanceof Error && "code" in cause && cause.code === "EACCES")) return;
    throw new RagctlError("PERMISSION_DENIED", `the resident process of ${home} belongs to another user`, {
      hint: "run the command as the user who owns the home",
      cause,
    });
  }
}
