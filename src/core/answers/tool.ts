import type { Chunk } from "../documents/chunk.ts";
import type { JsonObject } from "../json.ts";
import type { Run } from "../run.ts";

/** The kinds of tool ragctl has; a registry row names one and configures it. */
export const toolTypes = [
  "rag",
  "calculator",
  "database_query",
  "api_call",
  "web_search",
  "generic",
] as const;
export type ToolType = (typeof toolTypes)[number];

/** The type for the word in a row: `generic` where ragctl has no type of that name. */
export const toolTypeOf = (word: string): ToolType => toolTypes.find((type) => type === word) ?? "generic";

/** A tool of the registry that is enabled and that the chosen agent and the principal may use. */
export interface AvailableTool {
  readonly name: string;
  readonly type: ToolType;
  readonly config: JsonObject;
  readonly permissions: JsonObject;
  /** Highest first. */
  readonly priority: number;
}

/** One call of a tool, made by a rule or by the model under a grammar; never by retrieved text. */
export interface ToolCall {
  readonly tool: string;
  readonly type: ToolType;
  readonly arguments: JsonObject;
  /** Why it was chosen, e.g. `arithmetic`, `similarity 0.71`, `model`. */
  readonly reason: string;
}

/** Something a tool found that an answer can cite. */
export interface ToolFinding {
  readonly text: string;
  /** The source that a citation names, e.g. `equipment_data.xlsx` or `Calculator`. */
  readonly source: string;
  /** Where in the source, e.g. `Pumps!A2:D9` or the SQL that was run. */
  readonly section: string;
  readonly contentType: Chunk["contentType"];
  /** What it was read from; a citation names its document and pages. Absent where that is no document. */
  readonly of?: Chunk;
  /** The rows of `of` that it was read from, unchanged: what a citation quotes. */
  readonly rows?: readonly string[];
}

/** The result of a call; a failure concerns one tool only, and the others continue. */
export interface ToolResult {
  readonly call: ToolCall;
  readonly status: "ok" | "failed" | "denied";
  /** Error code of a failure, else "". */
  readonly code: string;
  /** Why it failed or was denied, else the result in one line. */
  readonly message: string;
  readonly findings: readonly ToolFinding[];
  /** Typed result for machines, e.g. `{ sql, columns, rows }` or `{ expression, value }`. */
  readonly data: JsonObject;
  readonly durationMs: number;
}

/** A tool as a driver: made from the `config` of its row, which it checks. */
export interface Tool extends AsyncDisposable {
  readonly type: ToolType;
  /** One paragraph for the model and for choosing by similarity. */
  readonly description: string;
  /** Questions this tool answers; embedded to find candidates. */
  readonly examples: readonly string[];
  /** JSON Schema of `arguments`. */
  readonly parameters: JsonObject;
  /**
   * Whether a rule of the tool answers the question, without a model; it is then called even if no example is
   * similar. Where the question is near the examples (`isNear`), more may be read to decide.
   */
  readonly answers?: (question: string, isNear: boolean, run: Run) => Promise<boolean>;
  /** Raises RagctlError TOOL_* on failure; never waits longer than its own limit. */
  call(
    call: ToolCall,
    question: string,
    run: Run,
  ): Promise<Pick<ToolResult, "findings" | "data" | "message">>;
}

/** Whether a chunk is a tool's finding. */
export const isFinding = ({ method }: Pick<Chunk, "method">): boolean => method.startsWith("tool:");

/** Whether an id is that of a finding that no document holds. */
export const isFindingId = (chunkId: string): boolean => chunkId.startsWith("tool-");

/** A finding as a chunk, so that it can be a passage and be cited like one; `method` says which tool. */
export function findingChunk(finding: ToolFinding, type: ToolType, ordinal: number): Chunk {
  const own = { text: finding.text, contentType: finding.contentType, method: `tool:${type}` };
  if (finding.of !== undefined) {
    const { sheetParts: _, ...place } = finding.of;
    return { ...place, ...own, readFrom: { chunk: finding.of, rows: finding.rows ?? [] } };
  }
  return {
    id: `tool-${type.replaceAll("_", "-")}-${ordinal}`,
    documentId: "",
    versionId: "",
    ordinal,
    ...own,
    title: "",
    headings: finding.section === "" ? [] : [finding.section],
    pages: [],
    tokenCount: 0,
    sourcePath: "",
    sourceName: finding.source,
    format: "text",
    collection: "",
    department: "",
    contentHash: "",
  };
}
