import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { createHome } from "../../../config/home.ts";
import { isModelPath } from "../../../config/settings.ts";
import type { Embedder } from "../../../core/documents/embedding.ts";
import { asRagctlError, RagctlError } from "../../../core/errors.ts";
import { plural } from "../../../core/plural.ts";
import type { Models } from "../../../models/models.ts";
import { findLanguageModel } from "../../../models/own.ts";
import { corruptFileError } from "../../../registry/database.ts";
import type { Check } from "../../../shapes/machine.ts";
import { isEndpoint } from "../../engines/endpoint-embedders.ts";
import type { Home } from "../../home.ts";
import { endpoints } from "../endpoints.ts";
import { answeringProvider, checkProvider } from "./provider.ts";
import { answeringModelInfo, readerUse } from "./reader-use.ts";
import { checkSize } from "./size.ts";
import { checkVectors } from "./vectors.ts";

/** Free space below which ingest is likely to stop, bytes. */
const lowDiskBytes = 2e9;

/** The result of a check, without its name. */
type Finding = Omit<Check, "name">;

/** Engines that open without a registry. */
export interface DoctorEngines extends Pick<Home, "settings" | "embedders" | "store"> {
  readonly models: Pick<Models, "list" | "altered">;
  readonly gpu: () => Promise<string | null>;
}

/**
 * Looks at everything a command needs; a check that throws is a failed check with the error's own hint.
 * `registry`: the home over it, or the error that kept it from opening.
 */
export async function doctor(
  engines: DoctorEngines,
  registry: Home | RagctlError,
): Promise<readonly Check[]> {
  const { store, gpu } = engines;
  const inRegistry = (look: (home: Home) => Finding | Promise<Finding>) => async (): Promise<Finding> =>
    registry instanceof RagctlError ? notLooked : look(registry);
  const checks: readonly (readonly [name: string, look: () => Promise<Finding>])[] = [
    ["node", async () => fine(`${process.version} on ${process.platform}-${process.arch}`)],
    ["home", () => checkDisk(engines)],
    ["registry", async () => checkRegistry(registry)],
    ["model files", () => checkModelFiles(engines)],
    ["embedding model", () => checkEmbedder(engines)],
    ["answering model", () => checkAnswering(engines, registry)],
    ["public store", async () => fine(await (await store("public")).version())],
    ["private store", async () => fine(await (await store("private")).version())],
    ["vectors", inRegistry(checkVectors)],
    ["size", inRegistry(checkSize)],
    ["gpu", async () => fine((await gpu()) ?? "none; everything runs on the CPU")],
    ["network", inRegistry(checkNetwork)],
  ];
  const findings: Check[] = [];
  for (const [name, look] of checks) findings.push({ name, ...(await look().catch(failed)) });
  return findings;
}

const notLooked: Finding = {
  status: "warning",
  message: "not checked: requires the registry",
  hint: "fix the registry, then run doctor again",
};

const fine = (message: string): Finding => ({ status: "ok", message, hint: "" });

function failed(thrown: unknown): Finding {
  const { code, message, hint } = asRagctlError(thrown);
  return { status: "failed", message: `${code}: ${message}`, hint: hint ?? "" };
}

async function checkDisk({ settings }: Pick<Home, "settings">): Promise<Finding> {
  createHome(settings.home, settings.registry.path);
  const { bavail, bsize } = await statfs(settings.home);
  const freeBytes = Number(bavail) * Number(bsize);
  const message = `${settings.home}, ${(freeBytes / 1e9).toFixed(1)} GB free`;
  return freeBytes < lowDiskBytes
    ? { status: "warning", message, hint: "free some space, or set RAGCTL_HOME to another disk" }
    : fine(message);
}

async function checkRegistry(opened: Pick<Home, "registry"> | RagctlError): Promise<Finding> {
  if (opened instanceof RagctlError) throw opened;
  const { registry } = opened;
  const faults = await registry.check();
  const isFile = registry.kind === "sqlite";
  if (faults.length === 0)
    return fine(`${registry.version()}${isFile ? "" : ` at ${registry.place}`}: intact`);
  const [fault = ""] = faults;
  const first = fault.replace(/\s+/g, " ").slice(0, 200);
  const found = `${plural(faults.length, "fault")}; the first: ${first}`;
  if (isFile) throw corruptFileError(registry.place, "registry", found);
  return {
    status: "failed",
    message: `the registry at ${registry.place} is damaged (${found})`,
    hint: "repair the server's database (REINDEX SCHEMA), or restore a backup of it",
  };
}

/** Whether the installed weights are the published ones; files unchanged since are not read again. */
export async function checkModelFiles({ models }: Pick<DoctorEngines, "models">): Promise<Finding> {
  const ready = (await models.list()).filter(({ state, task }) => state === "ready" && task !== "runtime");
  const altered = await models.altered(ready.map(({ id }) => id));
  if (altered.length === 0) return fine(`${plural(ready.length, "model")}, all unaltered`);
  const files = altered.map(({ id, file }) => join("models", id, file)).join(", ");
  const ids = [...new Set(altered.map(({ id }) => id))].join(" ");
  return {
    status: "failed",
    message: `altered: ${files}`,
    hint: `delete these files, then run: ragctl models pull ${ids}`,
  };
}

async function checkEmbedder({ embedders }: Pick<Home, "embedders">): Promise<Finding> {
  const embedder: Pick<Embedder, "id" | "provider"> & { readonly fallback?: string } = await embedders.of()();
  const { id, provider, fallback = "" } = embedder;
  // An endpoint is not opened: embedding one text shows whether it is available and matches its row.
  if (isEndpoint(id))
    await (await embedders.of()()).embed(["ready"], { purpose: "query" }, AbortSignal.timeout(10_000));
  return fine(`${id} on ${provider}${fallback === "" ? "" : `; CUDA not used: ${fallback}`}`);
}

/** Without the registry, which could name a provider elsewhere, only the local model is looked at. */
async function checkAnswering(
  { settings, models }: Pick<DoctorEngines, "settings" | "models">,
  registry: Pick<Home, "providers" | "secret" | "localModels" | "readings"> | RagctlError,
): Promise<Finding> {
  if (registry instanceof RagctlError) return checkLocalModel({ settings, models });
  const provider = await answeringProvider(registry.providers);
  const finding =
    provider === null
      ? await checkLocalModel({ settings, models })
      : await checkProvider(provider, registry.secret);
  const outlook = await answeringModelInfo(registry, null);
  const { message, hint } = readerUse(settings.answer, outlook, await models.list());
  if (outlook === null) return { ...finding, hint: [finding.hint, hint].filter(Boolean).join("; ") };
  const who = finding.message === outlook.id ? "" : `${outlook.id} `;
  return { ...finding, message: `${finding.message}; ${who}${message}`, hint: finding.hint || hint };
}

async function checkLocalModel({
  settings,
  models,
}: Pick<DoctorEngines, "settings" | "models">): Promise<Finding> {
  const { model } = settings.answer;
  const ready = (await models.list())
    .filter(({ task, state }) => task === "generate" && state === "ready")
    .map(({ id }) => id);
  if (isModelPath(model)) return fine(await findLanguageModel(model, "answer.model"));
  if (model === "auto" && ready.length > 0) return fine(ready.join(", "));
  if (ready.includes(model)) return fine(model);
  return {
    status: "warning",
    message: "none installed: answers quote lines of the documents",
    hint: model === "auto" ? "run: ragctl setup" : `run: ragctl models pull ${model}`,
  };
}

async function checkNetwork(
  home: Pick<Home, "settings" | "providers" | "tools" | "agents">,
): Promise<Finding> {
  const addresses = (await endpoints(home)).map(({ of, address }) => `${address} (${of})`);
  if (addresses.length > 0) return fine(`could call ${addresses.join(", ")}`);
  return fine("none: only setup, models pull and demo open connections");
}
