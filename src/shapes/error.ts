import { errorTable, type RagctlError } from "../core/errors.ts";
import { z } from "../core/schema.ts";
import { documentSchema, printer } from "./shape.ts";

const error = documentSchema(
  "error",
  "Written to stderr when a command fails and the format is json or jsonl",
  {
    error: z.object({
      code: z.enum(Object.keys(errorTable)),
      message: z.string().describe("What failed, and why."),
      hint: z.string().describe("What to do next; empty if unknown."),
      exit_status: z.int().min(1).max(255),
    }),
  },
);
const printError = printer(error);
/** error.schema.json: what stderr carries when a command fails and the format is not text. */
export const errorShape = ({ code, message, hint = "", exitStatus }: RagctlError) =>
  printError({ error: { code, message, hint, exitStatus } });

/** The documents of this file, for config/schemas/. */
export const errorDocuments = [error];
