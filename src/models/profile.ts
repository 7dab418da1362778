import type { ModelPresence } from "./catalog.ts";

/** The capabilities of the machine. */
export interface MachineProfile {
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

/**
 * Languages of documents with an embedding model each (docs/decisions/0013-embedding-model-and-languages.md).
 */
type Documents = "english" | "multilingual";

const small: Readonly<Record<Documents, string>> = {
  english: "bge-small-en-v1.5-int8",
  multilingual: "multilingual-e5-small",
};
const embedders: Readonly<Record<Profile, Readonly<Record<Documents, string>>>> = {
  light: small,
  standard: small,
  full: { english: "bge-m3", multilingual: "bge-m3" },
};
const answerers: Readonly<Record<Profile, string>> = {
  light: "smollm2-135m-instruct-q4_1",
  standard: "qwen2.5-coder-1.5b-instruct-q4_k_m",
  full: "qwen3-4b-instruct-2507-q4_k_m",
};

/** Vector database program every profile needs where it has a build. */
export const storeRuntime = "milvus-lite-2.5.1";

/** Default language of documents, ISO 639-1. */
export const defaultLanguage = "en";

/**
 * Ids of a profile's models for documents in `language` (ISO 639), the vector database first unless this
 * platform has none.
 */
export function profileModels(
  profile: Profile,
  runtimeState: ModelPresence,
  language: string,
): readonly string[] {
  const documents = language === defaultLanguage ? "english" : "multilingual";
  const ids = [embedders[profile][documents], answerers[profile]];
  return runtimeState === "unsupported" ? ids : [storeRuntime, ...ids];
}

/** The largest profile the machine runs at a bearable speed, and why. */
export function chooseProfile(machine: MachineProfile): {
  readonly profile: Profile;
  readonly reasons: readonly string[];
} {
  const ram = `${Math.round(machine.ramBytes / gib)} GiB of memory`;
  const cores = `${machine.cores} ${machine.cores === 1 ? "core" : "cores"}`;
  if (machine.ramBytes < standardRamBytes) {
    return { profile: "light", reasons: [`${ram}; standard needs ${standardRamBytes / gib} GiB`] };
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
        `${ram}, ${cores}, no GPU; full needs a GPU, or ${fullRamBytes / gib} GiB and ${fullCores} cores`,
      ],
    };
  }
  if (machine.hubReachable === false) {
    return {
      profile: "standard",
      reasons: [
        `${able} is enough for full`,
        "but the model hub, the only source of its models, is not reachable",
      ],
    };
  }
  return { profile: "full", reasons: [able] };
}
