import type { z } from "../../core/schema.ts";
import { capitalized, inputSchema, type Operation } from "../operation.ts";

/** The tool of an operation as its server lists it. */
export interface DerivedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: "reads" | "adds" | "removes";
  readonly input: z.ZodObject;
}

/** The name of an operation's tool. */
export const toolName = ({ name, mcp }: Pick<Operation, "name" | "mcp">): string =>
  mcp?.name ?? name.replaceAll(" ", "_");

/** The tool of an operation; undefined where it has none. */
export function toolOf({ name, mcp, input, summary = "" }: Operation): DerivedTool | undefined {
  if (mcp === undefined) return undefined;
  const { effect, description = `${capitalized(summary)}.` } = mcp;
  const tool = toolName({ name, mcp });
  return {
    name: tool,
    title: capitalized(tool.replaceAll("_", " ")),
    description,
    effect,
    input: inputSchema(input),
  };
}
