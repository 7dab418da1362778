import type { EmbeddedChunk } from "../../core/documents/embedding.ts";
import { asRagctlError, type RagctlError } from "../../core/errors.ts";

/**
 * Writes a batch that holds chunks of several documents. Where the store refuses it for what a document is, each document is written
 * alone, so that the others are stored. Returns the errors of those refused, by version id. @throws what ends the run
 */
export async function writeEach(
  chunks: readonly EmbeddedChunk[],
  write: (chunks: readonly EmbeddedChunk[]) => Promise<void>,
): Promise<ReadonlyMap<string, RagctlError>> {
  const attempt = async (some: readonly EmbeddedChunk[]): Promise<RagctlError | undefined> => {
    try {
      await write(some);
      return undefined;
    } catch (thrown) {
      const error = asRagctlError(thrown);
      if (error.scope === "run") throw error;
      return error;
    }
  };
  const refused = new Map<string, RagctlError>();
  if ((await attempt(chunks)) === undefined) return refused;
  for (const [versionId, own] of Map.groupBy(chunks, ({ chunk }) => chunk.versionId)) {
    const error = await attempt(own);
    if (error !== undefined) refused.set(versionId, error);
  }
  return refused;
}
