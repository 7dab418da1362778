import { findingChunk } from "../../../core/answers/tool.ts";
import { asRagctlError } from "../../../core/errors.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { z } from "../../../core/schema.ts";
import { cleanLine } from "../../../pipeline/answer/clean.ts";
import { addressesAssistant } from "../../../pipeline/answer/orders/orders.ts";
import { type ReaderTool, readerTool } from "../../../pipeline/answer/steps/tool.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import { openTableQuery, type TableQuery } from "../../../tools/database/table-query.ts";
import type { AskHome, Question } from "../question.ts";
import { isSpreadsheet, tablesOf } from "../sheets.ts";
import { documentsOf, type ReaderScope } from "./scope.ts";

/** The tables that a reader may query. */
export interface ReaderTables {
  /** As text for a prompt; "" for none. */
  describe(question: string, count: (text: string) => number): Promise<string>;
  readonly tool: ReaderTool;
}

/** Tokens of the description. */
const describedTokens = 1500;
/** Found documents of other formats whose tables are read besides all spreadsheets. */
const otherDocuments = 3;
/** Their pages may have to be parsed again, and a page can be read instead. */
const isPaged = ({ format }: DocumentRecord): boolean => format === "pdf" || format === "image";

/** Text of a document for a prompt; nothing of one that addresses an assistant. */
const shown = (text: string): string => {
  const line = cleanLine(text);
  return addressesAssistant(line) ? "" : line;
};

const input = z.strictObject({
  sql: z
    .string()
    .min(1)
    .max(4000)
    .describe("One SELECT in SQLite's dialect over the tables described above."),
});

/** Opens the spreadsheets of a scope, and the tables of the documents that were found. */
export function openReaderTables(
  scope: ReaderScope,
  hits: readonly Hit[],
  { origins }: Pick<Question, "origins">,
  home: Pick<AskHome, "documents" | "settings" | "cache" | "tables">,
  run: Run,
): ReaderTables | null {
  const held = documentsOf(scope, home);
  const found = [...new Set(hits.map(({ chunk }) => chunk.documentId))];
  const others = found
    .flatMap((id) => held.filter((each) => each.id === id && !isSpreadsheet(each) && !isPaged(each)))
    .slice(0, otherDocuments);
  const sources = [...held.filter(isSpreadsheet), ...others];
  if (sources.length === 0) return null;
  // The same versions are the same tables, whoever asks.
  const key = sources.map(({ versionId }) => versionId).join(" ");
  const warn = (error: unknown): void =>
    run.log.warn(`tables could not be closed: ${asRagctlError(error).message}`);
  const use = <Result>(work: (tables: TableQuery) => Promise<Result>): Promise<Result> =>
    home.tables.use({ key, mark: "" }, warn, async (pooled) =>
      work(
        await pooled("tables", "", async () =>
          openTableQuery(() => tablesOf(sources, home, run), { clean: shown }),
        ),
      ),
    );
  const collections = [...new Set(sources.map(({ collection }) => collection))];
  let ordinal = 0;
  return {
    async describe(question, count) {
      const described = await use((tables) =>
        tables.describe(question, { maxTokens: describedTokens, count, documents: found }),
      );
      if (described !== "") origins.read(collections);
      return described;
    },
    tool: readerTool(
      "query",
      "Query the tables with one read-only SQL statement.",
      input,
      async ({ sql }, now) => {
        origins.read(collections);
        const { isOk, text, message, findings } = await use((tables) => tables.run(sql, now));
        const results = findings.map((finding) => findingChunk(finding, "database_query", 200 + ordinal++));
        return {
          decided: `asking the tables: ${sql.replace(/\s+/g, " ").slice(0, 200)}: ${isOk ? message : "failed"}`,
          hits: results.map((chunk): Hit => ({ chunk, score: 1, via: "fused" })),
          note: isOk && results.length > 0 ? "" : text,
        };
      },
    ),
  };
}
