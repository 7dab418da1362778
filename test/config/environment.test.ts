import assert from "node:assert/strict";
import { test } from "node:test";
import { describeSettings } from "../../src/config/load.ts";
import { load } from "./support.ts";

test("the names of the specification set what they say", () => {
  const env = {
    DATABASE_URL: "sqlite:///srv/r.sqlite",
    MILVUS_PUBLIC_URI: "http://milvus_public:19530",
    MILVUS_PRIVATE_URI: "http://milvus_private:19530",
    BGE_M3_MODEL: "BAAI/bge-m3",
    BGE_M3_DEVICE: "cuda",
    BGE_M3_BATCH_SIZE: "24",
    BGE_M3_MAX_LENGTH: "8192",
    MMR_LAMBDA_DEFAULT: "0.7",
    MMR_TOP_K_DEFAULT: "12",
    HF_ENDPOINT: "https://hub.example",
    NO_COLOR: "1",
    REDIS_URL: "redis://cache:6379",
    CACHE_TTL: "60",
    KAFKA_BROKERS: "kafka:9092,other:9093",
  };
  const { settings, origins, notices } = load({ env });
  assert.equal(settings.registry.path, "/srv/r.sqlite");
  assert.deepEqual(
    [settings.milvus.publicUri, settings.milvus.privateUri],
    [env.MILVUS_PUBLIC_URI, env.MILVUS_PRIVATE_URI],
  );
  assert.deepEqual([settings.mmr.lambda, settings.mmr.topK], [0.7, 12]);
  const { model, device, batchSize, maxTokens } = settings.embed;
  assert.deepEqual([model, device, batchSize, maxTokens], ["bge-m3", "cuda", 24, 8192]);
  assert.deepEqual([settings.hub.url, settings.output.color], ["https://hub.example", "never"]);
  assert.equal(origins.get("embed.model"), "environment:BGE_M3_MODEL");
  assert.deepEqual([settings.cache.redisUrl, settings.cache.ttlSeconds], ["redis://cache:6379", 60]);
  assert.equal(settings.kafka.brokers, env.KAFKA_BROKERS);
  assert.equal(load({ env: { KAFKA_BOOTSTRAP_SERVERS: "k:1" } }).settings.kafka.brokers, "k:1");
  assert.deepEqual(notices, []);
});

test("what is recognised without an effect is told by name, never dropped", () => {
  const env = {
    BGE_M3_USE_FP16: "true",
    LLM_PROVIDER: "gemini",
    OLLAMA_MODEL: "qwen3:8b",
    GEMINI_MODEL: "gemini-3-flash-preview",
    EMBEDDING_DIM: "384",
    DOCLING_ENABLE_OTHER: "1",
    LANGCHAIN_FALLBACK_ENABLED: "true",
    PATH: "/bin",
  };
  const { notices } = load({ env });
  assert.deepEqual(
    notices.map((notice) => notice.name),
    Object.keys(env).filter((name) => name !== "PATH"),
  );
  for (const notice of notices) assert.match(notice.message, /recognised but has no effect/);
  assert.ok(
    notices.every(({ surprising }) => !surprising),
    "doctor and config show tell these, and no other command",
  );
});

test("an address of a Redis is neither shown nor told in an error: it may hold a password", () => {
  for (const url of ["hunter2@host:6379", "redis//:hunter2@host", "redis://:hunter2@a b"])
    assert.throws(
      () => load({ env: { REDIS_URL: url } }),
      (error: Error) =>
        /^cache\.redisUrl is \*\*\* /.test(error.message) && !error.message.includes("hunter2"),
    );
  const loaded = load({ env: { REDIS_URL: "rediss://user:hunter2@host" } });
  assert.ok(!JSON.stringify(describeSettings(loaded)).includes("hunter2"));
});

test("an address of PostgreSQL in DATABASE_URL places the registry there, and its password is never shown", () => {
  const url = "postgresql://user:hunter2@host:5432/db";
  const loaded = load({ env: { DATABASE_URL: url } });
  assert.deepEqual([loaded.settings.registry.url, loaded.settings.registry.path], [url, ""]);
  assert.deepEqual(loaded.notices, []);
  assert.ok(!JSON.stringify(describeSettings(loaded)).includes("hunter2"));
  const own = { DATABASE_URL: url, RAGCTL_REGISTRY_URL: "postgres://other/db" };
  assert.equal(load({ env: own }).settings.registry.url, "postgres://other/db");
});

test("a database of another kind is told at every command, without its password, and changes nothing", () => {
  for (const url of ["mysql://user:hunter2@host:3306/db", "hunter2"]) {
    const { notices, settings } = load({ env: { DATABASE_URL: url } });
    assert.equal(settings.registry.path, load({ env: {} }).settings.registry.path);
    const [notice] = notices;
    assert.ok(notice?.surprising === true && notices.length === 1);
    assert.match(notice.message, /DATABASE_URL .*scheme is "(?:mysql|no)", but .*SQLite .* or PostgreSQL/);
    assert.ok(!notice.message.includes("hunter2"));
  }
});

test("a variable of ragctl's own beats the specification's name; an empty one is no variable", () => {
  assert.equal(load({ env: { RAGCTL_MMR_TOP_K: "3", MMR_TOP_K_DEFAULT: "4" } }).settings.mmr.topK, 3);
  assert.equal(load({ env: { MMR_TOP_K_DEFAULT: "4", RAGCTL_MMR_TOP_K: "" } }).settings.mmr.topK, 4);
  assert.equal(load({ env: { RAGCTL_TEST_ANYTHING: "x" } }).settings.mmr.topK, 10);
});

test("sizes, embedding model and OCR are set by the names of the specification", () => {
  const env = {
    EMBEDDING_MODEL: "sentence-transformers/all-MiniLM-L6-v2",
    CHUNK_SIZE: "512",
    CHUNK_OVERLAP: "50",
    DOCLING_ENABLE_OCR: "false",
    COLLECTION_NAME: "manufacturing_docs",
  };
  const { settings, notices } = load({ env });
  const { size, overlap } = settings.chunk;
  assert.deepEqual(
    [settings.embed.model, size, overlap, settings.parse.ocr, settings.ingest.collection, notices],
    ["all-minilm-l6-v2-int8", 512, 50, "off", "manufacturing_docs", []],
  );
  assert.equal(
    load({ env: { EMBEDDING_MODEL: "all-MiniLM-L6-v2" } }).settings.embed.model,
    "all-minilm-l6-v2-int8",
  );
  assert.equal(load({ env: { DOCLING_ENABLE_OCR: "true" } }).settings.parse.ocr, "auto");
  assert.match(
    load({ env: { DOCLING_ENABLE_OCR: "maybe" } }).notices[0]?.message ?? "",
    /must be true or false/,
  );
});

test("hub names of models mean those of the manifest, whoever states them, and folders stay folders", () => {
  const byFlag = (key: string, value: string) => load({ flags: { [key]: value } }).settings;
  const names = ["sentence-transformers/all-MiniLM-L6-v2", "Xenova/all-MiniLM-L6-v2", "all-MiniLM-L6-v2"];
  for (const name of names) assert.equal(byFlag("embed.model", name).embed.model, "all-minilm-l6-v2-int8");
  assert.equal(byFlag("embed.model", "BAAI/bge-m3").embed.model, "bge-m3");
  assert.equal(
    byFlag("retrieve.rerankModel", "cross-encoder/ms-marco-MiniLM-L-6-v2").retrieve.rerankModel,
    "ms-marco-minilm-l-6-v2-int8",
  );
  assert.equal(
    byFlag("answer.model", "Qwen/Qwen3-4B-Instruct-2507-GGUF").answer.model,
    "qwen3-4b-instruct-2507-q4_k_m",
  );
  for (const path of ["./all-MiniLM-L6-v2", "models/own", "/srv/bge-m3"])
    assert.ok(byFlag("embed.model", path).embed.model.startsWith("/"), path);
});

test("an overlap that is not less than the size is refused, with the unit of the preset", () => {
  assert.throws(() => load({ env: { CHUNK_SIZE: "100", RAGCTL_CHUNK_PRESET: "window" } }), {
    code: "CONFIG_INVALID",
    message: "chunk.overlap (100 tokens) must be less than chunk.size (100 tokens in window)",
  });
  assert.throws(() => load({ env: { CHUNK_SIZE: "30" } }), {
    code: "CONFIG_INVALID",
    message: "chunk.size (30 tokens in hybrid) is less than 64",
  });
  assert.equal(load({ env: { CHUNK_SIZE: "100", RAGCTL_CHUNK_PRESET: "fixed" } }).settings.chunk.size, 100);
});
