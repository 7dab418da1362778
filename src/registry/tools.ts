import { randomUUID } from "node:crypto";
import type { Database } from "./database.ts";
import { type JsonObject, named, objectOf } from "./rows.ts";

export interface Tool {
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

export interface Tools {
  /** By name. */
  list(): readonly Tool[];
  /** By id or name. @throws NOT_FOUND */
  get(reference: string): Tool;
  /** Adds a tool unless one of that name is there; true when it was added. */
  insertIfAbsent(tool: Pick<Tool, "name" | "type" | "config" | "permissions" | "enabled">): boolean;
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

/** Opens the tools of a registry. */
export function openTools(database: Database, now: () => Date = () => new Date()): Tools {
  const list = (): readonly Tool[] =>
    database.read(() =>
      database
        .statement<ToolRow>("SELECT * FROM tools ORDER BY name")
        .all()
        .map(({ status, created_at, config, permissions, ...row }) => ({
          ...row,
          config: objectOf(config),
          permissions: objectOf(permissions),
          enabled: status === 1,
          createdAt: created_at,
        })),
    );
  return {
    list,
    get: (reference) => named("tool", reference, list()),
    insertIfAbsent({ name, type, config, permissions, enabled }) {
      return database.write(
        () =>
          database
            .statement(
              "INSERT INTO tools (id, name, type, config, permissions, status, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
            )
            .run(randomUUID(), name, type, JSON.stringify(config), JSON.stringify(permissions), enabled ? 1 : 0, now().toISOString())
            .changes > 0,
      );
    },
  };
}
