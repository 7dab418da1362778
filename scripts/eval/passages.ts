import type { Passage } from "../../src/core/retrieval.ts";

/** A text as the passage [1] of an answer, with only what a check reads of its chunk. */
export const passageOf = (text: string, headings: readonly string[], documentId = "d"): Passage => ({
  marker: 1,
  text,
  chunk: {
    id: "v-0",
    documentId,
    versionId: "v",
    ordinal: 0,
    text,
    title: "",
    headings,
    pages: [],
    contentType: "paragraph",
    tokenCount: 0,
    sourcePath: "",
    sourceName: "",
    format: "text",
    collection: "",
    department: "",
    method: "",
    contentHash: "",
  },
});
