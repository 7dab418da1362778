import type { Instance } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { parseRow, putRow } from "../rows.ts";
import { prose, strictRow, word } from "./definitions.ts";

/** The purpose of a collection; it may be written before anything is ingested into it. */
export interface CollectionProfile {
  /** Matches ^[a-z][a-z0-9_]{0,62}$. */
  readonly name: string;
  readonly instance: Instance;
  /** "" for none. */
  readonly department: string;
  readonly description: string;
}

/** Hexadecimal digits of the hash that names the collection of one file; a name may have 63 characters. */
export const fileMarkDigits = 32;
const ofOneFile = new RegExp(`^file_[0-9a-f]{${fileMarkDigits}}$`);

/** Name of the collection of one file that is asked about, from a mark of `fileMarkDigits` digits. */
export const fileCollection = (mark: string): string => `file_${mark}`;

/**
 * What the name of a collection alone says. `hr_private_docs` is private and belongs to hr; the
 * collection of one file is private, since asking about a file publishes nothing.
 */
export function placementByName(name: string): Pick<CollectionProfile, "instance" | "department"> {
  const [, owner] = /^(.+)_private_docs$/.exec(name) ?? [];
  const isPrivate = owner !== undefined || ofOneFile.test(name);
  return { instance: isPrivate ? "private" : "public", department: owner ?? "" };
}

/** Fields of a profile as an operator states them; the name fills in what is omitted. */
export const profileSchema = strictRow({
  name: word,
  instance: z.enum(["public", "private"]).optional(),
  department: z.union([z.literal(""), word]).optional(),
  description: prose.default(""),
}).transform(({ instance, department, ...fields }) => {
  const byName = placementByName(fields.name);
  return { ...fields, instance: instance ?? byName.instance, department: department ?? byName.department };
});

export interface CollectionProfiles {
  /** By name. */
  list(): Promise<readonly CollectionProfile[]>;
  find(name: string): Promise<CollectionProfile | undefined>;
  /** Writes the whole profile, new or not. @throws USAGE_INVALID that names the field */
  put(profile: z.input<typeof profileSchema>): Promise<void>;
  /** False where there was none. */
  remove(name: string): Promise<boolean>;
}

/** Access to the collection profiles of a registry. */
export function createProfileRepository(
  database: Database,
  now: () => Date = () => new Date(),
): CollectionProfiles {
  const select = "SELECT name, instance, department, description FROM collection_profiles";
  return {
    list: () => database.statement<CollectionProfile>(`${select} ORDER BY name`).all(),
    find: (name) => database.statement<CollectionProfile>(`${select} WHERE name = ?`).get(name),
    async put(profile) {
      const row = parseRow(profileSchema, profile, `collection "${profile.name}"`);
      const createdAt = now().toISOString();
      await putRow(database, "collection_profiles", ["name"], { ...row, createdAt });
    },
    async remove(name) {
      const deletion = database.statement("DELETE FROM collection_profiles WHERE name = ?");
      return (await deletion.run(name)).changes > 0;
    },
  };
}
