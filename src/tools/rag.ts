import type { Tool } from "../core/answers/tool.ts";
import { RagctlError } from "../core/errors.ts";
import { toolConfigs } from "../core/tool-config.ts";
import { readConfig } from "./config.ts";
import type { ToolRow } from "./drivers.ts";

/** `top_k` and `mmr_lambda` belong to the search, which reads them. */
const describedConfig = toolConfigs.rag.pick({ description: true, examples: true });

/** The search in ingested documents, as a tool among others. */
export default async function open(row: ToolRow): Promise<Tool> {
  const settings = readConfig(row, describedConfig);
  return {
    type: "rag",
    description:
      settings.description ??
      "Searches the company's documents: manuals, policies, reports, minutes, procedures and notes.",
    examples: settings.examples ?? [
      "What does the manual say about bearing lubrication?",
      "How many days of parental leave are there?",
      "Who approved the budget?",
    ],
    parameters: { type: "object", properties: {}, additionalProperties: false },
    // A question runs the search itself, with the permissions of the question.
    async call() {
      throw new RagctlError("INTERNAL", `${row.name} is not called as a tool`);
    },
    async [Symbol.asyncDispose]() {},
  };
}
