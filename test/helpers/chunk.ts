import type { Chunk, ChunkDraft, Chunker } from "../../src/core/documents/chunk.ts";

/** A chunk with believable values where the test names none. */
export function chunkOf(given: Partial<Chunk>): Chunk {
  return {
    id: "0123456789abcdef0123-0",
    documentId: "0123456789abcdef",
    versionId: "0123456789abcdef0123",
    ordinal: 0,
    text: "The seal plate bolts are tightened to 42 Nm.",
    title: "equipment manual",
    headings: [],
    pages: [1],
    contentType: "paragraph",
    tokenCount: 12,
    sourcePath: "/documents/equipment_manual.pdf",
    sourceName: "equipment_manual.pdf",
    format: "pdf",
    collection: "manuals",
    department: "",
    method: "pdfjs",
    contentHash: "00",
    ...given,
  };
}

/** A chunker whose chunks come all at once. */
export const eager = (
  chunker: Chunker,
): Omit<Chunker, "chunk"> & {
  readonly chunk: (...given: Parameters<Chunker["chunk"]>) => readonly ChunkDraft[];
} => ({
  ...chunker,
  chunk: (...given) => [...chunker.chunk(...given)],
});
