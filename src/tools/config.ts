import { RagctlError } from "../core/errors.ts";
import { z } from "../core/schema.ts";
import type { ToolRow } from "./drivers.ts";

/** Limits that every tool's row may set. */
export const commonConfig = {
  /** For the model and for choosing by similarity; replaces the tool's own. */
  description: z.string().min(1).optional(),
  /** Questions it answers; replace the tool's own. */
  examples: z.array(z.string().min(1)).optional(),
};

/** The `config` of a row, checked; the message names the tool and the field. @throws CONFIG_INVALID */
export function readConfig<T>(row: ToolRow, schema: z.ZodType<T>): T {
  const read = schema.safeParse(row.config);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new RagctlError(
    "CONFIG_INVALID",
    `the tool ${row.name}: config.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`,
    {
      hint: `correct it with \`ragctl tools set "${row.name}" …\``,
      cause: read.error,
    },
  );
}
