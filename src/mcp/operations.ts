import { operations } from "../operations/all.ts";
import { documentOf } from "../operations/json-schemas.ts";
import { capitalized, inputSchema, type Operation, toolName } from "../operations/operation.ts";
import { type PrintedTable, plainText } from "../operations/result-text.ts";
import { dataNotice, fenceText, quoteLines } from "./text.ts";
import { type McpTool, tool } from "./tool.ts";

/** The tools of the operations that only read, or of those that change something, except of those given. */
export const derivedTools = (kind: "reads" | "changes", except: readonly Operation[]): readonly McpTool[] =>
  operations
    .filter(({ mcp }) => mcp !== undefined && (mcp.effect === "reads") === (kind === "reads"))
    .filter(({ name }) => except.every((operation) => operation.name !== name))
    .map((operation) => toolOf(operation));

/** A table for a model: a row a line. */
const rowLines = ({ header, rows }: PrintedTable): string =>
  [header, ...rows].map((row) => row.join(" | ")).join("\n");

/** Members of a document that a tool leaves out, since a model has no use for them. */
const uselessMembers = ["phases", "trace"];

/** The tool of an operation that states one; its result is quoted as data, or is what `textOf` says of it. */
export function toolOf<Report>(
  { input, summary = "", ...operation }: Operation<Report>,
  textOf?: (report: Report) => string,
): McpTool {
  if (operation.mcp === undefined) throw new TypeError(`${operation.name} states no tool`);
  const { effect, without, description = `${capitalized(summary)}.` } = operation.mcp;
  const name = toolName(operation);
  const document = documentOf(operation);
  const omitted = uselessMembers.filter((member) => member in document.shape);
  // The schema's type names no member.
  const mask = Object.fromEntries(omitted.map((member) => [member, true])) as Record<never, true>;
  return tool(name, {
    title: capitalized(name.replaceAll("_", " ")),
    description: effect === "reads" ? `${description} ${dataNotice}` : description,
    effect,
    input: inputSchema(input, without),
    output: document.omit(mask),
    async call(given, { app, run, topK, progress }) {
      const context = { run, topK, surface: "tool", progress } as const;
      const { data, text, report } = await operation.call(app, given, context);
      return {
        text: textOf?.(report) ?? fenceText(quoteLines(plainText(text(), rowLines))),
        data: Object.fromEntries(Object.entries(data).filter(([member]) => !omitted.includes(member))),
      };
    },
  });
}
