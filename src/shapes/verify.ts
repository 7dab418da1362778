import { type CheckedStatement, statementVerdicts, type VerifyReport } from "../core/answers/verify.ts";
import { errorTable } from "../core/errors.ts";
import { z } from "../core/schema.ts";
import { citation } from "./answer.ts";
import { count } from "./members.ts";
import { unavailable } from "./search.ts";
import { documentSchema, printer } from "./shape.ts";

const statement = z.object({
  text: z.string(),
  verdict: z.enum(statementVerdicts),
  reason: z.string().describe("Why it is not supported, with sources as [1]; empty where it is."),
  sources: z
    .array(citation)
    .describe("Passages that support or contradict it, or come near, with their quotes; empty for none."),
});

const verify = documentSchema("verify", "Output of ragctl verify --format json", {
  statements: z
    .array(statement)
    .describe("The sentences of the text in order, without its headings and questions."),
  counts: z.object({ supported: count, contradicted: count, not_found: count }),
  exit_status: count.describe(
    "The status the command ends with: 0 where every sentence is supported, else 6.",
  ),
  unavailable,
});
const printVerify = printer(verify);

const countsOf = (statements: readonly CheckedStatement[]) => {
  const of = (verdict: CheckedStatement["verdict"]): number =>
    statements.filter((each) => each.verdict === verdict).length;
  return { supported: of("supported"), contradicted: of("contradicted"), notFound: of("not_found") };
};

/** verify.schema.json: every sentence of a text with what the documents say to it. */
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

/** The schema itself, for who must state it beforehand. */
export { verify as verifyDocument };
/** The documents of this file, for config/schemas/. */
export const verifyDocuments = [verify];
