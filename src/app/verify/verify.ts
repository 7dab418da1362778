import type { CheckedStatement, VerifyReport, VerifyRequest } from "../../core/answers/verify.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Hit, UnavailableCollection } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { checkStatement, statementsToCheck } from "../../pipeline/answer/verify/verify.ts";
import type { Retrieval } from "../ask/retrieval.ts";
import type { Home } from "../home.ts";

/** Sentences of one text: each is a search. */
const mostStatements = 500;

/**
 * Checks every sentence of a text against the documents that the run's principal may read. The evidence of
 * the previous sentence is read too, to resolve `it`. @throws USAGE_INVALID for a text without a statement,
 * or too long
 */
export async function verifyText(
  { text, ...request }: VerifyRequest,
  {
    retrieval,
    classifiers,
  }: { readonly retrieval: Pick<Retrieval, "search" | "widen"> } & Pick<Home, "classifiers">,
  run: Run,
): Promise<VerifyReport> {
  const texts = statementsToCheck(text);
  if (texts.length === 0 || texts.length > mostStatements)
    throw new RagctlError(
      "USAGE_INVALID",
      texts.length === 0
        ? "the text has no sentences to verify"
        : `the text has ${texts.length} sentences; the limit is ${mostStatements}`,
      { hint: texts.length === 0 ? "pass complete sentences" : "verify it in parts" },
    );
  const entailment = await classifiers.entailment();
  const statements: CheckedStatement[] = [];
  const unavailable = new Map<string, UnavailableCollection>();
  let before: readonly Hit[] = [];
  for (const statement of texts) {
    run.signal.throwIfAborted();
    const found = await retrieval.search({ ...request, query: statement, mode: "hybrid" }, run);
    for (const each of found.unavailable) unavailable.set(each.collection, each);
    const widened = await retrieval.widen(found.hits, found.hits.length, 0, request, run, null);
    const known = new Set(widened.map(({ chunk }) => chunk.id));
    const hits = [...widened, ...before.filter(({ chunk }) => !known.has(chunk.id))];
    const checked = await checkStatement(statement, hits, entailment, run.signal);
    const rested = new Set(checked.sources.map(({ chunkId }) => chunkId));
    before = hits.filter(({ chunk, around = [chunk] }) => around.some(({ id }) => rested.has(id)));
    statements.push(checked);
  }
  return { statements, unavailable: [...unavailable.values()] };
}
