import { findingChunk } from "../../../core/answers/tool.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { z } from "../../../core/schema.ts";
import { cleanLine } from "../../../pipeline/answer/clean.ts";
import { isPromptInjection } from "../../../pipeline/answer/injection/injection.ts";
import { type ReaderTool, readerTool } from "../../../pipeline/answer/tools/tool.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import { openTableQuery } from "../../../tools/database/table-query.ts";
import { coversAllTables } from "../kinds/table-answers.ts";
import type { AskHome, QuestionContext } from "../question.ts";
import { isTabular, tableSources } from "../sheets.ts";
import { documentsOf } from "../visibility.ts";
import type { ReaderScope } from "./scope.ts";

/** The tables that a reader may query. */
export interface ReaderTables extends AsyncDisposable {
  /** As text for a prompt; "" for none. */
  describe(question: string, count: (text: string) => number): Promise<string>;
  readonly tool: ReaderTool;
}

/** Tokens of the description. */
const describedTokens = 1500;
/** Found documents of other formats whose tables are read besides all spreadsheets and records. */
const otherDocuments = 3;
/** Most documents whose tables are opened. */
const mostDocuments = 200;

/** Text of a document for a prompt; nothing of one that addresses an assistant. */
const shown = (text: string): string => {
  const line = cleanLine(text);
  return isPromptInjection(line) ? "" : line;
};

const input = z.strictObject({
  sql: z
    .string()
    .min(1)
    .max(4000)
    .describe("One SELECT in SQLite's dialect over the tables described above."),
});

/** The documents whose tables can be asked: spreadsheets, records, and found documents of any format. */
async function sourcesOf(
  scope: ReaderScope,
  found: readonly string[],
  home: Pick<AskHome, "documents">,
): Promise<readonly DocumentRecord[]> {
  const { request } = scope;
  // Conditions that leave out parts of a document cannot be passed to SQL.
  if (!coversAllTables(request) || (request.texts ?? []).length > 0) return [];
  const held = await documentsOf(scope, home);
  const hit = found.flatMap((id) => held.filter((each) => each.id === id));
  const others = hit.filter((each) => !isTabular(each) && each.format !== "image").slice(0, otherDocuments);
  return [...new Set([...hit.filter(isTabular), ...others, ...held.filter(isTabular)])].slice(
    0,
    mostDocuments,
  );
}

/** Opens the spreadsheets of a scope, and the tables of the documents that were found. */
export async function openReaderTables(
  scope: ReaderScope & Pick<QuestionContext, "origins">,
  hits: readonly Hit[],
  home: Pick<AskHome, "documents" | "settings" | "cache" | "tables">,
  run: Run,
): Promise<ReaderTables | null> {
  const found = [...new Set(hits.map(({ chunk }) => chunk.documentId))];
  const { origins } = scope;
  const sources = await sourcesOf(scope, found, home);
  if (sources.length === 0) return null;
  const tables = openTableQuery(tableSources(sources, home, run), {
    clean: shown,
    memory: home.tables,
  });
  const collections = [...new Set(sources.map(({ collection }) => collection))];
  let ordinal = 0;
  return {
    async describe(question, count) {
      const options = { maxTokens: describedTokens, count, documents: found };
      const described = await tables.describe(question, options);
      if (described !== "") origins.read(collections);
      return described;
    },
    tool: readerTool(
      "query",
      "Query the tables with one read-only SQL statement.",
      input,
      async ({ sql }, now) => {
        origins.read(collections);
        const { isOk, text, message, findings } = await tables.run(sql, now);
        const results = findings.map((finding) => findingChunk(finding, "database_query", 200 + ordinal++));
        return {
          decided: `asking the tables: ${sql.replace(/\s+/g, " ").slice(0, 200)}: ${isOk ? message : "failed"}`,
          hits: results.map((chunk): Hit => ({ chunk, score: 1, via: "fused" })),
          note: isOk && results.length > 0 ? "" : text,
        };
      },
    ),
    [Symbol.asyncDispose]: () => tables[Symbol.asyncDispose](),
  };
}
