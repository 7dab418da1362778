import { isPostgresAddress, sqlitePath } from "../core/address.ts";
import { modelIdOf } from "../core/answers/model-names.ts";
import { RagctlError } from "../core/errors.ts";
import { didYouMean } from "../core/nearest.ts";
import { settingTable } from "./settings.ts";

/** Environment as given to a process: name → value. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value as a source gives it, before it is checked. */
export interface GivenValue {
  readonly key: string;
  readonly value: unknown;
  /** `environment:NAME` */
  readonly origin: string;
}

/** A variable that is understood but changes nothing in this version. */
export interface Notice {
  readonly name: string;
  readonly reason: string;
  /** Both as a sentence. */
  readonly message: string;
  /** Whether its value does not have the effect one expects of it: then every command warns. */
  readonly surprising: boolean;
}

/** Docling's switch → `parse.ocr`; undefined for anything but a truth value. */
const ocrMode = (value: string): string | undefined =>
  /^(?:true|1|yes|on)$/i.test(value) ? "auto" : /^(?:false|0|no|off)$/i.test(value) ? "off" : undefined;

interface Alias {
  /** The setting, or the one that a value is for. */
  readonly key: string | ((value: string) => string);
  /** The setting's value; undefined where the variable's cannot be honoured, and `refused` says why. */
  readonly read?: (value: string) => string | undefined;
  readonly refused?: (value: string) => string;
}

/**
 * Often set for other programs of the same shell, so it must not stop this one; the address may hold a
 * password and is not shown.
 */
function databaseRefused(value: string): string {
  const scheme = /^([a-z][a-z0-9+]*):/i.exec(value)?.[1] ?? "no";
  return `its scheme is "${scheme}", but a registry needs SQLite (sqlite:/path/to/registry.sqlite) or PostgreSQL (postgresql://…)`;
}

/** Names other tools and the specification use. A `RAGCTL_…` name for the same key wins. */
const aliases: Readonly<Record<string, Alias>> = {
  DATABASE_URL: {
    key: (value) => (isPostgresAddress(value) ? "registry.url" : "registry.path"),
    read: (value) => (isPostgresAddress(value) ? value : sqlitePath(value)),
    refused: databaseRefused,
  },
  MILVUS_PUBLIC_URI: { key: "milvus.publicUri" },
  MILVUS_PRIVATE_URI: { key: "milvus.privateUri" },
  MILVUS_TOKEN: { key: "milvus.token" },
  BGE_M3_MODEL: { key: "embed.model", read: modelIdOf },
  BGE_M3_DEVICE: { key: "embed.device" },
  BGE_M3_BATCH_SIZE: { key: "embed.batchSize" },
  BGE_M3_MAX_LENGTH: { key: "embed.maxTokens" },
  MMR_LAMBDA_DEFAULT: { key: "mmr.lambda" },
  MMR_TOP_K_DEFAULT: { key: "mmr.topK" },
  EMBEDDING_MODEL: { key: "embed.model", read: modelIdOf },
  COLLECTION_NAME: { key: "ingest.collection" },
  CHUNK_SIZE: { key: "chunk.size" },
  CHUNK_OVERLAP: { key: "chunk.overlap" },
  DOCLING_ENABLE_OCR: { key: "parse.ocr", read: ocrMode, refused: () => "it must be true or false" },
  REDIS_URL: { key: "cache.redisUrl" },
  CACHE_TTL: { key: "cache.ttlSeconds" },
  KAFKA_BOOTSTRAP_SERVERS: { key: "kafka.brokers" },
  KAFKA_BROKERS: { key: "kafka.brokers" },
  HF_ENDPOINT: { key: "hub.url" },
  NO_COLOR: { key: "output.color", read: () => "never" },
};

const inert: readonly { readonly name: RegExp; readonly reason: string }[] = [
  { name: /^BGE_M3_USE_FP16$/, reason: "the model file defines the precision" },
  { name: /^EMBEDDING_DIM$/, reason: "the model defines its number of dimensions" },
  {
    name: /^(?:LLM_PROVIDER|OLLAMA_MODEL|GEMINI_MODEL)$/,
    reason: "add language models on a server to the registry: `ragctl providers add`",
  },
  { name: /^DOCLING_ENABLE_TABLE_STRUCTURE$/, reason: "tables are always read as tables" },
  {
    name: /^DOCLING_ENABLE_[A-Z0-9_]+$/,
    reason: "the built-in parser has no such option; parse.parser selects docling",
  },
  {
    name: /^LANGCHAIN_FALLBACK_ENABLED$/,
    reason: "the built-in parser always reads what docling or your command cannot",
  },
];

/** `chunk.maxTokens` → `RAGCTL_CHUNK_MAX_TOKENS`. */
function environmentName(key: string): string {
  return `RAGCTL_${key
    .replace(/([A-Z])/g, "_$1")
    .replaceAll(".", "_")
    .toUpperCase()}`;
}

const byName: ReadonlyMap<string, string> = new Map(
  [...settingTable.keys()].map((key) => [environmentName(key), key]),
);

const sets = (alias: Alias["key"] | undefined, key: string): boolean =>
  typeof alias === "function" ? key.startsWith("registry.") : alias === key;

/** Names of the variables that set `key`, the strongest first. */
export function environmentNames(key: string): readonly string[] {
  return [environmentName(key), ...Object.keys(aliases).filter((name) => sets(aliases[name]?.key, key))];
}

/** Whether a variable is a setting's, or another that is recognised. */
export const isKnownVariable = (name: string): boolean =>
  byName.has(name) || Object.hasOwn(aliases, name) || inert.some((entry) => entry.name.test(name));

function noticeOf(name: string, reason: string, surprising: boolean): Notice {
  return {
    name,
    reason,
    surprising,
    message: `${name} is recognised but has no effect in this version: ${reason}`,
  };
}

/** The meaning of a variable: a value under its own name or under an alias, a notice, or none for ragctl. */
type Reading =
  | { readonly kind: "setting" | "alias"; readonly value: GivenValue }
  | { readonly kind: "notice"; readonly notice: Notice };

function readAlias(name: string, { key, read, refused }: Alias, text: string): Reading {
  const value = read === undefined ? text : read(text);
  const setting = typeof key === "string" ? key : key(text);
  if (value !== undefined)
    return { kind: "alias", value: { key: setting, value, origin: `environment:${name}` } };
  const reason = refused?.(text) ?? "its value cannot be used";
  return { kind: "notice", notice: noticeOf(name, reason, true) };
}

/** @throws CONFIG_INVALID for a name of ours that is no setting */
function readVariable(name: string, text: string): Reading | undefined {
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (alias !== undefined) return readAlias(name, alias, text);
  const key = byName.get(name);
  if (key !== undefined)
    return { kind: "setting", value: { key, value: text, origin: `environment:${name}` } };
  if (name.startsWith("RAGCTL_") && !name.startsWith("RAGCTL_TEST_")) throw unknownVariable(name);
  const reason = inert.find((entry) => entry.name.test(name))?.reason;
  return reason === undefined ? undefined : { kind: "notice", notice: noticeOf(name, reason, false) };
}

function unknownVariable(name: string): RagctlError {
  return new RagctlError(
    "CONFIG_INVALID",
    `the environment variable ${name} is not a setting${didYouMean(name, byName.keys(), "")}`,
    { hint: `unset ${name}; docs/reference/configuration.md lists every setting and its variable` },
  );
}

/**
 * Settings the environment gives, weakest first; a variable that is empty counts as unset.
 * @throws CONFIG_INVALID for an unknown `RAGCTL_…` name (`RAGCTL_TEST_…` is left to test suites)
 */
export function readEnvironment(environment: Environment): {
  readonly values: readonly GivenValue[];
  readonly notices: readonly Notice[];
} {
  const readings = Object.entries(environment).flatMap(([name, text]) =>
    text === undefined || text === "" ? [] : (readVariable(name, text) ?? []),
  );
  const valuesOf = (kind: "setting" | "alias"): GivenValue[] =>
    readings.flatMap((reading) => (reading.kind === kind ? [reading.value] : []));
  return {
    values: [...valuesOf("alias"), ...valuesOf("setting")],
    notices: readings.flatMap((reading) => (reading.kind === "notice" ? [reading.notice] : [])),
  };
}
