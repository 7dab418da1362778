import type { CreateCollectionReq, CreateIndexSimpleReq } from "@zilliz/milvus2-sdk-node";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import { maxFieldBytes, scalarColumns } from "./rows.ts";

/** How dense vectors are found: exactly, in clusters, or along a graph. */
export type IndexKind = "flat" | "ivf_flat" | "hnsw";
/** Vectors have L2 norm 1, so both give the same scores. */
export type Metric = "IP" | "COSINE";

/** Options for new collections. Existing ones are unchanged. */
export interface Making {
  readonly indexKind: IndexKind;
  readonly metric: Metric;
  /** The column whose values get separate partitions. */
  readonly partitionBy: "none" | "department";
  /** Whether the server has sparse vectors, and with a BM25 collection the function that makes them. */
  readonly hasSparse: boolean;
}

/** The dense index that a collection has, as its server describes it. */
export interface DenseIndex {
  readonly kind: IndexKind;
  readonly metric: Metric;
}

/**
 * The same text as the description: Lite 2.5 keeps descriptions only, Lite 3 properties only, servers both.
 */
const specProperty = "ragctl.collection";

/** The description of a collection; one without it was not made by ragctl. */
const descriptionSchema = z.object({
  ragctl: z.literal(1),
  dimensions: z.number().int().positive(),
  lexical: z.enum(["sparse", "bm25"]),
  fingerprint: z.string(),
  analyzer: z.enum(["standard", "english"]),
});

interface Property {
  readonly key: string;
  readonly value: string | number;
}

/**
 * Milvus analyzers; measured on Lite 2.5.1: English stems "Invoices" to "invoice" and drops "the", both fold
 * "Café" to "cafe".
 */
const analyzers = {
  standard: { tokenizer: "standard", filter: ["lowercase", "asciifolding"] },
  english: {
    tokenizer: "standard",
    filter: [
      "lowercase",
      "asciifolding",
      { type: "stop", stop_words: ["_english_"] },
      { type: "stemmer", language: "english" },
    ],
  },
} as const;

/** Field type numbers of the Milvus protocol (schema.proto, DataType). */
const dataType = { json: 23, varchar: 21, float: 101, sparse: 104 } as const;
const sparseColumn = "sparse_vector";
/** FunctionType BM25 of the Milvus protocol. */
const bm25Function = 1;

/**
 * The collection as Milvus is asked to make it: text, filterable scalars, the rest as JSON, one dense and,
 * where the server can, one sparse vector.
 */
export function creation(
  spec: CollectionSpec,
  { hasSparse, partitionBy }: Pick<Making, "hasSparse" | "partitionBy">,
): CreateCollectionReq {
  const analyzer = spec.analyzer ?? "standard";
  const varchar = (name: string, maxBytes: number) => ({
    name,
    data_type: dataType.varchar,
    max_length: maxBytes,
  });
  const bm25 = spec.lexical === "bm25";
  const description = JSON.stringify({
    ragctl: 1,
    dimensions: spec.dimensions,
    lexical: spec.lexical,
    fingerprint: spec.fingerprint,
    analyzer,
  });
  return {
    collection_name: spec.name,
    description,
    properties: { [specProperty]: description },
    consistency_level: "Strong",
    enable_dynamic_field: false,
    fields: [
      ...Object.values(scalarColumns).map(({ column, maxBytes }) => ({
        ...varchar(column, maxBytes),
        ...(column === "id" ? { is_primary_key: true } : {}),
        ...(column === partitionBy ? { is_partition_key: true } : {}),
      })),
      varchar("text", maxFieldBytes),
      { name: "metadata", data_type: dataType.json },
      { name: "dense_vector", data_type: dataType.float, dim: spec.dimensions },
      ...(bm25
        ? [
            {
              ...varchar("lexical_text", maxFieldBytes),
              ...(hasSparse ? { enable_analyzer: true, analyzer_params: analyzers[analyzer] } : {}),
            },
          ]
        : []),
      ...(hasSparse ? [{ name: sparseColumn, data_type: dataType.sparse }] : []),
    ],
    ...(bm25 && hasSparse
      ? {
          functions: [
            {
              name: "lexical",
              type: bm25Function,
              input_field_names: ["lexical_text"],
              output_field_names: [sparseColumn],
              params: {},
            },
          ],
        }
      : {}),
  };
}

/**
 * What each kind of index is built with. HNSW M 16, efConstruction 200: the values of the Milvus
 * documentation's example. IVF_FLAT nlist 128: its default.
 */
const building = {
  flat: { index_type: "FLAT" },
  ivf_flat: { index_type: "IVF_FLAT", params: { nlist: 128 } },
  hnsw: { index_type: "HNSW", params: { M: 16, efConstruction: 200 } },
} as const satisfies Record<IndexKind, object>;

/** Indexes of a collection. */
export function indexes(
  spec: CollectionSpec,
  { indexKind, metric, hasSparse }: Pick<Making, "indexKind" | "metric" | "hasSparse">,
): CreateIndexSimpleReq[] {
  const dense: CreateIndexSimpleReq = {
    collection_name: spec.name,
    field_name: "dense_vector",
    index_name: "dense_vector",
    metric_type: metric,
    ...building[indexKind],
  };
  if (!hasSparse) return [dense];
  return [
    dense,
    {
      collection_name: spec.name,
      field_name: sparseColumn,
      index_name: sparseColumn,
      index_type: "SPARSE_INVERTED_INDEX",
      metric_type: spec.lexical === "bm25" ? "BM25" : "IP",
    },
  ];
}

/** A description of an index as the SDK returns it. */
interface IndexDescription {
  readonly field_name: string;
  readonly params: readonly Property[];
}

/** The dense index among those of a collection; FLAT and IP where the server reports neither, as Lite 2.5. */
export function denseIndexOf(descriptions: readonly IndexDescription[]): DenseIndex {
  const params = descriptions.find((each) => each.field_name === "dense_vector")?.params ?? [];
  const text = (key: string): string =>
    String(params.find((each) => each.key === key)?.value ?? "").toUpperCase();
  const type = text("index_type");
  return {
    kind: type === "HNSW" ? "hnsw" : type === "IVF_FLAT" ? "ivf_flat" : "flat",
    metric: text("metric_type") === "COSINE" ? "COSINE" : "IP",
  };
}

/** A collection as its server has it. */
export interface StoredCollection {
  readonly spec: CollectionSpec;
  /** False where it was made on a server without sparse vectors: its words are searched elsewhere. */
  readonly hasSparse: boolean;
}

/** A collection's own description; undefined when ragctl did not make it. */
export function parseStoredCollection(
  name: string,
  described: {
    readonly schema: {
      readonly description: string;
      readonly fields: readonly { readonly name: string }[];
    };
    readonly properties: readonly Property[];
  },
): StoredCollection | undefined {
  const property = described.properties.find((each) => each.key === specProperty);
  let value: unknown;
  try {
    value = JSON.parse(String(property?.value ?? described.schema.description));
  } catch {
    return undefined;
  }
  const parsed = descriptionSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { ragctl: _, ...rest } = parsed.data;
  const hasSparse = described.schema.fields.some((field) => field.name === sparseColumn);
  return { spec: { name, ...rest }, hasSparse };
}

/** @throws FINGERPRINT_MISMATCH when the vectors of `wanted` are not comparable with those of `stored` */
export function assertSameSpec(storeId: string, stored: CollectionSpec, wanted: CollectionSpec): void {
  const describe = (spec: CollectionSpec): string =>
    `${spec.fingerprint} (${spec.dimensions} dimensions, ${spec.lexical})`;
  const analyzer = wanted.analyzer ?? stored.analyzer;
  const same =
    stored.fingerprint === wanted.fingerprint &&
    stored.dimensions === wanted.dimensions &&
    stored.lexical === wanted.lexical;
  if (same && (analyzer === stored.analyzer || stored.lexical === "sparse")) return;
  const difference = same
    ? `it uses the ${stored.analyzer} analyzer, but this run uses ${analyzer}`
    : `it contains ${describe(stored)}, but this run produces ${describe(wanted)}`;
  throw new RagctlError(
    "FINGERPRINT_MISMATCH",
    `collection "${stored.name}" in store "${storeId}" was created with another embedding model: ${difference}`,
    {
      hint: `ingest into a new collection (ragctl ingest --collection NEWNAME …), or remove this one (ragctl collections remove ${stored.name}) and ingest again`,
    },
  );
}
