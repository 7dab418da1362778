import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { putRow } from "../rows.ts";
import { instanceOf } from "./document-rows.ts";

/** A folder and the collection that is kept in step with it. */
export interface SourceFolder {
  /** Absolute real path. */
  readonly folder: string;
  /** The address that is fetched into the folder; "" for a folder that others fill. */
  readonly address: string;
  /** Pages: how many links away from the address others are fetched. */
  readonly depth: number;
  readonly collection: string;
  readonly instance: Instance;
  /** "" for none. */
  readonly department: string;
  /** Globs relative to the folder; empty: everything. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** ISO 8601; null before the first sync that came to its end. */
  readonly syncedAt: string | null;
}

/** The folders that `sync` without a folder keeps in step. */
export interface Sources {
  list(): Promise<readonly SourceFolder[]>;
  /** The mappings of just this folder. */
  of(folder: string): Promise<readonly SourceFolder[]>;
  /** The innermost mapping above a path that fits; undefined when there is none. */
  above(path: string, fits?: (source: SourceFolder) => boolean): Promise<SourceFolder | undefined>;
  /** Adds or replaces the mapping of the folder to the collection. */
  put(source: Omit<SourceFolder, "syncedAt">): Promise<void>;
  synced(folder: string, collection: string): Promise<void>;
  /** Forgets the mapping; documents stay. @throws NOT_FOUND */
  remove(folder: string): Promise<void>;
}

type Row = Omit<SourceFolder, "include" | "exclude"> & { readonly include: string; readonly exclude: string };

const globs = z.array(z.string());

const sourceOf = (row: Row): SourceFolder => ({
  ...row,
  include: globs.parse(JSON.parse(row.include)),
  exclude: globs.parse(JSON.parse(row.exclude)),
});

/** Access to the mapped folders of a registry. */
export function createSourceRepository(database: Database, now: () => Date = () => new Date()): Sources {
  const select = `SELECT folder, address, depth, collection, ${instanceOf("sources")} AS instance, department, include, exclude, synced_at AS syncedAt FROM sources`;
  const list = async () =>
    (await database.statement<Row>(`${select} ORDER BY folder, collection`).all()).map(sourceOf);
  return {
    list,
    of: async (folder) => (await list()).filter((source) => source.folder === folder),
    above: async (path, fits = () => true) =>
      (await list())
        .filter(
          ({ folder }) => path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`),
        )
        .filter(fits)
        .sort((one, two) => two.folder.length - one.folder.length)[0],
    put: ({ folder, address, depth, collection, instance, department, include, exclude }) =>
      putRow(database, "sources", ["folder", "collection"], {
        ...{ folder, address, depth, collection, instance, department },
        include: JSON.stringify(include),
        exclude: JSON.stringify(exclude),
        createdAt: now().toISOString(),
      }),
    async synced(folder, collection) {
      await database
        .statement("UPDATE sources SET synced_at = ? WHERE folder = ? AND collection = ?")
        .run(now().toISOString(), folder, collection);
    },
    async remove(folder) {
      const { changes } = await database.statement("DELETE FROM sources WHERE folder = ?").run(folder);
      if (changes > 0) return;
      const known = (await list()).map((source) => source.folder);
      throw new RagctlError("NOT_FOUND", `${folder} is not synced with any collection`, {
        hint: known.length === 0 ? "`ragctl sync FOLDER` adds one" : `synced folders: ${known.join(", ")}`,
      });
    },
  };
}
