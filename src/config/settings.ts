import { isHubName } from "../core/answers/model-names.ts";
import { timeSetting } from "../core/answers/time.ts";
import { type DeepReadonly, z } from "../core/schema.ts";
import {
  control,
  decimal,
  facts,
  int,
  isDatabaseFile,
  modelSetting,
  oneOf,
  pathMarks,
  type SettingFacts,
  store,
  text,
  topic,
  trustedModelSetting,
} from "./setting-kinds.ts";

/**
 * Whether the value of a model setting is a path rather than an id or a hub's name of one: it has a slash, is
 * a `file://` address, or names a GGUF file.
 */
export const isModelPath = (value: string): boolean => !isHubName(value) && /[\\/]|^~$|\.gguf$/i.test(value);
/** Every setting ragctl has, with its bounds. Order is the order of `config show`. */
export const settingsSchema = z.strictObject({
  home: text("", "folder that holds the registry, Milvus data, models and caches", pathMarks),
  registry: z.strictObject({
    path: text("", "path of the registry file; empty: registry.sqlite in the home", pathMarks),
    url: text("", "PostgreSQL server that holds the registry, instead of a file", {
      secret: true,
      pattern: new RegExp(`^(|postgres(ql)?://[^\\s${control}]+)$`, "i"),
      range: "empty, or an address such as postgresql://user:password@host:5432/database",
    }),
  }),
  chunk: z.strictObject({
    preset: oneOf(["hybrid", "recursive", "sentence", "fixed", "window"], "how documents are split", "any"),
    maxTokens: int(
      512,
      [64, 8192],
      "tokens",
      "maximum chunk length, including heading path and special tokens",
      "any",
    ),
    minTokens: int(64, [0, 4096], "tokens", "shorter chunks are merged", "any"),
    size: int(
      0,
      [0, 100_000],
      "",
      "chunk size in characters, or in tokens for window and hybrid; 0: set by the preset",
      "any",
    ),
    overlap: int(
      -1,
      [-1, 50_000],
      "",
      "overlap of neighbouring chunks, in the unit of chunk.size; ignored by hybrid; -1: set by the preset",
      "any",
    ),
  }),
  embed: z.strictObject({
    model: text(
      "bge-small-en-v1.5-int8",
      "embedding model",
      modelSetting("a folder with model.onnx, tokenizer.json and embed.yaml"),
    ),
    device: oneOf(["auto", "cpu", "cuda"], "device that runs the embedding model"),
    maxTokens: int(0, [0, 8192], "tokens", "maximum text length the model reads; 0: the model's own limit"),
    batchSize: int(12, [1, 1024], "texts", "texts embedded together on a GPU; a CPU embeds one at a time"),
    threads: int(0, [0, 256], "threads", "CPU threads for embedding; 0: depends on the machine"),
  }),
  milvus: z.strictObject({
    publicUri: text("", "Milvus of the public instance: a server or a Milvus Lite file", store),
    privateUri: text("", "Milvus of the private instance: a server or a Milvus Lite file", store),
    token: text("", "Milvus token, or user:password", { secret: true }),
    publicToken: text("", "token for the public instance; empty: milvus.token", { secret: true }),
    privateToken: text("", "token for the private instance; empty: milvus.token", { secret: true }),
    authorityFile: text(
      "",
      "PEM file with the certificate authority (CA) of the servers; empty: the system's CAs",
      pathMarks,
    ),
    certificateFile: text("", "PEM file with the client certificate, if the servers require one", pathMarks),
    keyFile: text("", "PEM file with the key of the client certificate", pathMarks),
    serverName: text("", "host name expected in the servers' certificates; empty: the host in the address"),
    index: oneOf(
      ["auto", "flat", "ivf_flat", "hnsw"],
      "vector index of collections created on a server; auto: hnsw, or flat if the server is a Milvus Lite",
    ),
    metric: oneOf(["ip", "cosine"], "metric of that index; both rank the same, as vectors have length 1"),
    partitionBy: oneOf(
      ["none", "department"],
      "whether collections created on a server keep each department in a separate partition",
    ),
    ef: int(64, [1, 32_768], "chunks", "chunks an hnsw search examines; at least the number it returns"),
    nprobe: int(16, [1, 65_536], "clusters", "clusters, out of 128, that an ivf_flat search examines"),
    consistency: oneOf(
      ["session", "strong", "bounded", "eventually"],
      "read consistency on a Milvus server: a search may miss writes by other programs, none, those of the last seconds, or any",
    ),
    idleMs: int(60_000, [0, 86_400_000], "ms", "idle time after which a local Milvus Lite stops"),
  }),
  resident: z.strictObject({
    mode: oneOf(["on", "off"], "whether a resident process runs commands and keeps models loaded"),
    idleMs: int(300_000, [0, 86_400_000], "ms", "idle time after which the resident process unloads a model"),
  }),
  retrieve: z.strictObject({
    candidates: int(200, [1, 1000], "hits", "hits each route returns per collection", "any"),
    topK: int(5, [1, 100], "hits", "hits a search returns, and passages shown to a small reader", "any"),
    denseWeight: decimal(0.65, [0, 100], "weight of the dense route when results are fused", "any"),
    nameWeight: decimal(
      0.12,
      [0, 10],
      "bonus for a document when only its name contains a word of the question",
      "any",
    ),
    yearWeight: decimal(
      0.2,
      [0, 10],
      "bonus for a document whose name contains the question's year; penalty if it contains another year",
      "any",
    ),
    lexicalWeight: decimal(0.35, [0, 100], "weight of the lexical route when results are fused", "any"),
    fusion: oneOf(
      ["scores", "ranks"],
      "how results are fused: by scaled scores or by reciprocal ranks",
      "any",
    ),
    rrfK: int(60, [1, 1000], "ranks", "constant k of reciprocal rank fusion", "any"),
    features: oneOf(["on", "off"], "whether the glossary and page features affect the ranking", "any"),
    rerankModel: text(
      "off",
      "reranker for the first hits: off, a reranker model, or colbert (a head of the embedding model)",
      modelSetting("a folder with config.json, tokenizer.json and model.onnx"),
    ),
    rerankHits: int(30, [1, 200], "hits", "number of hits to rerank", "lower"),
  }),
  mmr: z.strictObject({
    lambda: decimal(0.5, [0, 1], "balance of relevance (1) and diversity (0)", "any"),
    topK: int(10, [1, 100], "hits", "hits kept by maximal marginal relevance across collections", "any"),
  }),
  answer: z.strictObject({
    model: text("auto", "language model; auto: the largest installed one", modelSetting("a GGUF file")),
    temperature: decimal(0.1, [0, 2], "sampling temperature; 0: always the most likely token", "lower"),
    maxTokens: int(512, [1, 8192], "tokens", "maximum answer length", "lower"),
    reader: oneOf(
      ["auto", "small", "able"],
      "how much the model is given to read: the best lines (small) or whole pages (able); auto: depends on the model",
      "any",
    ),
    write: oneOf(
      ["auto", "always", "never"],
      "whether a model writes answers: an able one, while a small one quotes (auto); a small one too, below its quotes (always); or none, and lines are quoted (never)",
      "any",
    ),
    contextTokens: int(
      0,
      [0, 131_072],
      "tokens",
      "maximum tokens of passages given to the model; 0: depends on the model",
      "any",
    ),
    firstTokenMs: int(8000, [100, 600_000], "ms", "time an able local model may read first", "lower"),
    budget: text("", "time budget of an answer; empty: none", timeSetting),
    threshold: decimal(
      0.45,
      [0, 1],
      "minimum probability that quoted lines contain the answer; below, a small model refuses",
      "higher",
    ),
    neighbours: int(0, [0, 20], "chunks", "chunks of the same section added before and after a hit", "any"),
    threads: int(0, [0, 256], "threads", "CPU threads for the language model; 0: depends on the machine"),
    entailment: text(
      "off",
      "second check of supported sentences: off, or a natural language inference model",
      trustedModelSetting(modelSetting("a folder with config.json, tokenizer.json and model.onnx")),
    ),
    grounded: oneOf(
      ["strict", "prefer", "off"],
      "what becomes of an answer that its passages do not support: refused where the key statement is one (strict), marked (prefer) or shown as it is (off)",
      "lower",
      "prefer",
    ),
  }),
  parse: z.strictObject({
    timeoutMs: int(
      120_000,
      [100, 3_600_000],
      "ms",
      "CPU time limit for a document, not counting its pages; a page may take a quarter of it",
      "lower",
    ),
    memoryMb: int(640, [64, 65_536], "MiB", "memory a parser process may use beyond an idle one", "lower"),
    maxBytes: int(200_000_000, [1, 10_000_000_000], "bytes", "maximum file size", "lower"),
    workers: int(0, [0, 64], "workers", "documents parsed in parallel; 0: depends on the machine"),
    ocr: oneOf(
      ["auto", "off", "always"],
      "pages read with OCR: those without usable text (auto), none (off) or all (always)",
      "any",
    ),
    ocrLanguages: text("eng", "OCR languages as tesseract codes, joined with +", {
      untrusted: "any",
      pattern: /^[a-z_]{3,12}([+, ][a-z_]{3,12})*$/,
      range: "codes such as eng or eng+deu",
    }),
    ocrFolder: text(
      "",
      "folder with additional OCR language data (<code>.traineddata); empty: installed data only",
      pathMarks,
    ),
    ocrPageTimeoutMs: int(60_000, [100, 3_600_000], "ms", "CPU time limit of OCR for one page", "lower"),
    ocrWorkers: int(0, [0, 64], "workers", "pages OCR reads in parallel; 0: depends on the machine"),
    parser: oneOf(
      ["builtin", "docling"],
      "parser of the formats docling supports; the built-in one reads what docling cannot",
    ),
    doclingUrl: text("", "address of a docling-serve server; empty: the installed docling command", {
      pattern: new RegExp(`^(|https?://[^\\s${control}]+)$`),
      range: "empty, or an http(s) address",
    }),
    loaders: text(
      "",
      "custom commands by file extension that print text or Markdown, e.g. `dwg: dwg2text {file}; log: cat`",
      {
        range: "`extension: program arguments`, separated by semicolons",
      },
    ),
    loaderTimeoutMs: int(
      60_000,
      [100, 3_600_000],
      "ms",
      "time limit of docling or a custom command for one document",
      "lower",
    ),
    loaderMaxBytes: int(
      67_108_864,
      [1, 10_000_000_000],
      "bytes",
      "maximum output of docling or a custom command",
      "lower",
    ),
  }),
  ingest: z.strictObject({
    collection: text("general_knowledge", "collection for documents ingested without one", {
      untrusted: "any",
      pattern: /^[a-z][a-z0-9_]{0,62}$/,
      range: "up to 63 lowercase letters, digits and underscores, starting with a letter",
    }),
    folder: text("", "default folder of POST /api/documents/ingest", pathMarks),
    keepVersions: int(
      1,
      [0, 100],
      "versions",
      "replaced versions of a document to keep, hidden, so that `restore` is instant",
      "higher",
    ),
  }),
  fetch: z.strictObject({
    maxPages: int(200, [1, 10_000], "pages", "maximum pages and files fetched from one URL with --depth"),
    maxBytes: int(1_000_000_000, [1, 100_000_000_000], "bytes", "maximum bytes from one URL in total"),
    timeoutMs: int(600_000, [1000, 86_400_000], "ms", "time limit for fetching one URL"),
    allowPrivate: oneOf(["off", "on"], "whether URLs outside the public internet may be fetched"),
  }),
  history: z.strictObject({
    keepDays: int(
      0,
      [0, 36_500],
      "days",
      "age at which questions, answers, ingests and finished jobs are deleted; 0: never",
    ),
  }),
  queue: z.strictObject({
    maxAttempts: int(5, [1, 100], "attempts", "attempts before a job goes to the dead-letter queue"),
    leaseMs: int(
      30_000,
      [1000, 3_600_000],
      "ms",
      "time without a heartbeat after which another worker takes over a job",
    ),
    backOffMs: int(
      5000,
      [0, 3_600_000],
      "ms",
      "delay before the second attempt of a job; doubles with each attempt",
    ),
  }),
  kafka: z.strictObject({
    brokers: text("", "Kafka brokers that deliver jobs to workers; empty: workers poll the registry", {
      pattern: /^(?:|[\w.-]+:\d{1,5}(?:,[\w.-]+:\d{1,5})*)$/,
      range: "empty, or addresses such as host:9092,other:9092",
    }),
    topic: text("document_processing", "topic for jobs; each registry needs its own", topic),
    group: text("document_processors", "consumer group of the workers", topic),
    deadLetterTopic: text("document_processing_dead", "topic for messages that cannot become jobs", topic),
    partitions: int(
      12,
      [1, 1000],
      "partitions",
      "partitions of topics ragctl creates; limits parallel workers",
    ),
    foreignPrincipal: text(
      "",
      "principal that ingests messages from other programs; empty: they become dead letters",
      { pattern: new RegExp(`^[^${control}]{0,200}$`), range: "the name of a principal, or empty" },
    ),
    tls: oneOf(["off", "on"], "whether the connection is encrypted"),
    authorityFile: text("", "PEM file with the certificate authority (CA) of the brokers", pathMarks),
    certificateFile: text("", "PEM file with the client certificate, if the brokers require one", pathMarks),
    keyFile: text("", "PEM file with the key of the client certificate", pathMarks),
    sasl: oneOf(["off", "plain", "scram-sha-256", "scram-sha-512"], "SASL mechanism for the brokers"),
    username: text("", "user name for signing in to the brokers"),
    password: text("", "password for signing in to the brokers", { secret: true }),
  }),
  watch: z.strictObject({
    quietMs: int(300, [0, 60_000], "ms", "time without changes in the folder before changes are read"),
  }),
  cache: z.strictObject({
    maxBytes: int(
      2_000_000_000,
      [1_000_000, 1_000_000_000_000],
      "bytes",
      "maximum size of the local cache; the least recently used entries are deleted first",
    ),
    queries: oneOf(["off", "on"], "whether search results are cached for repeated questions"),
    redisUrl: text("", "Redis server that holds the cache; empty: a file in the home", {
      pattern: new RegExp(`^(?:|rediss?://[^\\s${control}]+|unix:/[^\\s${control}]+)$`),
      range: "empty, or an address such as redis://host:6379, rediss://:password@host or unix:/path",
      secret: true,
    }),
    redisAuthorityFile: text(
      "",
      "PEM file with the certificate authority (CA) of the Redis server; empty: the system's CAs",
      pathMarks,
    ),
    ttlSeconds: int(
      3600,
      [1, 31_536_000],
      "s",
      "lifetime of cached search results; in Redis, also of other entries that go unused",
    ),
  }),
  hub: z.strictObject({
    url: text("https://huggingface.co", "model hub that `ragctl models pull` downloads from", {
      pattern: new RegExp(`^https?://[^\\s${control}]+$`),
      range: "an http(s) address",
    }),
  }),
  log: z.strictObject({
    level: oneOf(["info", "debug", "warn", "error", "silent"], "minimum severity of logged events"),
  }),
  output: z.strictObject({ color: oneOf(["auto", "always", "never"], "colours in the terminal", "any") }),
});

/** Every setting with its value, after all sources were read. Paths are absolute. */
export type Settings = DeepReadonly<z.infer<typeof settingsSchema>>;

/** One leaf of the settings. `check` accepts a value of the leaf's own type only. */
export interface Setting extends SettingFacts {
  readonly key: string;
  readonly check: (value: unknown) => boolean;
}

/** Whether the value of a setting is a path, which may be relative. */
export const isPathSetting = ({ path }: SettingFacts, value: string): boolean =>
  path === "always" ||
  (path === "model" && isModelPath(value)) ||
  (path === "database" && isDatabaseFile(value));

function* leaves(schema: z.ZodObject, prefix: string): Generator<Setting> {
  for (const [name, child] of Object.entries(schema.shape)) {
    const key = prefix + name;
    if (child instanceof z.ZodObject) yield* leaves(child, `${key}.`);
    else {
      // A shape holds full zod types; zod's own declaration says only "core type".
      const leaf = child as z.ZodType;
      const known = facts.get(leaf);
      if (known !== undefined) yield { key, check: (value) => leaf.safeParse(value).success, ...known };
    }
  }
}

/** Key path, e.g. `chunk.maxTokens`, → its setting. */
export const settingTable: ReadonlyMap<string, Setting> = new Map(
  [...leaves(settingsSchema, "")].map((setting) => [setting.key, setting]),
);
