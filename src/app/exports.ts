/** What surfaces use of the pipeline to show a document as it was read. */
export { renderChunks, renderMarkdown } from "../pipeline/export.ts";
