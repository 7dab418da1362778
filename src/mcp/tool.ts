import type { Tool as Listing } from "@modelcontextprotocol/server";
import type { Company } from "../app/company.ts";
import { RagctlError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Run } from "../core/run.ts";
import { jsonSchema, type z } from "../core/schema.ts";
import { sanitize } from "../core/text.ts";
import { roundForOutput } from "../shapes/printed.ts";

/** One call of a tool: the caller, the app, and how to report progress. */
export interface Call {
  /** All of it is subject to permissions. */
  readonly app: Company;
  readonly run: Run;
  /** Passages where a call names no number. */
  readonly topK: number;
  /** Reports progress to the client, where it asked for it. `total` is absent where unknown. */
  readonly progress: (done: number, total: number | undefined, message: string) => void;
}

/** The result of a tool. */
export interface Reply {
  /** For a model to read; whatever comes from documents is fenced. */
  readonly text: string;
  /** The same as data, as the output schema of the tool says. */
  readonly data: object;
}

/** A tool, to be listed and called. */
export interface McpTool {
  readonly listing: Listing;
  /** @throws USAGE_INVALID for bad arguments, and errors of the app */
  call(given: unknown, call: Call): Promise<Reply>;
}

interface Definition<Input> {
  readonly title: string;
  /** Written for the model that selects tools. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodObject;
  /** What it does to documents: `reads` nothing, `adds` without taking anything away, `removes`. */
  readonly effect: "reads" | "adds" | "removes";
  readonly call: (input: Input, call: Call) => Promise<Reply>;
}

/** A tool by its definition: its arguments are checked, its schemas and its effect are listed. */
export function tool<Input>(
  name: string,
  { title, description, input, output, effect, call }: Definition<Input>,
): McpTool {
  return {
    listing: {
      name,
      title,
      description,
      inputSchema: { ...plainSchema(input, "input"), type: "object" },
      outputSchema: { ...plainSchema(output, "output"), type: "object" },
      annotations: {
        readOnlyHint: effect === "reads",
        destructiveHint: effect === "removes",
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async call(given, context) {
      const read = input.safeParse(given ?? {});
      if (!read.success)
        throw new RagctlError("USAGE_INVALID", `${name} was not called: ${faultsOf(read.error)}`, {
          hint: "tools/list shows the schema of its arguments",
        });
      const { text, data } = await call(read.data, context);
      // `printed` leaves an object an object.
      return { text: sanitize(text), data: roundForOutput(data) as object };
    },
  };
}

/** What is wrong with the arguments of a call, each by name: missing, unknown or of another kind. */
function faultsOf(error: z.ZodError): string {
  const named = error.issues.map((issue) => {
    const unknown = issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [];
    if (unknown.length > 0)
      return `it has no argument ${unknown.map((key) => JSON.stringify(key)).join(" or ")}`;
    return issue.path.length === 0
      ? issue.message
      : `the argument "${issue.path.join(".")}" ${issue.message}`;
  });
  return named.join(", and ");
}

/**
 * Without its name and dialect: two tools may share a schema, and older clients know one dialect only, which
 * these keep to.
 */
function plainSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $id: _, $schema: __, title: ___, ...plain } = jsonSchema(schema, io);
  return plain;
}
