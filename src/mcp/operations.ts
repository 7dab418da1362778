import { operations } from "../operations/all.ts";
import { toolOf } from "../operations/derive/mcp.ts";
import { documentNamed } from "../operations/published.ts";
import { plainText, rowLines } from "../operations/tables.ts";
import { dataNotice, fenceText, quoteLines } from "./text.ts";
import { type McpTool, tool } from "./tool.ts";

/** The tools of all operations that have one; what they return is quoted as data. */
export const derivedTools: readonly McpTool[] = operations.flatMap((operation) => {
  const derived = toolOf(operation);
  if (derived === undefined) return [];
  const { name, description, ...rest } = derived;
  return tool(name, {
    ...rest,
    description: `${description} ${dataNotice}`,
    output: documentNamed(operation.document),
    async call(input, { app, run, topK }) {
      const { data, text } = await operation.call(app, input, { run, topK, surface: "tool" });
      return { text: fenceText(quoteLines(plainText(text(), rowLines))), data };
    },
  });
});
