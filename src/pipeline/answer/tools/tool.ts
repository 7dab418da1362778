import type { ModelTool } from "../../../core/answers/answer.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { jsonSchema, type z } from "../../../core/schema.ts";

/** What a tool gives its reader. */
export interface ToolOutcome {
  /** One line for people, e.g. `reading page 14 of manual.pdf`. */
  readonly decided: string;
  /** Passages, best first: shown under numbers that the reader can cite. */
  readonly hits: readonly Hit[];
  /** Further lines from documents, such as headings and names: shown as quoted text, not citable. */
  readonly quoted?: string;
  /** A remark of ours, e.g. why there is nothing; "" or absent for none. */
  readonly note?: string;
}

/** A read-only tool of the reader; it acts for one principal, and what it returns may be read. */
export interface ReaderTool {
  readonly definition: ModelTool;
  /** @throws RagctlError for arguments or a failure that the reader is told of */
  call(written: JsonObject, run: Run): Promise<ToolOutcome>;
}

/** Makes a tool whose arguments are checked before it runs. */
export function readerTool<Shape extends z.ZodObject>(
  name: string,
  description: string,
  input: Shape,
  work: (given: z.output<Shape>, run: Run) => Promise<ToolOutcome>,
): ReaderTool {
  const { $schema: _, ...parameters } = jsonSchema(input, "input");
  return {
    definition: { name, description, parameters },
    call: (written, run) => work(input.parse(written), run),
  };
}
