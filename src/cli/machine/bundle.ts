import type { Command } from "commander";
import type { BundleReport } from "../../app/bundle/create.ts";
import type { InstallReport } from "../../app/bundle/install.ts";
import { callerPath } from "../../config/caller.ts";
import { bytes, counted } from "../../operations/text.ts";
import { bundleShape, installationShape } from "../../shapes/machine.ts";
import { declared } from "../commands.ts";
import { listOption } from "../shell/options.ts";
import { openProgress } from "../shell/progress.ts";
import { action } from "../shell/session.ts";

const loadCreate = () => import("../../app/bundle/create.ts");
const loadVerify = () => import("../../app/bundle/verify.ts");
const loadInstall = () => import("../../app/bundle/install.ts");
const loadSignature = () => import("../../app/bundle/signature.ts");

const keyHelp = "minisign public key, or a file that contains it; fail unless the bundle is signed with it";

/** `ragctl bundle`: everything that runs, in one archive, for machines without a network. */
export function registerBundle(program: Command): void {
  const bundle = declared(program, "bundle");
  registerCreate(bundle);
  registerVerify(bundle);
  registerInstall(bundle);
}

interface CreateFlags {
  readonly output: string;
  readonly model?: readonly string[];
  readonly gpu?: boolean;
}

function registerCreate(bundle: Command): void {
  bundle
    .command("create")
    .description(
      "write one archive for machines of this platform with the program, Node.js, models and settings",
    )
    .requiredOption("--output <file>", "archive to create, e.g. ragctl.tar.gz")
    .addOption(
      listOption("--model <id>", "include only this model; may be repeated (default: all installed models)"),
    )
    .option("--gpu", "include CUDA and Vulkan builds of llama.cpp (adds several hundred MB)")
    .addHelpText(
      "after",
      "\nExamples:\n  ragctl bundle create --output ragctl.tar.gz\n  minisign -Sm ragctl.tar.gz",
    )
    .action(
      action(async (session, flags: CreateFlags) => {
        await session.ownerOnly("create a bundle");
        const models = await (await session.app()).models();
        const { createBundle } = await loadCreate();
        using progress = openProgress("bundle", "byte", session.output);
        progress.stage("verifying the models");
        session.onStop("stopping: the unfinished archive is removed");
        let isTold = false;
        const tell = (total: number): void => {
          if (!isTold)
            session.output.note(`packing ${bytes(total)} into ${flags.output}; this takes a few minutes`);
          isTold = true;
        };
        const report = await createBundle({
          output: callerPath(flags.output),
          home: session.settings.home,
          models,
          modelIds: flags.model ?? [],
          gpu: flags.gpu === true,
          onProgress: (done, total) => {
            // Where stderr is no terminal nothing else is said until the end.
            tell(total);
            progress.set(done, total);
          },
          signal: session.run.signal,
        });
        progress.close();
        session.output.result({ text: createdText(report), data: bundleShape(report) });
      }),
    );
}

function registerVerify(bundle: Command): void {
  bundle
    .command("verify")
    .description("check every file of a bundle against its checksum; exits with 7 on a mismatch")
    .argument("<file>", "archive written by `ragctl bundle create`")
    .option("--key <key>", keyHelp)
    .addHelpText("after", "\nExample:\n  ragctl bundle verify ragctl.tar.gz --key minisign.pub")
    .action(
      action(async (session, file: string, flags: { readonly key?: string }) => {
        const { verifyBundle } = await loadVerify();
        const key = await keyOf(flags);
        using progress = openProgress("verify", "byte", session.output);
        const report = await verifyBundle(callerPath(file), key, session.run.signal, (done, total) =>
          progress.set(done, total),
        );
        progress.close();
        session.output.result({ text: verifiedText(report), data: bundleShape(report) });
      }),
    );
}

interface InstallFlags {
  readonly to: string;
  readonly key?: string;
}

function registerInstall(bundle: Command): void {
  bundle
    .command("install")
    .description(
      "install a bundle into a folder and its models into the home; replaces an older installation in the folder",
    )
    .argument("<file>", "archive written by `ragctl bundle create`, or the folder it was unpacked to")
    .requiredOption("--to <folder>", "folder for the program: new, empty, or an earlier installation")
    .option("--key <key>", keyHelp)
    .addHelpText(
      "after",
      "\nExample:\n  ragctl bundle install ragctl.tar.gz --to ~/ragctl\n\nWithout ragctl:\n  tar -xzf ragctl.tar.gz && ragctl-*/install --to ~/ragctl",
    )
    .action(
      action(async (session, source: string, flags: InstallFlags) => {
        await session.ownerOnly("install a bundle");
        const { installBundle } = await loadInstall();
        using progress = openProgress("install", "byte", session.output);
        session.onStop("stopping: the earlier installation is kept");
        const report = await installBundle({
          source: callerPath(source),
          folder: callerPath(flags.to),
          home: session.settings.home,
          isHomeGiven: session.loaded.origins.get("home") !== "built-in",
          key: await keyOf(flags),
          onProgress: (done, total) => progress.set(done, total),
          signal: session.run.signal,
        });
        progress.close();
        session.output.result({ text: installedText(report), data: installationShape(report) });
      }),
    );
}

/** A key itself, or a path as the caller means it. */
async function keyOf({ key }: { readonly key?: string }): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const { isPublicKey } = await loadSignature();
  return isPublicKey(key) ? key : callerPath(key);
}

function contents({ manifest, signature }: Pick<BundleReport, "manifest" | "signature">): readonly string[] {
  const models = manifest.models.map(({ id }) => id).join(", ");
  return [
    `ragctl ${manifest.program_version} for ${manifest.platform}, Node.js ${manifest.node_version}, ${counted(manifest.packages, "package")}`,
    `models: ${models === "" ? "none" : models}`,
    ...(signature === null ? [] : [`signed: ${signature}`]),
  ];
}

function createdText(report: BundleReport): string {
  return [
    `${report.file}: ${counted(report.manifest.files.length, "file")}, ${bytes(report.archiveBytes)}`,
    ...contents(report),
    ...(report.leftOut.length === 0 ? [] : [`not included: ${report.leftOut.join(", ")}`]),
    "to install on the other machine: tar -xzf FILE && ragctl-*/install --to FOLDER",
  ].join("\n");
}

function verifiedText(report: BundleReport): string {
  const { length } = report.manifest.files;
  return [`${report.file}: ${counted(length, "file")}, all intact`, ...contents(report)].join("\n");
}

function installedText(report: InstallReport): string {
  const { replaced, keptModels } = report;
  return [
    `installed in ${report.folder}${replaced === null ? "" : `, replacing ${replaced}`}`,
    ...contents(report),
    ...(keptModels.length === 0 ? [] : [`already present: ${keptModels.join(", ")}`]),
    `home: ${report.home}`,
    `check the installation: ${report.command} doctor`,
  ].join("\n");
}
