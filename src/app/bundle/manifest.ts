import { createHash } from "node:crypto";
import { z } from "../../core/schema.ts";

/** First file of a bundle: what it holds. */
export const manifestName = "bundle.json";
/** Second file of a bundle: the same checksums in the form that `sha256sum -c` reads. */
export const sumsName = "SHA256SUMS";
/** Largest manifest that is read, bytes; one of 20 000 files has about 4 MB. */
export const maxManifestBytes = 32_000_000;

/** Parts with neither a dot alone, a backslash nor a control character: such a path stays where it starts. */
const insidePath = z
  .string()
  .max(400)
  .regex(/^[^/\\\p{Cc}]+(?:\/[^/\\\p{Cc}]+)*$/u)
  .refine((path) => !path.split("/").some((part) => part === "." || part === ".."));

const fileSchema = z.strictObject({
  path: insidePath,
  size_bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  executable: z.boolean(),
});
/** One file of a bundle; its path starts below the folder that the archive unpacks to. */
export type BundledFile = z.infer<typeof fileSchema>;

const modelId = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/);

/** A name as seen by file systems that ignore case and Unicode normalization. */
const folded = (path: string): string => path.normalize("NFC").toUpperCase().toLowerCase();

/** Whether no two paths collide on any file system. */
function areApart(paths: readonly string[]): boolean {
  const files = new Set(paths.map(folded));
  const parents = [...files].flatMap((path) =>
    path.split("/").map((_, at, parts) => parts.slice(0, at).join("/")),
  );
  return files.size === paths.length && !parents.some((parent) => files.has(parent));
}

/** Whether every model has files, and every file of a model one that is named. */
function areOfModels(files: readonly BundledFile[], models: readonly { readonly id: string }[]): boolean {
  const held = new Set(
    files.flatMap(({ path }) => (path.startsWith("models/") ? [path.split("/")[1] ?? ""] : [])),
  );
  return held.size === models.length && models.every(({ id }) => held.has(id));
}

const manifestSchema = z
  .strictObject({
    ragctl_bundle: z.literal(1),
    program_version: z.string().regex(/^[\w.+-]{1,40}$/),
    /** As `process.platform` and `process.arch` with a dash between, e.g. `linux-x64`. */
    platform: z.string().regex(/^[a-z0-9]+-[a-z0-9]+$/),
    node_version: z.string(),
    /** ISO 8601. */
    created_at: z.iso.datetime(),
    /** Path of the program that starts ragctl. */
    entry: insidePath,
    models: z.array(z.strictObject({ id: modelId, task: z.string(), licence: z.string() })),
    /** Number of npm packages. */
    packages: z.int().min(0),
    files: z.array(fileSchema).min(1),
  })
  .refine(({ files }) => areApart(files.map(({ path }) => path)))
  .refine(({ files, models }) => areOfModels(files, models))
  .refine(({ files, entry }) => files.some(({ path }) => path === entry));
/** The manifest of a bundle. */
export type BundleManifest = z.infer<typeof manifestSchema>;

/** The platform of this process, e.g. `linux-x64`. */
export const platformName = (): string => `${process.platform}-${process.arch}`;

/** The folder that a bundle unpacks to. */
export const topFolder = ({
  program_version,
  platform,
}: Pick<BundleManifest, "program_version" | "platform">): string => `ragctl-${program_version}-${platform}`;

/** Reads a manifest. @throws what JSON and the schema raise */
export const parseManifest = (text: string): BundleManifest => manifestSchema.parse(JSON.parse(text));

/** The text of SHA256SUMS: the manifest, whose text is given, and every file it names. */
export function formatChecksums(manifest: BundleManifest, text: string): string {
  const own = createHash("sha256").update(text).digest("hex");
  const lines = manifest.files.map(({ sha256, path }) => `${sha256}  ${path}\n`);
  return [`${own}  ${manifestName}\n`, ...lines].join("");
}

/** Bytes that the files of a bundle take unpacked. */
export const unpackedBytes = ({ files }: Pick<BundleManifest, "files">): number =>
  files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
