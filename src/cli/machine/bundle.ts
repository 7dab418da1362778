import type { Command } from "commander";
import type { BundleReport } from "../../app/bundle/create.ts";
import type { InstallReport } from "../../app/bundle/install.ts";
import { callerPath } from "../../config/caller.ts";
import { z } from "../../core/schema.ts";
import { text, textFlags, toggle } from "../../operations/fields.ts";
import { field, type InputOf } from "../../operations/operation.ts";
import { bytes, plural } from "../../operations/text.ts";
import { bundleShape, installationShape } from "../../shapes/machine.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

const loadCreate = () => import("../../app/bundle/create.ts");
const loadVerify = () => import("../../app/bundle/verify.ts");
const loadInstall = () => import("../../app/bundle/install.ts");
const loadSignature = () => import("../../app/bundle/signature.ts");

const keyField = text(
  "--key <key>",
  "minisign public key, or a file that contains it; fail unless the bundle is signed with it",
);

/** `ragctl bundle`: everything that runs, in one archive, for machines without a network. */
export function registerBundle(program: Command): void {
  const bundle = declare(program, "bundle");
  defineCommand(bundle.command("create"), creation, create);
  defineCommand(bundle.command("verify"), verification, verify);
  defineCommand(bundle.command("install"), installation, install);
}

const creation = {
  summary: "write one archive for machines of this platform with the program, Node.js, models and settings",
  input: {
    output: field("--output <file>", z.string(), "archive to create, e.g. ragctl.tar.gz"),
    model: textFlags(
      "--model <id>",
      "include only this model; may be repeated (default: all installed models)",
    ),
    gpu: toggle("--gpu", "include CUDA and Vulkan builds of llama.cpp (adds several hundred MB)"),
  },
  examples: ["ragctl bundle create --output ragctl.tar.gz", "minisign -Sm ragctl.tar.gz"],
};

async function create(
  session: Session,
  { output, model: modelIds = [], gpu }: InputOf<typeof creation.input>,
): Promise<void> {
  await session.ownerOnly("create a bundle");
  const models = await (await session.app()).models();
  const { createBundle } = await loadCreate();
  using progress = createProgress("bundle", "byte", session.output);
  progress.stage("verifying the models");
  session.onStop("stopping: the unfinished archive is removed");
  let isTold = false;
  const tell = (total: number): void => {
    if (!isTold) session.output.note(`packing ${bytes(total)} into ${output}; this takes a few minutes`);
    isTold = true;
  };
  const report = await createBundle({
    output: callerPath(output),
    home: session.settings.home,
    ...{ models, modelIds, gpu },
    onProgress: (done, total) => {
      // Where stderr is no terminal nothing else is said until the end.
      tell(total);
      progress.set(done, total);
    },
    signal: session.run.signal,
  });
  progress.close();
  session.output.result({ text: createdText(report), data: bundleShape(report) });
}

const verification = {
  summary: "check every file of a bundle against its checksum; exits with 7 on a mismatch",
  input: { file: field("<file>", z.string(), "archive written by `ragctl bundle create`"), key: keyField },
  examples: ["ragctl bundle verify ragctl.tar.gz --key minisign.pub"],
};

async function verify(
  { output, run }: Session,
  { file, ...flags }: InputOf<typeof verification.input>,
): Promise<void> {
  const { verifyBundle } = await loadVerify();
  const key = await keyOf(flags);
  using progress = createProgress("verify", "byte", output);
  const report = await verifyBundle(callerPath(file), key, run.signal, (done, total) =>
    progress.set(done, total),
  );
  progress.close();
  output.result({ text: verifiedText(report), data: bundleShape(report) });
}

const installation = {
  summary:
    "install a bundle into a folder and its models into the home; replaces an older installation in the folder",
  input: {
    file: field(
      "<file>",
      z.string(),
      "archive written by `ragctl bundle create`, or the folder it was unpacked to",
    ),
    to: field("--to <folder>", z.string(), "folder for the program: new, empty, or an earlier installation"),
    key: keyField,
  },
  examples: ["ragctl bundle install ragctl.tar.gz --to ~/ragctl"],
  advice: "Without ragctl:\n  tar -xzf ragctl.tar.gz && ragctl-*/install --to ~/ragctl",
};

async function install(
  session: Session,
  { file, to, ...flags }: InputOf<typeof installation.input>,
): Promise<void> {
  await session.ownerOnly("install a bundle");
  const { installBundle } = await loadInstall();
  using progress = createProgress("install", "byte", session.output);
  session.onStop("stopping: the earlier installation is kept");
  const report = await installBundle({
    source: callerPath(file),
    folder: callerPath(to),
    home: session.settings.home,
    isHomeGiven: session.loaded.origins.get("home") !== "built-in",
    key: await keyOf(flags),
    onProgress: (done, total) => progress.set(done, total),
    signal: session.run.signal,
  });
  progress.close();
  session.output.result({ text: installedText(report), data: installationShape(report) });
}

/** A key itself, or a path as the caller means it. */
async function keyOf({ key }: { readonly key: string | undefined }): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const { isPublicKey } = await loadSignature();
  return isPublicKey(key) ? key : callerPath(key);
}

function contents({ manifest, signature }: Pick<BundleReport, "manifest" | "signature">): readonly string[] {
  const models = manifest.models.map(({ id }) => id).join(", ");
  return [
    `ragctl ${manifest.program_version} for ${manifest.platform}, Node.js ${manifest.node_version}, ${plural(manifest.packages, "package")}`,
    `models: ${models === "" ? "none" : models}`,
    ...(signature === null ? [] : [`signed: ${signature}`]),
  ];
}

function createdText(report: BundleReport): string {
  return [
    `${report.file}: ${plural(report.manifest.files.length, "file")}, ${bytes(report.archiveBytes)}`,
    ...contents(report),
    ...(report.leftOut.length === 0 ? [] : [`not included: ${report.leftOut.join(", ")}`]),
    "to install on the other machine: tar -xzf FILE && ragctl-*/install --to FOLDER",
  ].join("\n");
}

function verifiedText(report: BundleReport): string {
  const { length } = report.manifest.files;
  return [`${report.file}: ${plural(length, "file")}, all intact`, ...contents(report)].join("\n");
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
