import type { BackupReport } from "../../app/owner/backup.ts";
import { z } from "../../core/schema.ts";
import { count, instance, time } from "./members.ts";
import { documentSchema, printer } from "./shape.ts";

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
  servers: z.array(instance).describe("Instances whose vectors are on a server and not in the backup."),
  set_aside: z
    .string()
    .describe("Where a restore put what was in the home before; empty where there was nothing."),
  missing_models: z
    .array(z.string())
    .describe("Embedding models that restored collections need and this home lacks."),
});
const printBackup = printer(backup);
/** backup.schema.json; `missingModels` are ids that collections need and the home does not have. */
export const backupShape = (report: BackupReport, missingModels: readonly string[]) =>
  printBackup({ ...report, missingModels });

const setting = documentSchema("setting", "Output of ragctl config set|unset --format json", {
  file: z.string(),
  changed: z.boolean(),
  setting: z.object({
    key: z.string(),
    value: z.union([z.string(), z.number()]),
    origin: z.string(),
    unit: z.string(),
    meaning: z.string(),
    variables: z.array(z.string()),
  }),
});
/** setting.schema.json. */
export const settingShape = printer(setting);

/** The documents of this file, for config/schemas/. */
export const machineDocuments = [backup, setting];
