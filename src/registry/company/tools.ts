import { toolTypeOf } from "../../core/answers/tool.ts";
import type { Database } from "../database.ts";
import { jsonObject, parseRow } from "../rows.ts";
import { toolSchema } from "./definitions.ts";
import { createRowRepository, type Repository } from "./repository.ts";
import { defineRow, type RowValue } from "./row.ts";
import { toolConfigSchemas } from "./tool-config.ts";

/** The tools that agents may be given; `config` is checked by the type. */
const toolRow = defineRow({
  name: "tool",
  table: "tools",
  schema: toolSchema,
  key: ["name"],
  columns: { enabled: "status" },
  json: {
    config: { schema: jsonObject, repair: "--config '{}'" },
    permissions: { schema: jsonObject, repair: "--permissions '{}'" },
  },
  rules: "resource",
  settled(next, what, before) {
    const kept = before && toolTypeOf(String(before("type")));
    const type = next.type ?? kept ?? "generic";
    // Another type needs a `config` that fits it, the row's own where none is named.
    const config = next.config ?? (type === kept ? undefined : before?.("config"));
    if (config === undefined) return next;
    return { ...next, config: parseRow(toolConfigSchemas[type], config, `${what}, config of type ${type},`) };
  },
});

export type Tools = Repository<typeof toolRow>;
export type ToolDefinition = RowValue<typeof toolRow>;
/** Fields to change; a new `type` needs a `config` that fits it. */
export type ToolPatch = Parameters<Tools["set"]>[1];

/** Access to the tools of a registry. */
export const createToolRepository = (database: Database): Tools => createRowRepository(database, toolRow);
