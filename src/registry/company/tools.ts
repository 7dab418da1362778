import type { ToolType } from "../../core/answers/tool.ts";
import type { Database } from "../database.ts";
import { type JsonObject, nameTakenError, objectOf, parseRow } from "../rows.ts";
import { type ToolInput, toolSchema } from "./definitions.ts";
import { type Columns, createNamedRepository } from "./named-rows.ts";
import { toolConfigSchemas } from "./tool-config.ts";

export interface ToolDefinition {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  /** `rag`, `calculator`, … */
  readonly type: string;
  readonly config: JsonObject;
  readonly permissions: JsonObject;
  readonly enabled: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Fields to change; a new `type` needs a `config` that fits it. */
export type ToolPatch = Partial<Omit<ToolInput, "name">>;

export interface Tools {
  /** By name. @throws CONFIG_INVALID for a JSON column that cannot be read */
  list(): readonly ToolDefinition[];
  /** By id or name. @throws NOT_FOUND, CONFIG_INVALID */
  get(reference: string): ToolDefinition;
  /** Id of the tool of that id or name. @throws NOT_FOUND */
  idOf(reference: string): string;
  names(): readonly string[];
  /** @throws USAGE_INVALID that names the field, or for a name that is taken */
  add(tool: ToolInput): void;
  /** @throws NOT_FOUND, USAGE_INVALID that names the field */
  set(reference: string, patch: ToolPatch): void;
  /** Removes the tool, takes it from every agent and drops the rules about it. @throws NOT_FOUND */
  remove(reference: string): void;
  /** Adds a tool unless one of that name is there; true when it was added. @throws USAGE_INVALID */
  insertIfAbsent(tool: ToolInput): boolean;
}

interface ToolRow {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly config: string;
  readonly permissions: string;
  readonly status: number;
  readonly created_at: string;
}

function toolOf({ status, created_at, config, permissions, ...row }: ToolRow): ToolDefinition {
  const column = (name: string, text: string) =>
    objectOf(text, {
      table: "tools",
      row: row.name,
      column: name,
      repair: `ragctl tools set "${row.name}" --${name} '{}'`,
    });
  return {
    ...row,
    config: column("config", config),
    permissions: column("permissions", permissions),
    enabled: status === 1,
    createdAt: created_at,
  };
}

/** A tool's fields with its `config` checked by its type. @throws USAGE_INVALID that names the field */
function checkedTool(input: ToolInput) {
  const what = `tool "${String(input.name)}"`;
  const tool = parseRow(toolSchema, input, what);
  return { ...tool, config: checkedToolConfig(tool.type, tool.config, what) };
}

function checkedToolConfig(type: ToolType, config: unknown, what: string): JsonObject {
  return parseRow(toolConfigSchemas[type], config, `${what}, config of type ${type},`);
}

const kind = {
  kind: "tool",
  table: "tools",
  rules: "resource_kind = 'tool' AND lower(resource) = (SELECT lower(name) FROM tools WHERE id = ?)",
};

/** Access to the tools of a registry. */
export function createToolRepository(database: Database, now: () => Date = () => new Date()): Tools {
  const rows = createNamedRepository<ToolRow>(database, kind, now);
  const insertIfAbsent = (input: ToolInput): boolean => {
    const { name, type, config, permissions, enabled } = checkedTool(input);
    return database.write(
      () =>
        rows.insert({
          name,
          type,
          config: JSON.stringify(config),
          permissions: JSON.stringify(permissions),
          status: Number(enabled),
        }) !== undefined,
    );
  };
  return {
    names: rows.names,
    list: () => rows.all().map(toolOf),
    get: (reference) => toolOf(rows.get(reference)),
    idOf: (reference) => rows.get(reference).id,
    add(tool) {
      if (!insertIfAbsent(tool)) throw nameTakenError("tool", tool.name, `ragctl tools set "${tool.name}" …`);
    },
    set: (reference, patch) => rows.change(reference, (row) => changedColumns(row, patch)),
    remove: rows.remove,
    insertIfAbsent,
  };
}

function changedColumns(row: ToolRow, patch: ToolPatch): Columns {
  const what = `tool "${row.name}"`;
  const next = parseRow(toolSchema, { name: row.name, type: row.type, ...patch }, what);
  // Another type needs a `config` that fits it, the row's own where none is named.
  const config = patch.config ?? (next.type === row.type ? undefined : toolOf(row).config);
  return {
    type: next.type,
    config: config === undefined ? row.config : JSON.stringify(checkedToolConfig(next.type, config, what)),
    permissions: patch.permissions === undefined ? row.permissions : JSON.stringify(next.permissions),
    status: patch.enabled === undefined ? row.status : Number(patch.enabled),
  };
}
