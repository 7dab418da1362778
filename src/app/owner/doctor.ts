import { statfs } from "node:fs/promises";
import { isModelPath, type Settings } from "../../config/settings.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { VectorStore } from "../../core/retrieval.ts";
import type { Models } from "../../models/models.ts";
import { ownLanguageModel } from "../../models/own.ts";
import type { Check } from "./check.ts";
import { type AnsweringProvider, checkProvider } from "./doctor-provider.ts";
import type { Endpoint } from "./endpoints.ts";

export interface DoctorDrivers {
  readonly settings: Settings;
  readonly models: Models;
  /** Faults found in the registry file. */
  readonly registryFaults: () => readonly string[];
  readonly store: (instance: "public" | "private") => Promise<VectorStore>;
  readonly embedder: () => Promise<{
    readonly id: string;
    readonly provider: string;
    readonly fallback?: string;
  }>;
  readonly gpu: () => Promise<string | null>;
  /** What the registry shows against what the stores hold. */
  readonly vectors: () => Promise<Omit<Check, "name">>;
  /** The provider elsewhere that answers; null where a local model does. */
  readonly provider: () => AnsweringProvider | null;
  /** Value of the environment variable a row names. */
  readonly secret: (name: string) => string | undefined;
  /** Every address that a command could call. */
  readonly endpoints: () => readonly Endpoint[];
}

/** Free space below which ingest is likely to stop, bytes. */
const lowDiskBytes = 2e9;

/** Looks at everything a command needs; a check that throws is a failed check with the error's own hint. */
export async function doctor(drivers: DoctorDrivers): Promise<readonly Check[]> {
  const { settings, models } = drivers;
  const check = async (name: string, look: () => Promise<Omit<Check, "name">>): Promise<Check> => {
    try {
      return { name, ...(await look()) };
    } catch (thrown) {
      const error = asRagctlError(thrown);
      return { name, status: "failed", message: `${error.code}: ${error.message}`, hint: error.hint ?? "" };
    }
  };
  const fine = (message: string): Omit<Check, "name"> => ({ status: "ok", message, hint: "" });
  return [
    await check("node", async () => fine(`${process.version} on ${process.platform}-${process.arch}`)),
    await check("home", async () => {
      const { bavail, bsize } = await statfs(settings.home);
      const free = `${settings.home}, ${((Number(bavail) * Number(bsize)) / 1e9).toFixed(1)} GB free`;
      const low = Number(bavail) * Number(bsize) < lowDiskBytes;
      return low
        ? { status: "warning", message: free, hint: "free some space, or set RAGCTL_HOME to another disk" }
        : fine(free);
    }),
    await check("registry", async () => {
      const faults = drivers.registryFaults();
      return faults.length === 0
        ? fine("sound")
        : {
            status: "failed",
            message: faults.slice(0, 3).join("; "),
            hint: "move registry.sqlite away and ingest again",
          };
    }),
    await check("embedding model", async () => {
      const embedder = await drivers.embedder();
      const fallback =
        embedder.fallback === undefined || embedder.fallback === ""
          ? ""
          : `; CUDA was not used: ${embedder.fallback}`;
      return fine(`${embedder.id} on ${embedder.provider}${fallback}`);
    }),
    await check("answering model", async () => {
      const provider = drivers.provider();
      if (provider !== null) return checkProvider(provider, drivers.secret);
      const ready = (await models.list())
        .filter((state) => state.task === "generate" && state.state === "ready")
        .map((state) => state.id);
      const wanted = settings.answer.model;
      if (isModelPath(wanted)) return fine(await ownLanguageModel(wanted, "answer.model"));
      if (wanted === "auto" ? ready.length > 0 : ready.includes(wanted))
        return fine(wanted === "auto" ? ready.join(", ") : wanted);
      const hint = wanted === "auto" ? "run: ragctl setup" : `run: ragctl models pull ${wanted}`;
      return {
        status: "warning",
        message: "none is here: answers are sentences quoted from the passages",
        hint,
      };
    }),
    await check("public store", async () => fine(await (await drivers.store("public")).version())),
    await check("private store", async () => fine(await (await drivers.store("private")).version())),
    await check("vectors", drivers.vectors),
    await check("gpu", async () => fine((await drivers.gpu()) ?? "none; everything runs on the CPU")),
    await check("network", async () => {
      const could = drivers.endpoints().map(({ of, address }) => `${address} (${of})`);
      const none = "none: no command but setup, models pull and demo opens a connection";
      return fine(could.length === 0 ? none : `could call ${could.join(", ")}`);
    }),
  ];
}
