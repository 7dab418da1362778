import type { Answer, NearPassage, Searched } from "../../../core/answers/answer.ts";
import { isFinding } from "../../../core/answers/tool.ts";
import type { AskRequest } from "../../../core/app.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import { analyzeQuestion } from "../../../pipeline/answer/question.ts";
import { nearestPassages } from "../../../pipeline/answer/refuse.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import type { Home } from "../../home.ts";
import { documentsOf } from "../visibility.ts";

/** Runs that are looked at for what could not be read, newest first; each may name thousands of files. */
const newestRuns = 20;

/** The collections searched without success that asker and agent may read; null for none. */
export async function searchedScope(
  answer: Pick<Answer, "query" | "origins">,
  request: AskRequest,
  collections: readonly string[],
  home: Pick<Home, "documents" | "runs">,
): Promise<Searched | null> {
  if (collections.length === 0) return null;
  const documents = await documentsOf({ collections, request }, home);
  return {
    documents: documents.length,
    pages: documents.reduce((sum, { pages }) => sum + pages, 0),
    ...(await unreadIn(collections, documents, home)),
    nearest: nearestOf(answer.query, answer.origins?.chunks ?? []),
  };
}

/** What the newest ingests of collections could not read: missing files, and pages of others. */
async function unreadIn(
  collections: readonly string[],
  documents: readonly DocumentRecord[],
  { runs }: Pick<Home, "runs">,
): Promise<Pick<Searched, "unreadDocuments" | "unreadPages">> {
  const visible = new Set(documents.map(({ path }) => path));
  const files = (await runs.list({ kind: "ingest", limit: newestRuns })).flatMap((run) =>
    run.kind === "ingest" && collections.includes(run.collection) ? run.files : [],
  );
  // Newest first: of each path the first counts. An unchanged file says nothing of its pages.
  const last = new Map(files.toReversed().map((file) => [file.path, file]));
  const read = new Map(
    files
      .toReversed()
      .filter(({ state }) => state === "added" || state === "updated")
      .map((file) => [file.path, file]),
  );
  const unread = [...last.values()].filter(({ path, state }) => state === "failed" && !visible.has(path));
  const pages = [...read.values()].filter(({ path }) => visible.has(path));
  return {
    unreadDocuments: unread.length,
    unreadPages: pages.reduce((sum, { pagesWithoutText }) => sum + pagesWithoutText.length, 0),
  };
}

/** The passages nearest to a question that were rejected, without messages and finds of tools. */
const nearestOf = (query: string, chunks: readonly Chunk[]): readonly NearPassage[] =>
  nearestPassages(
    analyzeQuestion(query),
    chunks
      .filter((chunk) => chunk.collection !== "" && chunk.method !== "chat" && !isFinding(chunk))
      .map((chunk) => ({ chunk })),
  );
