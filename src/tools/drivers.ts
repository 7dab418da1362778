import type { LanguageModel } from "../core/answers/answer.ts";
import type { AvailableTool } from "../core/answers/tool.ts";
import type { Table } from "../core/documents/document.ts";

/** One sheet or table of an ingested document that the caller may read. */
export interface SheetTable extends Omit<Table, "sheet" | "spans"> {
  readonly documentId: string;
  /** File name as cited, e.g. `equipment_data.xlsx`. */
  readonly sourceName: string;
  /** "" where the format has no sheets. */
  readonly sheet: string;
}

/**
 * What tools may use of the rest of the program; made for one principal, so that everything it gives is
 * permitted.
 */
export interface ToolDrivers {
  /** Writes SQL, opened on first use; null where no model is there, and templates do alone. */
  model(): Promise<LanguageModel | null>;
  /** Tables of the documents that the principal may read. */
  sheets(): AsyncIterable<SheetTable>;
  /** Value of a secret that a row names, e.g. an API key; undefined where it is not set. */
  secret(name: string): string | undefined;
  /** The only variables that an operator's program sees, e.g. `PATH` and `LANG`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where an operator's program runs whose row names no folder. Default: the folder of this process. */
  readonly cwd?: string;
}

/** A row of the registry as a tool is made from it. */
export type ToolRow = Pick<AvailableTool, "name" | "type" | "config" | "permissions">;
