import type { ModelPresence } from "./catalog.ts";

/** What the machine offers. */
export interface Machine {
  readonly ramBytes: number;
  readonly cores: number;
  readonly gpu: boolean;
  /** Whether the model hub answers; only the full profile needs it. Absent: assumed. */
  readonly hubReachable?: boolean;
}

/** `light`: smallest that works; `standard`: for a laptop; `full`: BGE-M3 and a 4B model. */
export type Profile = "light" | "standard" | "full";

export const profiles = ["light", "standard", "full"] as const satisfies readonly Profile[];

const gib = 1024 ** 3;
const standardRamBytes = 6 * gib;
const fullRamBytes = 32 * gib;
const fullCores = 8;

const models: Readonly<Record<Profile, readonly string[]>> = {
  light: ["bge-small-en-v1.5-int8", "smollm2-135m-instruct-q4_1"],
  standard: ["bge-small-en-v1.5-int8", "qwen2.5-coder-1.5b-instruct-q4_k_m"],
  full: ["bge-m3", "qwen3-4b-instruct-2507-q4_k_m"],
};

/** Vector database program every profile needs where it has a build. */
export const storeRuntime = "milvus-lite-2.5.1";

/** Ids of a profile's models, the vector database first unless this platform has none. */
export function profileModels(profile: Profile, runtimeState: ModelPresence): readonly string[] {
  return runtimeState === "unsupported" ? models[profile] : [storeRuntime, ...models[profile]];
}

/** The largest profile the machine runs at a bearable speed, and why. */
export function chooseProfile(machine: Machine): {
  readonly profile: Profile;
  readonly reasons: readonly string[];
} {
  const ram = `${Math.round(machine.ramBytes / gib)} GiB of memory`;
  const cores = `${machine.cores} ${machine.cores === 1 ? "core" : "cores"}`;
  if (machine.ramBytes < standardRamBytes) {
    return { profile: "light", reasons: [`${ram}; standard wants ${standardRamBytes / gib} GiB`] };
  }
  const able = machine.gpu
    ? "a GPU"
    : machine.ramBytes >= fullRamBytes && machine.cores >= fullCores
      ? `${ram} and ${cores}`
      : undefined;
  if (able === undefined) {
    return {
      profile: "standard",
      reasons: [
        `${ram}, ${cores}, no GPU; full wants a GPU, or ${fullRamBytes / gib} GiB and ${fullCores} cores`,
      ],
    };
  }
  if (machine.hubReachable === false) {
    return {
      profile: "standard",
      reasons: [`${able} would carry full`, "the model hub, the only source of its models, is not reachable"],
    };
  }
  return { profile: "full", reasons: [able] };
}
