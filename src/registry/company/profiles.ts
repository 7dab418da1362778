import type { Instance } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { checked } from "../rows.ts";
import { prose, strict, word } from "./definitions.ts";

/** The purpose of a collection; it may be written before anything is ingested into it. */
export interface CollectionProfile {
  /** Matches ^[a-z][a-z0-9_]{0,62}$. */
  readonly name: string;
  readonly instance: Instance;
  /** "" for none. */
  readonly department: string;
  readonly description: string;
}

/** Fields of a profile as an operator states them. */
export const profileSchema = strict({
  name: word,
  instance: z.enum(["public", "private"]).default("public"),
  department: z.union([z.literal(""), word]).default(""),
  description: prose.default(""),
});

export interface CollectionProfiles {
  /** By name. */
  list(): readonly CollectionProfile[];
  find(name: string): CollectionProfile | undefined;
  /** Writes the whole profile, new or not. @throws USAGE_INVALID that names the field */
  put(profile: z.input<typeof profileSchema>): void;
  /** False where there was none. */
  remove(name: string): boolean;
}

/** Opens the collection profiles of a registry. */
export function openProfiles(database: Database, now: () => Date = () => new Date()): CollectionProfiles {
  const select = "SELECT name, instance, department, description FROM collection_profiles";
  return {
    list: () => database.read(() => database.statement<CollectionProfile>(`${select} ORDER BY name`).all()),
    find: (name) =>
      database.read(() => database.statement<CollectionProfile>(`${select} WHERE name = ?`).get(name)),
    put(profile) {
      const { name, instance, department, description } = checked(
        profileSchema,
        profile,
        `collection "${profile.name}"`,
      );
      database.write(() =>
        database
          .statement(
            `INSERT INTO collection_profiles (name, instance, department, description, created_at) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (name) DO UPDATE SET instance = excluded.instance, department = excluded.department, description = excluded.description`,
          )
          .run(name, instance, department, description, now().toISOString()),
      );
    },
    remove: (name) =>
      database.write(
        () => database.statement("DELETE FROM collection_profiles WHERE name = ?").run(name).changes > 0,
      ),
  };
}
