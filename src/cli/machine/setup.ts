import { availableParallelism, totalmem } from "node:os";
import { type Command, Option } from "commander";
import type { LocalApp } from "../../app/app.ts";
import {
  chooseProfile,
  defaultLanguage,
  type Profile,
  profileModels,
  profiles,
  storeRuntime,
} from "../../models/profile.ts";
import { setupShape } from "../../shapes/machine.ts";
import { declared } from "../commands.ts";
import { invalidValue } from "../shell/options.ts";
import { action, type Session } from "../shell/session.ts";
import { pullWithProgress } from "./pull.ts";

interface SetupFlags {
  readonly profile?: Profile;
  readonly language: string;
  readonly gpu?: boolean;
}

/** `ragctl setup`: fetch what the machine needs, once. */
export function registerSetup(program: Command): void {
  declared(program, "setup")
    .addOption(
      new Option(
        "--profile <profile>",
        "light, standard or full (default: chosen by memory, cores and GPU)",
      ).choices(profiles),
    )
    .addOption(
      new Option(
        "--language <code>",
        "language of most documents, e.g. en, de or vi; decides the embedding model",
      )
        .argParser(languageCode)
        .default(defaultLanguage),
    )
    .option("--gpu", "also fetch the builds of llama.cpp for CUDA and Vulkan, some hundreds of megabytes")
    .addHelpText("after", "\nExamples:\n  ragctl setup --profile light\n  ragctl setup --language vi")
    .action(
      action(async (session, flags: SetupFlags) => {
        await session.ownerOnly("set the machine up");
        const gpu = flags.gpu === true ? await fetchGpuBuilds(session) : undefined;
        const app = await session.app();
        const chosen =
          flags.profile === undefined
            ? await chooseForMachine(app)
            : { profile: flags.profile, reasons: ["you asked for it"] };
        session.output.note(`profile ${chosen.profile}: ${chosen.reasons.join("; ")}`);
        const ids = await setUp(app, chosen.profile, session, flags.language);
        await app.chooseModels(ids);
        const text = [
          `ready: ${ids.join(", ")}`,
          "",
          "next:",
          "  ragctl ingest ./docs",
          '  ragctl ask "question"',
          "  ragctl models probe     how well the model reads, in a few minutes",
        ].join("\n");
        session.output.result({ text, data: setupShape({ ...chosen, models: ids, ...(gpu && { gpu }) }) });
      }),
    );
}

/** Fetches the builds of llama.cpp for GPUs; names of their packages. */
async function fetchGpuBuilds(session: Session): Promise<readonly string[]> {
  const { installGpuBuilds } = await import("../../app/bundle/gpu.ts");
  session.output.note("fetching builds of llama.cpp for GPUs with npm");
  const { installed, present } = await installGpuBuilds(session.run.signal);
  session.output.note(
    installed.length > 0 ? `fetched ${installed.join(", ")}` : "all of them are here already",
  );
  return [...installed, ...present];
}

/** The two or three letters of a language, without a region: `vi` of `vi-VN`. */
function languageCode(value: string): string {
  const [code] = /^[a-z]{2,3}(?=$|[-_])/.exec(value.toLowerCase()) ?? [];
  // The names of languages that the Unicode CLDR has, in every build of Node.
  if (code !== undefined && new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of(code))
    return code;
  throw invalidValue("must be the code of a language, such as en, de or vi");
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

/** Fetches what is missing of a profile for documents in a language; ids of its models. */
export async function setUp(
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
      "there is no local Milvus for this platform: set milvus.publicUri and milvus.privateUri to a server's address",
    );
  }
  await pullWithProgress(models, ids, session);
  return ids;
}
