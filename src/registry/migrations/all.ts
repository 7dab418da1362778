import { sql as initial } from "./0001-initial.ts";

/** Migrations in order; the first brings an empty file to schema version 1. Published ones are never edited. */
export const migrations: readonly string[] = [initial];
