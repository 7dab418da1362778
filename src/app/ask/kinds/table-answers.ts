import type { ToolCall, ToolResult } from "../../../core/answers/tool.ts";
import { hasRow } from "../../../core/documents/table-text.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { z } from "../../../core/schema.ts";
import { classify } from "../../../language/asking/kinds/kinds.ts";
import { fiscalYearOffset, mentionsFiscalYear } from "../../../pipeline/measures/fiscal-years.ts";
import { evaluate, indexTables, mayContainCell } from "../../../pipeline/tables/answer.ts";
import type { TableAnswer } from "../../../pipeline/tables/cells.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import { type CellQuery, readCellQueries } from "../../../tables/query/cells-asked.ts";
import { sheetRows } from "../../../tables/quoted-cells.ts";
import { openAuxiliaryModel } from "../../budget/reader.ts";
import type { AskHome, QuestionContext, SearchedQuestion } from "../question.ts";
import { isSpreadsheet, tablesOf } from "../sheets.ts";
import { type ComputedQuestion, toCalculatorResults, wordsOfName } from "./computed.ts";

/** The parts of a home that answer from tables. */
type TablesHome = Pick<
  AskHome,
  "access" | "documents" | "settings" | "cache" | "languageModels" | "secret" | "rates"
>;

/**
 * Answers a question from tables of the documents found with their own figures, because a small model takes
 * the wrong cell: from a row over years, by a query of spreadsheets or for a total, from cells named by row
 * and column. Empty for another question, and where the tables do not have all that it says.
 */
export async function answerFromTables(
  question: ComputedQuestion,
  home: TablesHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { byYears, ofCells } = readCellQueries(question.text);
  const row = await fromTables(byYears, question, home, run);
  if (row.length > 0) return row;
  const figures = await fromQuery(question, home, run);
  return figures.length > 0 ? figures : fromTables(ofCells, question, home, run);
}

/** Hits on whose pages to look for tables, and number of their documents to read whole. */
const limits = { hits: 10, documents: 5 } as const;
/** Distinctive words of a question that are enough to trust a match. */
const fewestTokens = 3;

/** Whether a row of an answer is on a page that was found. */
const isFound = ({ lines }: TableAnswer, hits: readonly Hit[]): boolean =>
  lines.some(({ chunk: { documentId, pages, id } }) =>
    hits.some(
      ({ chunk }) =>
        chunk.id === id ||
        (chunk.documentId === documentId && chunk.pages.some((page) => pages.includes(page))),
    ),
  );

/** The documents of the first hits whose tables may have what a query asks. */
function documentsOf({ operation, ...query }: CellQuery, hits: readonly Hit[]): readonly string[] {
  const pages = Map.groupBy(
    hits.flatMap(({ chunk, around }) => around ?? [chunk]),
    ({ documentId }) => documentId,
  );
  const all = [...pages].filter(([, chunks]) =>
    operation.kind === "years"
      ? chunks.some(({ text }) => hasRow(text))
      : mayContainCell({ ...query, operation }, indexTables(chunks)),
  );
  return all.slice(0, limits.documents).map(([id]) => id);
}

/** What each document found answers to a query, and whether it is meant: by its name, or by what was found. */
async function answersTo(query: CellQuery, question: ComputedQuestion) {
  const { text } = question;
  const isRow = query.operation.kind === "years";
  const hits = question.hits.slice(0, limits.hits);
  const found: { readonly answer: TableAnswer; readonly isMeant: boolean }[] = [];
  for await (const { document, chunks, tables } of question.whole(documentsOf(query, hits))) {
    // Its columns are called by the years they end in.
    const isShifted = isRow && mentionsFiscalYear(text) && fiscalYearOffset(chunks) > 0;
    const answer = isShifted ? null : evaluate(query, tables(), wordsOfName(text, document));
    if (answer === null) continue;
    const isFirst = document.id === hits[0]?.chunk.documentId;
    const isMeant = answer.isNamed || isFirst || (query.tokens.size >= fewestTokens && isFound(answer, hits));
    if (isRow || isMeant) found.push({ answer, isMeant });
  }
  return found;
}

/**
 * Answers a query from the documents found: from the one that the question names, else from the first, or one
 * with the row on a page that was found and three distinctive words. Empty where two of them say different
 * things.
 */
async function fromTables(
  query: CellQuery | null,
  question: ComputedQuestion,
  home: TablesHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  const kind = query?.operation.kind;
  // Of some pages a table may be held in part.
  const isPart = question.request.pages !== undefined && (kind === "extreme" || kind === "condition");
  const found = query === null || isPart ? [] : await answersTo(query, question);
  const named = found.filter(({ answer }) => answer.isNamed);
  const [only, ...others] = named.length > 0 ? named : found;
  if (only?.isMeant !== true || others.some(({ answer }) => answer.text !== only.answer.text)) return [];
  const { answer } = only;
  const name = `the ${kind === "years" ? "row" : "cell"} “${answer.label}”`;
  return toCalculatorResults({ answer, name, formula: answer.label }, question, home, run);
}

/** Hits to search for tables to query, and number of their documents. */
const queried = { hits: 5, documents: 3 } as const;

/**
 * The query over tables of documents. It is the same tool as for spreadsheets, so a principal needs the same
 * permission for it.
 */
const row = { name: "Spreadsheet Query", type: "database_query", config: {}, permissions: {} } as const;

/** Whether a request covers all tables of its documents: tables cannot be filtered here. */
export const coversAllTables = ({ pages, texts = [], contentTypes }: QuestionContext["request"]): boolean =>
  pages === undefined &&
  !texts.some(({ text }) => text === "headings") &&
  (contentTypes === undefined || contentTypes.includes("table"));

/**
 * The documents whose tables a question may be for: those of the first hits, and spreadsheets that it names.
 */
async function queriedDocuments(
  { text, agent, hits, request, sight }: SearchedQuestion,
  { documents }: Pick<AskHome, "documents">,
): Promise<readonly DocumentRecord[]> {
  const found = hits.slice(0, queried.hits).filter(({ chunk }) => isSpreadsheet(chunk) || hasRow(chunk.text));
  const ids = [...new Set(found.map(({ chunk }) => chunk.documentId))].slice(0, queried.documents);
  const readable = await sight.readableBy(agent);
  if (readable.length === 0) return [];
  const visible = await documents.asOf(readable, request.versions);
  const isAdmitted = ({ id }: DocumentRecord): boolean => request.documents?.includes(id) ?? true;
  const named = visible.filter((each) => isSpreadsheet(each) && text.includes(each.name) && isAdmitted(each));
  const all = named.length > 0 ? named : visible.filter(({ id }) => ids.includes(id));
  return classify(text) === "total" ? all : all.filter(isSpreadsheet);
}

/**
 * Computes a figure from the spreadsheets found, or those that the question names, where no query over all
 * spreadsheets gave it; and a total over the tables of any document found, since a single row is not its
 * total. Empty where the tables lack the figure; for documents other than spreadsheets, unless the question
 * names a column and its rows.
 */
async function fromQuery(
  question: ComputedQuestion,
  home: TablesHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { text, agent, request, origins } = question;
  const documents = coversAllTables(request) ? await queriedDocuments(question, home) : [];
  if (documents.length === 0) return [];
  const [{ openTool }, { runTools }] = await Promise.all([
    import("../../../tools/by-type.ts"),
    import("../../../tools/run.ts"),
  ]);
  const isTotal = classify(text) === "total";
  // For tables in prose, a model of this size only guesses which table and column are meant.
  const model = async () =>
    isTotal && documents.every(isSpreadsheet)
      ? openAuxiliaryModel(await home.languageModels.of("llm", agent, run), home)
      : null;
  const sheets = () => tablesOf(documents, home, run);
  await using tool = await openTool(row, { model, sheets, secret: home.secret, environment: {} });
  if (!isTotal && (await tool.answers?.(text, true, run)) !== true) return [];
  const reason = isTotal ? "it asks for a total" : "it asks for a value from a spreadsheet";
  const call: ToolCall = { tool: row.name, type: row.type, arguments: {}, reason };
  const decide = () => home.access.toolNow(run, agent, row);
  const results = await runTools([call], new Map([[row.name, tool]]), decide, text, run);
  const computed = results.filter(({ status }) => status === "ok");
  if (computed.length > 0) origins.read([...new Set(documents.map(({ collection }) => collection))]);
  return Promise.all(computed.map((result) => withResultRows(result, question)));
}

/** Rows of one sheet that a query read, as its provenance names them. */
const rowsOfSheet = z.object({ document: z.string(), sheet: z.string(), rows: z.array(z.int()) });

/**
 * Adds the passage that contains the rows of a query's result, so that they are quoted and can be opened.
 * Leaves the result unchanged where it draws on more than one document or on many rows, and where no single
 * passage has all of them.
 */
export async function withResultRows(result: ToolResult, question: ComputedQuestion): Promise<ToolResult> {
  const [finding, ...others] = result.findings;
  const { data: from } = z.tuple([rowsOfSheet]).safeParse(result.data["sources"]);
  if (finding === undefined || others.length > 0 || from === undefined) return result;
  const [{ document: id, sheet, rows: numbers }] = from;
  for await (const { chunks } of question.whole([id]))
    for (const of of chunks) {
      const rows = sheetRows(of, sheet, new Set(numbers));
      if (rows.length === numbers.length) return { ...result, findings: [{ ...finding, of, rows }] };
    }
  return result;
}
