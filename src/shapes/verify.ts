import { citationStates } from "../core/answers/export.ts";
import { type CheckedStatement, statementVerdicts, type VerifyReport } from "../core/answers/verify.ts";
import { errorTable } from "../core/errors.ts";
import { z } from "../core/schema.ts";
import { citation } from "./answer.ts";
import { chunkId, count, ordinal, time } from "./members.ts";
import { unavailable } from "./search.ts";
import { documentSchema, printer, type Source } from "./shape.ts";

const statement = z.object({
  text: z.string(),
  verdict: z.enum(statementVerdicts),
  reason: z.string().describe("Why it is not supported, with sources as [1]; empty if it is."),
  sources: z
    .array(citation)
    .describe("Passages that support or contradict it or are close to it, with quotes; empty if none."),
});

const verify = documentSchema("verify", "Output of ragctl verify --format json", {
  statements: z
    .array(statement)
    .describe("The sentences of the text in order, without headings and questions."),
  counts: z.object({
    supported: count,
    contradicted: count,
    documents_disagree: count.describe("One document supports it, another contradicts it."),
    not_found: count,
  }),
  exit_status: count.describe("Exit status of the command: 0 if every sentence is supported, otherwise 6."),
  unavailable,
});
const printVerify = printer(verify);

const countsOf = (statements: readonly CheckedStatement[]) => {
  const of = (verdict: CheckedStatement["verdict"]): number =>
    statements.filter((each) => each.verdict === verdict).length;
  return {
    supported: of("supported"),
    contradicted: of("contradicted"),
    documentsDisagree: of("documents_disagree"),
    notFound: of("not_found"),
  };
};

/** verify.schema.json: every sentence of a text with its verdict and evidence. */
export const verifyShape = ({ statements, unavailable }: VerifyReport) => {
  const counts = countsOf(statements);
  const isWhole = counts.supported === statements.length;
  return printVerify({
    statements,
    counts,
    exitStatus: isWhole ? 0 : errorTable.ANSWER_UNVERIFIED.exit,
    unavailable,
  });
};

const exportCheck = documentSchema("export-check", "Output of ragctl verify FILE.html --format json", {
  run_id: z.string(),
  question: z.string(),
  page: z.enum(["unchanged", "edited"]).describe("Whether the page is exactly as written by ragctl export."),
  citations: z.array(
    z.object({
      marker: ordinal,
      document: z.string(),
      pages: z.array(ordinal),
      state: z.enum(citationStates).describe("Whether the file is the cited one, a changed one, or missing."),
      quotes_found: z.boolean().describe("Whether each quote is still on the pages it was quoted from."),
    }),
  ),
  exit_status: count.describe(
    "0 if the page and all citations are unchanged and quoted correctly, otherwise 6.",
  ),
});
const printExportCheck = printer(exportCheck);
/** What became of the sources of an exported answer. */
export type ExportCheck = Omit<Source<typeof exportCheck>, "page" | "exitStatus"> & {
  /** Whether the page is unchanged since it was written. */
  readonly isPageIntact: boolean;
};
/** export-check.schema.json: what became of the sources of an exported answer. */
export const exportCheckShape = ({ isPageIntact, ...check }: ExportCheck) => {
  const isWhole = check.citations.every(({ state, quotesFound }) => state === "unchanged" && quotesFound);
  return printExportCheck({
    ...check,
    page: isPageIntact ? "unchanged" : "edited",
    exitStatus: isPageIntact && isWhole ? 0 : errorTable.ANSWER_UNVERIFIED.exit,
  });
};

const exported = documentSchema("export", "Output of ragctl export --format json", {
  run_id: z.string(),
  path: z.string(),
  bytes: count,
});
/** export.schema.json: the page that was written. */
export const exportShape = printer(exported);

const stale = documentSchema("stale", "Output of ragctl answers stale --format json", {
  answers: z.array(
    z.object({
      run_id: z.string(),
      question: z.string(),
      asked_at: time,
      passages: z.array(
        z.object({
          marker: ordinal,
          document: z.string(),
          collection: z.string(),
          state: z.enum(["changed", "gone"]),
          before: z.string().describe("The quoted text."),
          after: z.string().describe("The closest text in the current document; empty if there is none."),
        }),
      ),
    }),
  ),
  checked: count.describe("Number of answers checked: the last one to each question."),
});
/** Past answers that cite passages whose words are no longer in their documents, newest first. */
export type StaleReport = Source<typeof stale>;
/** stale.schema.json: past answers whose quotes are no longer in the documents. */
export const staleShape = printer(stale);

const conflicts = documentSchema("conflicts", "Output of ragctl conflicts --format json", {
  conflicts: z
    .array(
      z.object({
        row: z.string(),
        period: z.string().describe("A year, a day, or months up to a day."),
        values: z.array(
          z.object({
            text: z.string().describe("The value as the table writes it."),
            sources: z.array(
              z.object({
                document_id: z.string(),
                document: z.string(),
                collection: z.string(),
                chunk_id: chunkId,
                pages: z.array(ordinal),
                quote: z.string().describe("The row of the table."),
              }),
            ),
          }),
        ),
        agreeing: count.describe("Figures that the two tables share."),
      }),
    )
    .describe("The surest first."),
  documents: count.describe("Documents that were compared."),
});
/** Rows and periods that documents about the same thing give different values. */
export type ConflictReport = Source<typeof conflicts>;
/** conflicts.schema.json: figures that documents give differently. */
export const conflictsShape = printer(conflicts);

/** The documents of this file, for config/schemas/. */
export const verifyDocuments = [verify, exportCheck, exported, stale, conflicts];
