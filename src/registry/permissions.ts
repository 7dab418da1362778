import { randomUUID } from "node:crypto";
import type { Instance } from "../core/retrieval.ts";
import type { Database } from "./database.ts";

/** Each level includes the ones before it. */
export type AccessLevel = "read" | "write" | "admin";

/** What a department may do with a collection. */
export interface Grant {
  /** UUID. */
  readonly id: string;
  readonly department: string;
  readonly collection: string;
  readonly instance: Instance;
  readonly level: AccessLevel;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface Permissions {
  /** By department and collection; of one department when named. */
  list(department?: string): readonly Grant[];
  /** Adds a grant unless the department has one for that collection, of any level; true when it was added. */
  insertIfAbsent(grant: Pick<Grant, "department" | "collection" | "instance" | "level">): boolean;
}

/** Opens the collection permissions of a registry. */
export function openPermissions(database: Database, now: () => Date = () => new Date()): Permissions {
  return {
    list(department) {
      const rows = database.statement<Grant>(
        `SELECT id, department, collection_name AS collection, milvus_instance AS instance, access_level AS level, created_at AS createdAt
         FROM collection_permissions WHERE :department IS NULL OR department = :department ORDER BY department, milvus_instance, collection_name`,
      );
      return database.read(() => rows.all({ department: department ?? null }));
    },
    insertIfAbsent({ department, collection, instance, level }) {
      return database.write(
        () =>
          database
            .statement(
              `INSERT INTO collection_permissions (id, department, collection_name, milvus_instance, access_level, created_at) VALUES (?, ?, ?, ?, ?, ?)
               ON CONFLICT (department, collection_name, milvus_instance) DO NOTHING`,
            )
            .run(randomUUID(), department, collection, instance, level, now().toISOString()).changes > 0,
      );
    },
  };
}
