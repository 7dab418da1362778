import type { AnswerEvent, GroundedMode, WriteMode } from "./answers/answer.ts";
import type { Chunk } from "./documents/chunk.ts";
import type { EstimateReport, IngestEstimate } from "./documents/estimate.ts";
import type { RagctlError } from "./errors.ts";
import type { MetadataCondition } from "./metadata/conditions.ts";
import type { GivenMetadata, Metadata } from "./metadata/metadata.ts";
import type { Hit, Instance, PageRange, TextCondition, UnavailableCollection } from "./retrieval.ts";
import type { PhaseMetrics, Run } from "./run.ts";

export interface IngestRequest {
  /** Files, folders (recursive) or globs, as typed. */
  readonly paths: readonly string[];
  readonly collection: string;
  readonly instance: Instance;
  /** "" for none. */
  readonly department: string;
  /** Metadata added to every document of it; null removes a key. */
  readonly metadata?: GivenMetadata;
  /** Says beforehand how long it will take, and afterwards how far off that was. Default false. */
  readonly estimate?: boolean;
}

/**
 * `added` new document, `updated` new version, `unchanged` same content and fingerprint, `skipped` by a rule
 * the reason names (not a failure), `failed` with an error code.
 */
export type FileState = "added" | "updated" | "unchanged" | "skipped" | "failed";

export interface FileReport {
  readonly path: string;
  readonly name: string;
  readonly state: FileState;
  /** Error code of a failure, else "". */
  readonly code: string;
  /** Why it was skipped or failed, or what was lost while reading; "" for neither. */
  readonly reason: string;
  /** The parts of the reason, where it is an error's. */
  readonly error?: Pick<RagctlError, "message" | "hint">;
  readonly pages: number;
  readonly chunks: number;
  readonly tokens: number;
  readonly pagesWithoutText: readonly number[];
}

export interface IngestReport {
  readonly runId: string;
  readonly collection: string;
  readonly files: readonly FileReport[];
  readonly counts: Readonly<Record<FileState, number>> & {
    readonly chunks: number;
    readonly tokens: number;
    readonly embeddedFromCache: number;
    readonly pages: number;
    readonly pagesNeedingOcr: number;
  };
  readonly phases: readonly PhaseMetrics[];
  /** Resident memory of this process at its highest, bytes; parsers have their own processes. */
  readonly peakRssBytes: number;
  readonly model: string;
  readonly provider: string;
  /** Present if requested. */
  readonly estimate?: EstimateReport;
}

/** Sums over the files that have ended; `etaMs` is null before the first one has. */
export interface IngestProgress {
  readonly pages: number;
  readonly chunks: number;
  readonly etaMs: number | null;
}

export type IngestEvent =
  | { readonly type: "estimate"; readonly estimate: IngestEstimate }
  /** How many files there are, before the first of them ends. */
  | { readonly type: "files-found"; readonly total: number }
  | {
      readonly type: "file-end";
      readonly file: FileReport;
      readonly done: number;
      readonly total: number;
      readonly progress: IngestProgress;
    }
  | { readonly type: "ingest-end"; readonly report: IngestReport };

export interface SearchRequest {
  readonly query: string;
  readonly topK: number;
  /** Empty: every collection. */
  readonly collections: readonly string[];
  /**
   * Which routes to use; `colbert`: both, and their first hits are scored again by ColBERT rows. Default
   * `hybrid`.
   */
  readonly mode: "hybrid" | "dense" | "lexical" | "colbert";
  /** Break down the score of every hit. Default false. */
  readonly explain?: boolean;
  readonly department?: string;
  readonly documents?: readonly string[];
  readonly formats?: readonly string[];
  /** Kinds of the passages, e.g. `table`. */
  readonly contentTypes?: readonly string[];
  /** Only passages on these pages or slides. */
  readonly pages?: PageRange;
  /** Only passages whose headings, title or parser contain these texts. */
  readonly texts?: readonly TextCondition[];
  /** Only documents whose metadata meets each of these. */
  readonly metadata?: readonly MetadataCondition[];
  /** Only documents whose visible version was ingested at this time or later (ISO 8601). */
  readonly since?: string;
  /**
   * `all` also finds replaced versions that are kept; a number, that version of the `documents`; `at`, the
   * versions that were visible then (ISO 8601). Default `latest`.
   */
  readonly versions?: "latest" | "all" | number | { readonly at: string };
}

export interface AskRequest extends Omit<SearchRequest, "mode"> {
  /**
   * Name or id of the agent that must answer; absent: the router chooses among those the principal may use.
   */
  readonly agent?: string;
  /** How to treat sentences that no passage supports; absent: the setting. */
  readonly grounded?: GroundedMode;
  /** Time the answer may take, e.g. `10s`; absent: the setting. */
  readonly budget?: string;
  /** Whether a model writes the answer; absent: the setting. */
  readonly write?: WriteMode;
}

export interface SearchResult {
  readonly query: string;
  /**
   * The query actually searched, with misspelt words as documents spell them. Absent where it is unchanged.
   */
  readonly readAs?: string;
  readonly hits: readonly Hit[];
  /** Whether the hits fit the query, by their evidence; absent where that was not asked. */
  readonly found?: boolean;
  /** Names of the documents that the question names, best first: their passages rank higher. */
  readonly named: readonly string[];
  readonly phases: readonly PhaseMetrics[];
  /** Collections that could not be searched: the hits are those of the others. */
  readonly unavailable: readonly UnavailableCollection[];
}

export interface DocumentSummary {
  readonly id: string;
  readonly version: number;
  readonly collection: string;
  readonly instance: Instance;
  readonly department: string;
  readonly name: string;
  readonly path: string;
  readonly format: string;
  readonly title: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly pages: number;
  readonly chunks: number;
  /** ISO 8601. */
  readonly ingestedAt: string;
  /** By its file, and by hand, which goes first. */
  readonly metadata: Metadata;
}

export interface CollectionSummary {
  readonly name: string;
  readonly instance: Instance;
  readonly documents: number;
  readonly chunks: number;
  readonly embedder: string;
  readonly dimensions: number;
  readonly lexical: "sparse" | "bm25";
}

/**
 * Everything a surface (command line, server, page) can ask of ragctl; a remote one implements the same.
 * Every method holds to the permissions of the run's principal: what it may not see is NOT_FOUND, what it may
 * see but not change PERMISSION_DENIED.
 */
export interface App extends AsyncDisposable {
  ingest(request: IngestRequest, run: Run): AsyncIterable<IngestEvent>;
  search(request: SearchRequest, run: Run): Promise<SearchResult>;
  ask(request: AskRequest, run: Run): AsyncIterable<AnswerEvent>;
  /** Documents of these collections; of every readable one when none is named. @throws NOT_FOUND */
  documents(collections: readonly string[], run: Run): Promise<readonly DocumentSummary[]>;
  /** A document by id, unique id prefix, name or path, with its chunks in order. @throws NOT_FOUND */
  show(
    reference: string,
    run: Run,
  ): Promise<{ readonly document: DocumentSummary; readonly chunks: readonly Chunk[] }>;
  /** Removes documents from every store and the registry; the files on disk stay. @throws NOT_FOUND */
  forget(references: readonly string[], run: Run): Promise<readonly DocumentSummary[]>;
  /** Removes a collection with everything in it. @throws NOT_FOUND */
  forgetCollection(name: string, run: Run): Promise<readonly DocumentSummary[]>;
  /** The readable collections. */
  collections(run: Run): Promise<readonly CollectionSummary[]>;
}
