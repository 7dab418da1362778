import type { ToolResult } from "../../../core/answers/tool.ts";
import type { Run } from "../../../core/run.ts";
import { z } from "../../../core/schema.ts";
import { sheetRows } from "../../../tables/quoted-cells.ts";
import type { SearchedQuestion } from "../question.ts";
import { type ComputingHome, wholeDocuments } from "./computed.ts";

/** Rows of one sheet that a query read, as its provenance names them. */
const rowsOfSheet = z.object({ document: z.string(), sheet: z.string(), rows: z.array(z.int()) });

/**
 * Adds the passage that contains the rows of a query's result, so that they are quoted and can be opened.
 * Leaves the result unchanged where it draws on more than one document or on many rows, and where no single
 * passage has all of them.
 */
export async function withRowsRead(
  result: ToolResult,
  question: SearchedQuestion,
  home: ComputingHome,
  run: Run,
): Promise<ToolResult> {
  const [finding, ...others] = result.findings;
  const { data: from } = z.tuple([rowsOfSheet]).safeParse(result.data["sources"]);
  if (finding === undefined || others.length > 0 || from === undefined) return result;
  const [{ document: id, sheet, rows: numbers }] = from;
  for await (const { chunks } of wholeDocuments([id], question, home, run))
    for (const of of chunks) {
      const rows = sheetRows(of, sheet, new Set(numbers));
      if (rows.length === numbers.length) return { ...result, findings: [{ ...finding, of, rows }] };
    }
  return result;
}
