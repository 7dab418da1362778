import { isHubName } from "../core/answers/model-names.ts";
import { timeSetting } from "../core/answers/time.ts";
import { z } from "../core/schema.ts";
import {
  choice,
  control,
  facts,
  isDatabaseFile,
  model,
  pathMarks,
  real,
  type SettingFacts,
  store,
  text,
  topic,
  trusted,
  whole,
} from "./setting.ts";

/**
 * Whether the value of a model setting is a path rather than an id or a hub's name of one: it has a slash, is a `file://` address,
 * or names a GGUF file.
 */
export const isModelPath = (value: string): boolean => !isHubName(value) && /[\\/]|^~$|\.gguf$/i.test(value);
/** Every setting ragctl has, with its bounds. Order is the order of `config show`. */
export const settingsSchema = z.strictObject({
  home: text("", "folder that holds registry, Milvus data, models and caches", pathMarks),
  registry: z.strictObject({
    path: text("", "registry file; empty: registry.sqlite in the home", pathMarks),
    url: text("", "PostgreSQL server that holds the registry instead of a file", {
      secret: true,
      pattern: new RegExp(`^(|postgres(ql)?://[^\\s${control}]+)$`, "i"),
      range: "empty, or an address such as postgresql://user:password@host:5432/database",
    }),
  }),
  chunk: z.strictObject({
    preset: choice(["hybrid", "recursive", "sentence", "fixed", "window"], "how documents are cut", "any"),
    maxTokens: whole(
      512,
      [64, 8192],
      "tokens",
      "longest chunk, heading path and special tokens included",
      "any",
    ),
    minTokens: whole(64, [0, 4096], "tokens", "shorter neighbours are merged", "any"),
    size: whole(
      0,
      [0, 100_000],
      "",
      "size of a chunk: characters; tokens in window and hybrid. 0: that of the preset",
      "any",
    ),
    overlap: whole(
      -1,
      [-1, 50_000],
      "",
      "text that neighbours share, in the unit of the size; hybrid shares none. -1: that of the preset",
      "any",
    ),
  }),
  embed: z.strictObject({
    model: text(
      "bge-small-en-v1.5-int8",
      "embedding model",
      model("a folder with model.onnx, tokenizer.json and embed.yaml"),
    ),
    device: choice(["auto", "cpu", "cuda"], "where the embedding model runs"),
    maxTokens: whole(0, [0, 8192], "tokens", "longest text the model reads; 0: the model's own limit"),
    batchSize: whole(12, [1, 1024], "texts", "texts that share a run on a GPU; on a CPU each has its own"),
    threads: whole(0, [0, 256], "threads", "CPU threads of the embedder; 0: chosen from the machine"),
  }),
  milvus: z.strictObject({
    publicUri: text("", "Milvus of the public instance: a server, or the file of a Milvus Lite", store),
    privateUri: text("", "Milvus of the private instance: a server, or the file of a Milvus Lite", store),
    token: text("", "Milvus token or user:password", { secret: true }),
    publicToken: text("", "token of the public instance; empty: milvus.token", { secret: true }),
    privateToken: text("", "token of the private instance; empty: milvus.token", { secret: true }),
    authorityFile: text(
      "",
      "PEM file of the authority that signed the servers' certificates; empty: the system's",
      pathMarks,
    ),
    certificateFile: text("", "PEM file of our certificate, where the servers ask for one", pathMarks),
    keyFile: text("", "PEM file of the key of our certificate", pathMarks),
    serverName: text("", "name the servers' certificate must carry; empty: the host of the address"),
    index: choice(
      ["auto", "flat", "ivf_flat", "hnsw"],
      "index of vectors of a collection that is made on a server; auto: hnsw, or flat where the server is a Lite",
    ),
    metric: choice(["ip", "cosine"], "metric of that index; vectors have length 1, so both rank alike"),
    partitionBy: choice(
      ["none", "department"],
      "whether a collection that is made on a server keeps each department in a partition of its own",
    ),
    ef: whole(64, [1, 32_768], "chunks", "chunks that a search by hnsw looks at, at least those it returns"),
    nprobe: whole(16, [1, 65_536], "clusters", "clusters, of 128, that a search by ivf_flat looks at"),
    consistency: choice(
      ["session", "strong", "bounded", "eventually"],
      "which writes a search on a server may miss: those that ragctl did not make, none, those of the last seconds, any",
    ),
    idleMs: whole(60_000, [0, 86_400_000], "ms", "a local Milvus Lite ends after this long unused"),
  }),
  resident: z.strictObject({
    mode: choice(["on", "off"], "whether the resident process runs commands and keeps their models loaded"),
    idleMs: whole(
      300_000,
      [0, 86_400_000],
      "ms",
      "a model that the resident process keeps is unloaded after this long unused",
    ),
  }),
  retrieve: z.strictObject({
    candidates: whole(200, [1, 1000], "hits", "hits asked of each route of each collection", "any"),
    topK: whole(5, [1, 100], "hits", "hits a search returns and an answer rests on", "any"),
    denseWeight: real(0.65, [0, 100], "weight of the dense route in the fusion", "any"),
    nameWeight: real(
      0.12,
      [0, 10],
      "worth of a word of the question that only one document's name holds",
      "any",
    ),
    yearWeight: real(
      0.2,
      [0, 10],
      "worth of a year that question and document's name share; another one costs it",
      "any",
    ),
    lexicalWeight: real(0.35, [0, 100], "weight of the lexical route in the fusion", "any"),
    fusion: choice(
      ["scores", "ranks"],
      "how the routes are joined: by scaled scores, or by reciprocal ranks",
      "any",
    ),
    rrfK: whole(60, [1, 1000], "ranks", "k of reciprocal rank fusion", "any"),
    features: choice(["on", "off"], "whether the glossary is searched and pages weighed", "any"),
    rerankModel: text(
      "off",
      "who scores the first hits again: off, a reranker, or colbert for that head of the embedding model",
      model("a folder with config.json, tokenizer.json and model.onnx"),
    ),
    rerankHits: whole(30, [1, 200], "hits", "hits that are scored again", "lower"),
  }),
  mmr: z.strictObject({
    lambda: real(0.5, [0, 1], "1: relevance alone, 0: diversity alone", "any"),
    topK: whole(
      10,
      [1, 100],
      "hits",
      "hits kept by maximal marginal relevance over several collections",
      "any",
    ),
  }),
  answer: z.strictObject({
    model: text("auto", "language model; auto: the largest that is on this machine", model("a GGUF file")),
    temperature: real(0.1, [0, 2], "0: always the likeliest token", "lower"),
    maxTokens: whole(512, [1, 8192], "tokens", "longest answer", "lower"),
    reader: choice(
      ["auto", "small", "able"],
      "what the model is shown: the nearest lines, or whole pages",
      "any",
    ),
    contextTokens: whole(
      0,
      [0, 131_072],
      "tokens",
      "passages shown to the model; 0: as its reader asks",
      "any",
    ),
    firstTokenMs: whole(8000, [100, 600_000], "ms", "how long a local able reader may read first", "lower"),
    budget: text("", "time an answer may take; empty: as long as it needs", timeSetting),
    threshold: real(0.24, [0, 1], "least probability that the passages hold the answer", "higher"),
    attempts: whole(
      0,
      [0, 3],
      "attempts",
      "drafts at most, each after a search in other words; 0: two by an able reader, one by a small one",
      "any",
    ),
    neighbours: whole(0, [0, 20], "chunks", "chunks of its section read before and after a hit", "any"),
    threads: whole(0, [0, 256], "threads", "CPU threads of the language model; 0: chosen from the machine"),
    entailment: text(
      "off",
      "second judge of supported sentences: off, or a model of natural language inference",
      trusted(model("a folder with config.json, tokenizer.json and model.onnx")),
    ),
    grounded: choice(
      ["strict", "prefer", "off"],
      "sentences no passage supports: removed, marked, or left",
      "lower",
    ),
    rulesOff: text("", "ties and rules of the judge that do not count, to measure what they are worth", {
      pattern: /^(|[a-zA-Z]{1,40}(,[a-zA-Z]{1,40}){0,30})$/,
      range: "empty, or ids with commas between, as ragctl eval --ablate judge lists them",
    }),
  }),
  parse: z.strictObject({
    timeoutMs: whole(
      120_000,
      [100, 3_600_000],
      "ms",
      "processor time one document may take beside its pages; a page may take a quarter",
      "lower",
    ),
    memoryMb: whole(640, [64, 65_536], "MiB", "memory a parser process may take beyond an idle one", "lower"),
    maxBytes: whole(200_000_000, [1, 10_000_000_000], "bytes", "largest file that is read", "lower"),
    workers: whole(0, [0, 64], "workers", "documents parsed at once; 0: chosen from the machine"),
    ocr: choice(
      ["auto", "off", "always"],
      "pages read by OCR: those without usable text, none, or every one",
      "any",
    ),
    ocrLanguages: text("eng", "languages of OCR, as tesseract names them, with + between", {
      untrusted: "any",
      pattern: /^[a-z_]{3,12}([+, ][a-z_]{3,12})*$/,
      range: "codes such as eng or eng+deu",
    }),
    ocrFolder: text(
      "",
      "folder with further language data (<code>.traineddata); empty: what is installed",
      pathMarks,
    ),
    ocrPageTimeoutMs: whole(60_000, [100, 3_600_000], "ms", "processor time of OCR for one page", "lower"),
    ocrWorkers: whole(0, [0, 64], "workers", "pages that OCR reads at once; 0: chosen from the machine"),
    parser: choice(
      ["builtin", "docling"],
      "who reads what docling can read; what it fails on the built-in parser reads",
    ),
    doclingUrl: text("", "address of a docling-serve; empty: the installed docling command", {
      pattern: new RegExp(`^(|https?://[^\\s${control}]+)$`),
      range: "empty or an http(s) address",
    }),
    loaders: text(
      "",
      "your own commands by extension, e.g. `dwg: dwg2text {file}; log: cat`; they print text or Markdown",
      {
        range: "`extension: program arguments`, with ; between",
      },
    ),
    loaderTimeoutMs: whole(
      60_000,
      [100, 3_600_000],
      "ms",
      "longest time docling or a command of yours may take for one document",
      "lower",
    ),
    loaderMaxBytes: whole(
      67_108_864,
      [1, 10_000_000_000],
      "bytes",
      "longest output of docling or a command of yours",
      "lower",
    ),
  }),
  ingest: z.strictObject({
    collection: text("general_knowledge", "collection for documents nobody assigned", {
      untrusted: "any",
      pattern: /^[a-z][a-z0-9_]{0,62}$/,
      range: "lower-case letters, digits and _, a letter first, at most 63 characters",
    }),
    folder: text("", "folder that POST /api/documents/ingest takes where it names none", pathMarks),
    keepVersions: whole(
      1,
      [0, 100],
      "versions",
      "replaced versions of a document that stay stored, hidden, so that `restore` is instant",
      "higher",
    ),
  }),
  fetch: z.strictObject({
    maxPages: whole(200, [1, 10_000], "pages", "pages and files that one address with --depth may bring"),
    maxBytes: whole(1_000_000_000, [1, 100_000_000_000], "bytes", "what one address may bring in all"),
    timeoutMs: whole(600_000, [1000, 86_400_000], "ms", "longest time that fetching one address may take"),
    allowPrivate: choice(["off", "on"], "whether addresses outside the public internet may be fetched"),
  }),
  history: z.strictObject({
    keepDays: whole(
      0,
      [0, 36_500],
      "days",
      "questions with their answers, ingests and ended jobs are removed when they are this old; 0: they stay",
    ),
  }),
  queue: z.strictObject({
    maxAttempts: whole(5, [1, 100], "attempts", "tries of a job before it goes to the dead letters"),
    leaseMs: whole(
      30_000,
      [1000, 3_600_000],
      "ms",
      "a job whose worker is silent this long is taken by another",
    ),
    backOffMs: whole(
      5000,
      [0, 3_600_000],
      "ms",
      "wait before the second try of a job; each further one waits twice as long",
    ),
  }),
  kafka: z.strictObject({
    brokers: text("", "Kafka servers that carry the queue to workers; empty: they ask the registry", {
      pattern: /^(?:|[\w.-]+:\d{1,5}(?:,[\w.-]+:\d{1,5})*)$/,
      range: "empty or addresses such as host:9092,other:9092",
    }),
    topic: text("document_processing", "topic of the jobs; each registry needs its own", topic),
    group: text("document_processors", "consumer group of the workers", topic),
    deadLetterTopic: text("document_processing_dead", "topic of messages that cannot become jobs", topic),
    partitions: whole(12, [1, 1000], "partitions", "parts of a topic that ragctl makes: workers it can wake"),
    foreignPrincipal: text(
      "",
      "principal as whom the messages of other programs are ingested; empty: they are dead letters",
      { pattern: new RegExp(`^[^${control}]{0,200}$`), range: "the name of a principal, or empty" },
    ),
    tls: choice(["off", "on"], "whether the connection is encrypted"),
    authorityFile: text("", "PEM file of the authority that signed the brokers' certificates", pathMarks),
    certificateFile: text("", "PEM file of our certificate, where the brokers ask for one", pathMarks),
    keyFile: text("", "PEM file of the key of our certificate", pathMarks),
    sasl: choice(["off", "plain", "scram-sha-256", "scram-sha-512"], "how we sign in to the brokers"),
    username: text("", "name to sign in to the brokers with"),
    password: text("", "password to sign in to the brokers with", { secret: true }),
  }),
  watch: z.strictObject({
    quietMs: whole(300, [0, 60_000], "ms", "a change is read when the folder has been quiet this long"),
  }),
  cache: z.strictObject({
    maxBytes: whole(
      2_000_000_000,
      [1_000_000, 1_000_000_000_000],
      "bytes",
      "cache size at which the least recently used entries go; of the local cache",
    ),
    queries: choice(
      ["off", "on"],
      "whether the hits of a search are kept for the next one that asks the same",
    ),
    redisUrl: text("", "Redis that holds the cache; empty: a file in the home", {
      pattern: new RegExp(`^(?:|rediss?://[^\\s${control}]+|unix:/[^\\s${control}]+)$`),
      range: "empty or an address such as redis://host:6379, rediss://:password@host or unix:/path",
      secret: true,
    }),
    redisAuthorityFile: text(
      "",
      "PEM file of the authority that signed the certificate of the Redis; empty: the system's",
      pathMarks,
    ),
    ttlSeconds: whole(
      3600,
      [1, 31_536_000],
      "s",
      "hits of a search are kept this long; in a Redis also what else has not been used for it",
    ),
  }),
  hub: z.strictObject({
    url: text("https://huggingface.co", "model hub that `models pull` asks", {
      pattern: new RegExp(`^https?://[^\\s${control}]+$`),
      range: "an http(s) address",
    }),
  }),
  log: z.strictObject({
    level: choice(["info", "debug", "warn", "error", "silent"], "least severe event that is logged"),
  }),
  output: z.strictObject({ color: choice(["auto", "always", "never"], "colours on the terminal", "any") }),
});

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** Every setting with its value, after all sources were read. Paths are absolute. */
export type Settings = DeepReadonly<z.infer<typeof settingsSchema>>;

/** One leaf of the settings. `check` accepts a value of the leaf's own type only. */
export interface Setting extends SettingFacts {
  readonly key: string;
  readonly check: (value: unknown) => boolean;
}

/** Whether the value of a setting is a path, which may be relative. */
export const holdsPath = ({ path }: SettingFacts, value: string): boolean =>
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

/** Key path, e.g. `chunk.maxTokens`, → what is known of it. */
export const settingTable: ReadonlyMap<string, Setting> = new Map(
  [...leaves(settingsSchema, "")].map((setting) => [setting.key, setting]),
);
