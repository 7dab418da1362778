import { RagctlError } from "../core/errors.ts";
import type { z } from "../core/schema.ts";
import type { ToolRow } from "./drivers.ts";

/** Validates the `config` of a row; the message names the tool and the field. @throws CONFIG_INVALID */
export function readConfig<T>(row: ToolRow, schema: z.ZodType<T>): T {
  const read = schema.safeParse(row.config);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new RagctlError(
    "CONFIG_INVALID",
    `tool ${row.name}: config.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`,
    {
      hint: `correct it with \`ragctl tools set "${row.name}" …\``,
      cause: read.error,
    },
  );
}
