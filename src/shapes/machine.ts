import { z } from "../core/schema.ts";
import { profiles } from "../models/profile.ts";
import { count, instance, milliseconds, openObject, time } from "./members.ts";
import { documentSchema, printer, type Source } from "./shape.ts";

const statusDocument = documentSchema("status", "Output of ragctl status --format json", {
  running: z
    .boolean()
    .describe("Whether the resident process is running; the other members are present only then."),
  pid: count.describe("For the owner only.").optional(),
  uptime_ms: milliseconds.optional(),
  rss_bytes: count.describe("Resident memory of the process, including loaded models.").optional(),
  clients: count.describe("Commands that are using it.").optional(),
  commands: z
    .array(z.looseObject({ command: z.string(), principal: z.string(), running_ms: milliseconds }))
    .describe("Commands it is running; principals other than the owner see only their own.")
    .optional(),
  models: z
    .array(
      z.looseObject({
        id: z.string(),
        task: z.enum(["embed", "generate"]),
        file_bytes: count,
        users: count.describe("Commands that are using it."),
        waiting: count.describe("Waiting generations."),
      }),
    )
    .optional(),
  instances: z
    .array(z.looseObject({ name: z.string(), pid: count, rss_bytes: count, uri: z.string() }))
    .describe("Open databases; empty for principals other than the owner.")
    .optional(),
});
const printStatus = printer(statusDocument);
/** status.schema.json; null when no resident process runs. */
export const statusShape = (status: Omit<Source<typeof statusDocument>, "running"> | null) =>
  printStatus(status === null ? { running: false } : { ...status, running: true });

const clientDocument = documentSchema("mcp", "Output of ragctl mcp install and uninstall --format json", {
  client: z.string(),
  file: z.string().describe("Configuration file."),
  done: z.enum(["printed", "added", "changed", "removed", "unchanged"]),
  backup: z.string().nullable().describe("Backup of the previous file; null if nothing was replaced."),
  entry: z.string().nullable().describe("The entry as written; null for uninstall."),
});
const printClient = printer(clientDocument);
/** mcp.schema.json. */
export const clientShape = (
  { client, file, backup, done }: Omit<Source<typeof clientDocument>, "entry">,
  entry: string | null,
) => printClient({ client, file, backup, done, entry });

const readerMembers = {
  level: z.enum(["small", "able"]),
  why: z.string().describe("Reason for the level."),
};
const probe = documentSchema("probe", "Output of ragctl models probe --format json", {
  model: z.string(),
  provider: z.string().describe("Where it runs: a processor type, or a provider's host."),
  revision: count.describe("Revision of the probe questions."),
  ...readerMembers,
  duration_ms: milliseconds,
  figures: z.array(
    z.object({
      figure: z
        .enum(["score", "right", "rightly_refused", "invented", "cited_in_form"])
        .describe("score: questions answered or refused correctly; it decides the level."),
      count,
      of: count,
      share: z.number(),
      low: z.number().describe("Lower bound of the 95 % Wilson interval."),
      high: z.number(),
    }),
  ),
  questions: z.array(
    z.object({
      language: z.string(),
      kind: z.enum(["fact", "table", "reckoning", "list", "orders", "absent"]),
      question: z.string(),
      answer: z.string(),
      outcome: z.enum(["right", "refused", "invented", "silent"]),
      cited: z.boolean().describe("Whether every sentence ends with the numbers of its passages."),
    }),
  ),
});
/** The results of a probe of a model. */
export type ProbeReport = Source<typeof probe>;
/** probe.schema.json. */
export const probeShape = printer(probe);

const bytesOrNull = count.nullable().describe("Null if only the hub knows it.");
const models = documentSchema("models", "Output of ragctl models list --format json", {
  models: z.array(
    z.looseObject({
      id: z.string(),
      task: z.string(),
      licence: z.string(),
      state: z.enum(["ready", "partial", "missing", "damaged", "unsupported"]),
      folder: z.string(),
      download_bytes: bytesOrNull,
      reader: z
        .object(readerMembers)
        .describe("How well it reads; only for installed answering models, if the registry can be opened.")
        .optional(),
      files: z.array(
        z.looseObject({
          name: z.string(),
          state: z.enum(["present", "missing", "damaged"]),
          size_bytes: bytesOrNull,
        }),
      ),
    }),
  ),
});
const printModels = printer(models);
/** models.schema.json. */
export const modelsShape = (states: Source<typeof models>["models"]) => printModels({ models: states });

const doctor = documentSchema("doctor", "Output of ragctl doctor --format json", {
  ok: z.boolean().describe("Whether all checks passed."),
  checks: z.array(
    z.looseObject({
      name: z.string(),
      status: z.enum(["ok", "warning", "failed"]),
      message: z.string(),
      hint: z.string().describe("What to do next; empty if nothing."),
    }),
  ),
});
const printDoctor = printer(doctor);
/** One thing that was looked at. */
export type Check = Source<typeof doctor>["checks"][number];
/** doctor.schema.json; `ok` when no check failed. */
export const doctorShape = (checks: readonly Check[]) =>
  printDoctor({ ok: checks.every(({ status }) => status !== "failed"), checks });

const backup = documentSchema("backup", "Output of ragctl backup create and restore --format json", {
  folder: z.string().describe("Absolute path of the backup."),
  created_at: time,
  files: z.array(
    z.object({
      path: z.string().describe("Relative to the backup."),
      size_bytes: count,
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
  servers: z
    .array(instance)
    .describe("Instances whose vectors are on a server or in a file elsewhere, so not in the backup."),
  set_aside: z
    .string()
    .describe("Where a restore moved the previous contents of the home; empty if there were none."),
  missing_models: z
    .array(z.string())
    .describe("Embedding models that the restored collections need but this home lacks."),
});
const printBackup = printer(backup);
/** The contents of a backup, as made or restored. */
export type BackupReport = Omit<Source<typeof backup>, "missingModels">;
/** backup.schema.json; `missingModels` are ids that collections need and the home does not have. */
export const backupShape = (report: BackupReport, missingModels: readonly string[]) =>
  printBackup({ ...report, missingModels });

const bundled = {
  version: z.string().describe("Version of ragctl in the bundle."),
  platform: z.string().describe("The only platform it runs on, e.g. linux-x64."),
  node_version: z.string(),
  created_at: time,
  models: z.array(z.object({ id: z.string(), task: z.string(), licence: z.string() })),
  packages: count.describe("Number of npm packages."),
  files: count,
  unpacked_bytes: count,
  signature: z
    .string()
    .nullable()
    .describe("Trusted comment of the verified signature; null if none was verified."),
};
/** What a bundle says of itself. */
interface Manifest extends Pick<z.output<z.ZodObject<typeof bundled>>, "platform" | "node_version"> {
  readonly program_version: string;
  readonly created_at: string;
  readonly models: readonly { readonly id: string; readonly task: string; readonly licence: string }[];
  readonly packages: number;
  readonly files: readonly { readonly size_bytes: number }[];
}
const factsOf = (manifest: Manifest) => ({
  version: manifest.program_version,
  platform: manifest.platform,
  nodeVersion: manifest.node_version,
  createdAt: manifest.created_at,
  models: manifest.models,
  packages: manifest.packages,
  files: manifest.files.length,
  unpackedBytes: manifest.files.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
});
const bundle = documentSchema("bundle", "Output of ragctl bundle create and verify --format json", {
  file: z.string().describe("Absolute path of the archive."),
  archive_bytes: count,
  ...bundled,
  left_out: z.array(z.string()).describe("Models, settings and links not included; for create only."),
});
const printBundle = printer(bundle);
/** The report on a created or verified bundle. */
export type BundleFacts = Pick<Source<typeof bundle>, "file" | "archiveBytes" | "leftOut" | "signature">;
/** bundle.schema.json. */
export const bundleShape = ({ manifest, ...report }: BundleFacts & { readonly manifest: Manifest }) =>
  printBundle({ ...factsOf(manifest), ...report });

const installation = documentSchema("installation", "Output of ragctl bundle install --format json", {
  folder: z.string().describe("Absolute path of the folder installed into."),
  command: z.string().describe("Absolute path of the command."),
  home: z.string().describe("Home that the command uses and that holds the models."),
  replaced: z.string().nullable().describe("Previous version; null if there was none."),
  ...bundled,
  kept_models: z.array(z.string()).describe("Models that were already in the home."),
});
const printInstallation = printer(installation);
/** The report on an installation. */
export type InstallFacts = Pick<
  Source<typeof installation>,
  "folder" | "command" | "home" | "replaced" | "keptModels" | "signature"
>;
/** installation.schema.json. */
export const installationShape = ({ manifest, ...report }: InstallFacts & { readonly manifest: Manifest }) =>
  printInstallation({ ...factsOf(manifest), ...report });

const settingRow = z.object({
  key: z.string(),
  value: z.union([z.string(), z.number()]),
  origin: z.string(),
  unit: z.string(),
  meaning: z.string(),
  variables: z.array(z.string()),
});
const setting = documentSchema("setting", "Output of ragctl config set|unset --format json", {
  file: z.string(),
  changed: z.boolean(),
  setting: settingRow,
});
/** setting.schema.json. */
export const settingShape = printer(setting);

const settings = documentSchema("settings", "Output of ragctl config show --format json", {
  project_file: z.string().nullable().describe("The project file; null if there is none."),
  settings: z.array(settingRow),
});
/** settings.schema.json. */
export const settingsShape = printer(settings);

const setup = documentSchema("setup", "Output of ragctl setup --format json", {
  profile: z.enum(profiles),
  reasons: z.array(z.string()).describe("Reasons for this profile."),
  models: z.array(z.string()).describe("Ids of its models, all installed."),
  gpu: z.array(z.string()).optional().describe("With --gpu: the installed GPU builds of llama.cpp."),
});
/** setup.schema.json. */
export const setupShape = printer(setup);

const demo = documentSchema("demo", "Output of ragctl demo --format json", {
  ingest: openObject.describe("As in ingest.schema.json."),
  answers: z.array(openObject).describe("As in ask.schema.json."),
});
/** demo.schema.json; both members are printed by their own shapes. */
export const demoShape = printer(demo);

const importedModel = documentSchema("imported-model", "Output of ragctl models import --format json", {
  id: z.string(),
  files: z.array(z.string()).describe("Names of the imported files."),
});
/** imported-model.schema.json. */
export const importedModelShape = printer(importedModel);

const verification = documentSchema("verification", "Output of ragctl models verify --format json", {
  files: z.array(
    z.object({
      id: z.string().describe("Id of the model."),
      file: z.string(),
      state: z.enum(["ok", "damaged", "missing", "unknown"]),
    }),
  ),
});
/** verification.schema.json. */
export const verificationShape = printer(verification);

const modelPath = documentSchema("model-path", "Output of ragctl models path --format json", {
  id: z.string(),
  path: z.string().describe("Absolute path of its folder."),
});
/** model-path.schema.json. */
export const modelPathShape = printer(modelPath);

const stop = documentSchema("stop", "Output of ragctl stop --format json", {
  stopped: z.boolean().describe("False if it was not running."),
});
/** stop.schema.json. */
export const stopShape = printer(stop);

const uninstallation = documentSchema("uninstall", "Output of ragctl uninstall --format json", {
  home: z.string().describe("Absolute path of the home."),
  parts: z
    .array(z.object({ name: z.string(), paths: z.array(z.string()), size_bytes: count }))
    .describe("What ragctl stored in it."),
  assistants: z.array(z.string()).describe("MCP clients with a ragctl entry."),
  removed: z.boolean().describe("False if there was nothing to remove."),
  others: z.boolean().describe("Whether the home was kept because it contains other files."),
  elsewhere: z.array(z.string()).describe("Human-readable list of what is not removed."),
});
/** uninstall.schema.json. */
export const uninstallShape = printer(uninstallation);

const serving = documentSchema("serve", "Output of ragctl serve --format json, once it listens", {
  url: z.string().describe("URL of the server."),
  link: z.string().describe("URL with a key that signs a browser in."),
});
/** serve.schema.json. */
export const servingShape = printer(serving);

const completion = documentSchema("completion", "Output of ragctl completion --format json", {
  shell: z.enum(["bash", "zsh", "fish"]),
  script: z.string(),
});
/** completion.schema.json. */
export const completionShape = printer(completion);

const names = documentSchema("completion-names", "Output of ragctl completion-names --format json", {
  names: z.array(z.string()),
});
/** completion-names.schema.json: names for the completion scripts. */
export const completionNamesShape = printer(names);

/** The documents of this file, for config/schemas/. */
export const machineDocuments = [
  clientDocument,
  backup,
  bundle,
  installation,
  setting,
  settings,
  setup,
  demo,
  importedModel,
  verification,
  modelPath,
  statusDocument,
  models,
  probe,
  doctor,
  stop,
  uninstallation,
  serving,
  completion,
  names,
];
