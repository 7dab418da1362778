import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "../../../core/schema.ts";
import { keepNewest } from "../../newest-files.ts";
import type { OcrCache } from "../options.ts";

const pageSchema = z.object({
  width: z.number(),
  height: z.number(),
  turned: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  confidence: z.number(),
  dropped: z.number(),
  lines: z.array(
    z.object({
      baseline: z.number(),
      size: z.number(),
      words: z.array(
        z.object({ text: z.string(), left: z.number(), right: z.number(), confidence: z.number() }),
      ),
    }),
  ),
});

/** Files a folder may hold before its oldest go: at about 20 kB a page, half a gigabyte. */
const maxFiles = 25_000;

/**
 * Remembers pages as files named by their digest. A file that cannot be read or written counts as not there:
 * OCR runs again.
 */
export function createOcrCache(folder: string): OcrCache {
  let puts = 0;
  return {
    async get(key) {
      try {
        const found = pageSchema.safeParse(JSON.parse(await readFile(join(folder, `${key}.json`), "utf8")));
        return found.success ? found.data : undefined;
      } catch {
        return undefined;
      }
    },
    async put(key, page) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const temporary = join(folder, `${key}.${randomUUID()}.tmp`);
        await writeFile(temporary, JSON.stringify(page), { mode: 0o600 });
        await rename(temporary, join(folder, `${key}.json`));
        if (++puts % 500 === 0) await keepNewest(folder, maxFiles);
      } catch {
        return;
      }
    },
  };
}
