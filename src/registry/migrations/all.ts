import { sql as embedding } from "./0021-embedding.ts";
import { sql as metadata } from "./0022-metadata.ts";
import { sql as addresses } from "./0023-addresses.ts";
import { sql as changes } from "./0024-changes.ts";
import { sql as conversations } from "./0025-conversations.ts";
import { sql as tables } from "./0026-tables.ts";
import { company } from "./baseline/company.ts";
import { documents } from "./baseline/documents.ts";
import { history } from "./baseline/history.ts";

/** Schema version after the first migration of an empty registry; older registries are not read. */
export const baselineVersion = 20;

/**
 * Migrations in order. They are SQL of SQLite, translated for PostgreSQL (database/dialect.ts): text between
 * the marks `SQLite` and `end` runs on SQLite only, text after `PostgreSQL:` on PostgreSQL only. On a server
 * people insert rows by hand: every optional column has a default, switches are booleans, and a rule can be
 * written through its view. Published migrations are never edited.
 */
export const migrations: readonly string[] = [
  `${company}${documents}${history}`,
  embedding,
  metadata,
  addresses,
  changes,
  conversations,
  tables,
];
