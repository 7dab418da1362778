import { statfs } from "node:fs/promises";
import { isModelPath } from "../../config/settings.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Models } from "../../models/models.ts";
import { ownLanguageModel } from "../../models/own.ts";
import type { Home } from "../home.ts";
import type { Check } from "./check.ts";
import { answeringProvider, checkProvider } from "./doctor-provider.ts";
import { checkSize } from "./doctor-size.ts";
import { checkVectors } from "./doctor-vectors.ts";
import { endpoints } from "./endpoints.ts";

/** Free space below which ingest is likely to stop, bytes. */
const lowDiskBytes = 2e9;

/** What a check says, without the name of what was looked at. */
type Finding = Omit<Check, "name">;

/** Engines of the machine, beside those of the home. */
export interface DoctorEngines {
  readonly models: Pick<Models, "list">;
  readonly gpu: () => Promise<string | null>;
}

/** Looks at everything a command needs; a check that throws is a failed check with the error's own hint. */
export async function doctor(home: Home, { models, gpu }: DoctorEngines): Promise<readonly Check[]> {
  const checks: readonly (readonly [name: string, look: () => Promise<Finding>])[] = [
    ["node", async () => fine(`${process.version} on ${process.platform}-${process.arch}`)],
    ["home", () => checkDisk(home)],
    ["registry", async () => checkRegistry(home)],
    ["embedding model", () => checkEmbedder(home)],
    ["answering model", () => checkAnswering(home, models)],
    ["public store", async () => fine(await (await home.store("public")).version())],
    ["private store", async () => fine(await (await home.store("private")).version())],
    ["vectors", () => checkVectors(home)],
    ["size", async () => checkSize(home)],
    ["gpu", async () => fine((await gpu()) ?? "none; everything runs on the CPU")],
    ["network", async () => checkNetwork(home)],
  ];
  const findings: Check[] = [];
  for (const [name, look] of checks) findings.push({ name, ...(await look().catch(failed)) });
  return findings;
}

const fine = (message: string): Finding => ({ status: "ok", message, hint: "" });

function failed(thrown: unknown): Finding {
  const { code, message, hint } = asRagctlError(thrown);
  return { status: "failed", message: `${code}: ${message}`, hint: hint ?? "" };
}

async function checkDisk({ settings }: Pick<Home, "settings">): Promise<Finding> {
  const { bavail, bsize } = await statfs(settings.home);
  const freeBytes = Number(bavail) * Number(bsize);
  const message = `${settings.home}, ${(freeBytes / 1e9).toFixed(1)} GB free`;
  return freeBytes < lowDiskBytes
    ? { status: "warning", message, hint: "free some space, or set RAGCTL_HOME to another disk" }
    : fine(message);
}

function checkRegistry({ registry }: Pick<Home, "registry">): Finding {
  const faults = registry.check();
  const isFile = registry.kind === "sqlite";
  if (faults.length === 0)
    return fine(`${registry.version()}${isFile ? "" : ` at ${registry.place}`}: sound`);
  const message = faults.slice(0, 3).join("; ");
  const hint = isFile
    ? "move registry.sqlite away and ingest again"
    : "mend the server's database (REINDEX SCHEMA), or restore a backup of it";
  return { status: "failed", message, hint };
}

async function checkEmbedder({ embedders }: Pick<Home, "embedders">): Promise<Finding> {
  const embedder: Pick<Embedder, "id" | "provider"> & { readonly fallback?: string } = await embedders.of()();
  const { id, provider, fallback = "" } = embedder;
  return fine(`${id} on ${provider}${fallback === "" ? "" : `; CUDA was not used: ${fallback}`}`);
}

async function checkAnswering(
  { settings, providers, secret }: Pick<Home, "settings" | "providers" | "secret">,
  models: Pick<Models, "list">,
): Promise<Finding> {
  const provider = answeringProvider(providers);
  if (provider !== null) return checkProvider(provider, secret);
  const { model } = settings.answer;
  const ready = (await models.list())
    .filter(({ task, state }) => task === "generate" && state === "ready")
    .map(({ id }) => id);
  if (isModelPath(model)) return fine(await ownLanguageModel(model, "answer.model"));
  if (model === "auto" && ready.length > 0) return fine(ready.join(", "));
  if (ready.includes(model)) return fine(model);
  return {
    status: "warning",
    message: "none is here: answers are sentences quoted from the passages",
    hint: model === "auto" ? "run: ragctl setup" : `run: ragctl models pull ${model}`,
  };
}

function checkNetwork(home: Pick<Home, "settings" | "providers" | "tools" | "agents">): Finding {
  const addresses = endpoints(home).map(({ of, address }) => `${address} (${of})`);
  if (addresses.length > 0) return fine(`could call ${addresses.join(", ")}`);
  return fine("none: no command but setup, models pull and demo opens a connection");
}
