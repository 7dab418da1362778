import { availableParallelism, totalmem } from "node:os";
import type { Command } from "commander";
import type { LocalApp } from "../../app/app.ts";
import type { Client } from "../../app/assistants/clients.ts";
import type { HomePart } from "../../app/owner/uninstall.ts";
import { asRagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import {
  chooseProfile,
  defaultLanguage,
  type Profile,
  profileModels,
  profiles,
  storeRuntime,
} from "../../models/profile.ts";
import { toggle } from "../../operations/fields.ts";
import { field } from "../../operations/operation.ts";
import { bytes } from "../../operations/text.ts";
import { setupShape, uninstallShape } from "../../shapes/machine.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { confirmRemoval } from "../shell/confirm.ts";
import { table } from "../shell/output.ts";
import type { Session } from "../shell/session.ts";
import { pullWithProgress } from "./pull.ts";

const input = {
  profile: field(
    "--profile <profile>",
    z.enum(profiles).optional(),
    "light, standard or full (default: chosen from memory, cores and GPU)",
  ),
  language: field(
    "--language <code>",
    z
      .string()
      .transform(languageCode)
      .refine((code) => code !== "", "must be a language code, such as en, de or vi")
      .default(defaultLanguage),
    "language of most of your documents, e.g. en, de or vi; decides the embedding model",
  ),
  gpu: toggle("--gpu", "also download CUDA and Vulkan builds of llama.cpp (several hundred MB)"),
};
const examples = ["ragctl setup --profile light", "ragctl setup --language vi"];

/** `ragctl setup`: downloads the models for this machine, once. */
export function registerSetup(program: Command): void {
  defineCommand(declare(program, "setup"), { input, examples }, async (session, flags) => {
    const { profile, language } = flags;
    await session.ownerOnly("set up this machine");
    const gpu = flags.gpu ? await fetchGpuBuilds(session) : undefined;
    const app = await session.app();
    const chosen =
      profile === undefined ? await chooseForMachine(app) : { profile, reasons: ["chosen with --profile"] };
    session.output.note(`profile ${chosen.profile}: ${chosen.reasons.join("; ")}`);
    const ids = await setUpModels(app, chosen.profile, session, language);
    await app.chooseModels(ids);
    const text = [
      `ready: ${ids.join(", ")}`,
      await app.reader(ids),
      "",
      "next:",
      "  ragctl ingest ./docs",
      '  ragctl ask "question"',
      "  ragctl models probe     test how well the model reads (takes a few minutes)",
    ].join("\n");
    session.output.result({ text, data: setupShape({ ...chosen, models: ids, ...(gpu && { gpu }) }) });
  });
}

/** Fetches the builds of llama.cpp for GPUs; names of their packages. */
async function fetchGpuBuilds(session: Session): Promise<readonly string[]> {
  const { installGpuBuilds } = await import("../../app/bundle/gpu.ts");
  session.output.note("downloading GPU builds of llama.cpp with npm");
  const { installed, present } = await installGpuBuilds(session.run.signal);
  session.output.note(
    installed.length > 0 ? `downloaded ${installed.join(", ")}` : "all GPU builds are already installed",
  );
  return [...installed, ...present];
}

/** The two or three letters of a language, without a region: `vi` of `vi-VN`; "" where it is none. */
function languageCode(value: string): string {
  const [code = ""] = /^[a-z]{2,3}(?=$|[-_])/.exec(value.toLowerCase()) ?? [];
  // The names of languages that the Unicode CLDR has, in every build of Node.
  const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  return code !== "" && names.of(code) !== undefined ? code : "";
}

/** The profile that fits this machine, and why. */
export async function chooseForMachine(
  app: LocalApp,
): Promise<{ readonly profile: Profile; readonly reasons: readonly string[] }> {
  const machine = { ramBytes: totalmem(), cores: availableParallelism(), gpu: (await app.gpu()) !== null };
  const first = chooseProfile(machine);
  if (first.profile !== "full") return first;
  return chooseProfile({ ...machine, hubReachable: await (await app.models()).hubReachable() });
}

/** Fetches the missing models of a profile for documents in a language; returns the ids of its models. */
export async function setUpModels(
  app: LocalApp,
  profile: Profile,
  session: Session,
  language: string = defaultLanguage,
): Promise<readonly string[]> {
  const models = await app.models();
  const states = new Map((await models.list()).map((state) => [state.id, state.state]));
  const ids = profileModels(profile, states.get(storeRuntime) ?? "unsupported", language);
  if (states.get(storeRuntime) === "unsupported") {
    session.output.note(
      "no local Milvus exists for this platform; set milvus.publicUri and milvus.privateUri to the address of a server",
    );
  }
  await pullWithProgress(models, ids, session);
  return ids;
}

/** Data outside the home, which only its owner can remove. */
function elsewhere({ settings: { registry, milvus } }: Session): readonly string[] {
  const servers = [registry.url, milvus.publicUri, milvus.privateUri].filter((address) => address !== "");
  return [
    ...(registry.path === "" ? [] : [`the registry ${registry.path}`]),
    ...(servers.length === 0 ? [] : ["data on servers (database and vectors)"]),
    "the program itself; remove it with the tool that installed it, e.g. npm uninstall -g ragctl",
  ];
}

function foundText(home: string, parts: readonly HomePart[]): string {
  const rows = parts.map(({ name, sizeBytes }) => [name, bytes(sizeBytes)]);
  const total = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return `${table([`in ${home}`, "size"], [...rows, ["total", bytes(total)]])}`;
}

const question = "remove all of it, including vectors, chats and keys? Your documents are kept.";

/** Takes our entry out of the configurations of assistants; one that cannot be changed is named. */
async function leave(clients: readonly Client[], { output }: Session): Promise<void> {
  const { updateClientConfig } = await import("../../app/assistants/configure.ts");
  for (const client of clients)
    await updateClientConfig(client, undefined).catch((error: unknown) =>
      output.note(`${client.title} keeps its entry: ${asRagctlError(error).message}`),
    );
}

/** `ragctl uninstall`: what ragctl leaves on this machine, and its removal. */
export function registerUninstall(program: Command): void {
  const removal = {
    input: { yes: toggle("--yes", "do not ask for confirmation") },
    examples: ["ragctl uninstall", "ragctl uninstall --yes"],
  };
  defineCommand(declare(program, "uninstall"), removal, async (session, { yes }) => {
    await session.ownerOnly("remove this home");
    const { home, registry } = session.settings;
    const { homeParts, removeHome } = await import("../../app/owner/uninstall.ts");
    const { configuredClients } = await import("../../app/assistants/configure.ts");
    const [parts, clients] = await Promise.all([
      homeParts(home, registry.url !== ""),
      configuredClients(home),
    ]);
    const assistants = clients.map(({ title }) => title);
    const shown = { home, parts, assistants, elsewhere: elsewhere(session) };
    const left = `not removed: ${shown.elsewhere.join("; ")}`;
    if (parts.length === 0 && assistants.length === 0) {
      const text = `no ragctl data in ${home}\n${left}`;
      session.output.result({ text, data: uninstallShape({ ...shown, removed: false, others: false }) });
      return;
    }
    session.output.note(foundText(home, parts));
    if (assistants.length > 0)
      session.output.note(`ragctl entries in the configuration of ${assistants.join(", ")}`);
    await confirmRemoval(question, yes, session);
    await (await session.machine()).stopHost();
    await leave(clients, session);
    const isGone = await removeHome(home, parts);
    const others = isGone ? "" : `; ${home} itself is kept because it contains other files`;
    session.output.result({
      text: `removed${others}\n${left}`,
      data: uninstallShape({ ...shown, removed: true, others: !isGone }),
    });
  });
}
