import type { Found } from "../../core/answers/agent.ts";
import { findingChunk, type ToolResult } from "../../core/answers/tool.ts";
import type { Chunk } from "../../core/documents/chunk.ts";

/** Whether a measure or a query from a template is the answer. */
export const isToldByTools = (found: Found): boolean => isMeasured(found) || isQueried(found);

/** The result of a calculation needs no words around it. */
export const isOnlyArithmetic = ({ calls, results }: Found): boolean =>
  calls.length > 0 &&
  calls.every(({ type }) => type === "calculator") &&
  results.every(({ status }) => status === "ok");

/** A measure was computed: it is the answer, and the passages say nothing besides. */
const isMeasured = ({ results }: Found): boolean =>
  results.some(
    // The result of another tool may have a member of that name too.
    ({ call, status, data }) => call.type === "calculator" && status === "ok" && "measure" in data,
  );

/**
 * Whether a query made from a template, which accounts for every word of the question, gave the answer; all
 * other results must be calculations.
 */
const isQueried = ({ results }: Found): boolean => {
  const found = results.filter(({ status }) => status === "ok");
  const byTemplate = ({ call, data }: ToolResult): boolean =>
    call.type === "database_query" && data["produced_by"] === "template";
  return found.some(byTemplate) && found.every((each) => byTemplate(each) || each.call.type === "calculator");
};

/** What the tools found, as chunks that an answer can cite. */
export const findingsOf = ({ results }: Found): readonly Chunk[] =>
  results
    .flatMap(({ call, findings }) => findings.map((finding) => ({ finding, type: call.type })))
    .map(({ finding, type }, at) => findingChunk(finding, type, at));
