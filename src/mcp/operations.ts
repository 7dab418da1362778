import { operations } from "../operations/all.ts";
import { toolOf } from "../operations/derive/mcp.ts";
import { documentOf } from "../operations/json-schemas.ts";
import { plainText, rowLines } from "../operations/result-text.ts";
import { dataNotice, fenceText, quoteLines } from "./text.ts";
import { type McpTool, tool } from "./tool.ts";

/** Tools of the operations that only read, or of those that change something; results are quoted as data. */
export const derivedTools = (kind: "reads" | "changes"): readonly McpTool[] =>
  operations.flatMap((operation) => {
    const derived = toolOf(operation);
    if (derived === undefined || (derived.effect === "reads") !== (kind === "reads")) return [];
    const { name, description, ...rest } = derived;
    return tool(name, {
      ...rest,
      description: kind === "reads" ? `${description} ${dataNotice}` : description,
      output: documentOf(operation),
      async call(input, { app, run, topK }) {
        const { data, text } = await operation.call(app, input, { run, topK, surface: "tool" });
        return { text: fenceText(quoteLines(plainText(text(), rowLines))), data };
      },
    });
  });
