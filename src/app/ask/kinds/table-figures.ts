import type { ToolCall, ToolResult } from "../../../core/answers/tool.ts";
import type { Run } from "../../../core/run.ts";
import { kindOf } from "../../../language/asking/kinds/kinds.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import { thinkingModel } from "../../budget/reader.ts";
import type { AskHome, Question, SearchedQuestion } from "../question.ts";
import { isSpreadsheet, tablesOf } from "../sheets.ts";
import type { ComputingHome } from "./computed.ts";
import { withRowsRead } from "./rows-read.ts";

/** Hits to search for tables, and number of their documents to read. */
const limits = { hits: 5, documents: 3 } as const;

/**
 * The query over tables of documents. It is the same tool as for spreadsheets, so a principal needs the same
 * permission for it.
 */
const row = { name: "Spreadsheet Query", type: "database_query", config: {}, permissions: {} } as const;

/** Whether a request covers all tables of its documents: tables cannot be filtered here. */
export const takesTables = ({ pages, texts = [], contentTypes }: Question["request"]): boolean =>
  pages === undefined &&
  !texts.some(({ text }) => text === "headings") &&
  (contentTypes === undefined || contentTypes.includes("table"));

/**
 * The documents whose tables a question may be for: those of the first hits, and spreadsheets that it names.
 */
function documentsFor(
  { text, agent, hits, request, sight }: SearchedQuestion,
  { documents }: Pick<AskHome, "documents">,
): readonly DocumentRecord[] {
  const found = hits
    .slice(0, limits.hits)
    .filter(({ chunk }) => isSpreadsheet(chunk) || chunk.text.includes(" | "));
  const ids = [...new Set(found.map(({ chunk }) => chunk.documentId))].slice(0, limits.documents);
  const readable = sight.readableBy(agent);
  if (readable.length === 0) return [];
  const visible = documents.asOf(readable, request.versions);
  const isAdmitted = ({ id }: DocumentRecord): boolean => request.documents?.includes(id) ?? true;
  const named = visible.filter((each) => isSpreadsheet(each) && text.includes(each.name) && isAdmitted(each));
  const all = named.length > 0 ? named : visible.filter(({ id }) => ids.includes(id));
  return kindOf(text) === "total" ? all : all.filter(isSpreadsheet);
}

/**
 * Computes a figure from the spreadsheets found, or those that the question names, where no query over all
 * spreadsheets gave it; and a total over the tables of any document found, since a single row is not its
 * total. Empty where the tables lack the figure; for documents other than spreadsheets, unless the question
 * names a column and its rows.
 */
export async function tableFigures(
  question: SearchedQuestion,
  home: ComputingHome & Pick<AskHome, "settings" | "cache" | "languageModels" | "secret" | "rates">,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { text, agent, request, origins } = question;
  if (!takesTables(request)) return [];
  const documents = documentsFor(question, home);
  if (documents.length === 0) return [];
  const sheets = () => tablesOf(documents, home, run);
  const [{ openTool }, { runTools }] = await Promise.all([
    import("../../../tools/by-type.ts"),
    import("../../../tools/run.ts"),
  ]);
  const isTotal = kindOf(text) === "total";
  // For tables in prose, a model of this size only guesses which table and column are meant.
  const model =
    isTotal && documents.every(isSpreadsheet)
      ? () => thinkingModel(home.languageModels.of("llm", agent, run), home)
      : async () => null;
  const tool = await openTool(row, { model, sheets, secret: home.secret, environment: {} });
  const reason = isTotal ? "it asks for a total" : "it asks for a value from a spreadsheet";
  const call: ToolCall = { tool: row.name, type: row.type, arguments: {}, reason };
  try {
    if (!isTotal && (await tool.answers?.(text, true, run)) !== true) return [];
    const decide = () => home.access.toolNow(run, agent, row);
    const results = await runTools([call], new Map([[row.name, tool]]), decide, text, run);
    const computed = results.filter(({ status }) => status === "ok");
    if (computed.length > 0) origins.read([...new Set(documents.map(({ collection }) => collection))]);
    return await Promise.all(computed.map((result) => withRowsRead(result, question, home, run)));
  } finally {
    await tool[Symbol.asyncDispose]();
  }
}
