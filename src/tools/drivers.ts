import type { LanguageModel } from "../core/answers/answer.ts";
import type { AvailableTool } from "../core/answers/tool.ts";
import type { SheetTable } from "../tables/schema.ts";

/**
 * What tools may use of the rest of the program; created for one principal, so everything it returns is
 * permitted.
 */
export interface ToolDrivers {
  /** Writes SQL, opened on first use; null if no model is installed, leaving only templates. */
  model(): Promise<LanguageModel | null>;
  /** Tables of the documents that the principal may read. */
  sheets(): AsyncIterable<SheetTable>;
  /** Value of a secret that a row names, e.g. an API key; undefined if it is not set. */
  secret(name: string): string | undefined;
  /** The only variables an operator's program sees, e.g. `PATH` and `LANG`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Working folder of an operator's program if its row names none. Default: that of this process. */
  readonly cwd?: string;
}

/** The parts of a registry row that a tool is made from. */
export type ToolRow = Pick<AvailableTool, "name" | "type" | "config" | "permissions">;
