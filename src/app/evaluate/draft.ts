import type { DraftEvent, DraftQuestion, DraftRequest } from "../../core/answers/evaluation.ts";
import type { DocumentSummary } from "../../core/app.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { draftQuestion, hasEnoughContent, sampleEvenly } from "../../pipeline/evaluate/draft.ts";
import { baseName } from "../../pipeline/evaluate/questions.ts";
import type { Home } from "../home.ts";
import type { Surface } from "../surface.ts";

/** Passages that are tried for each question that is wanted. */
const triesPerQuestion = 3;

/**
 * Drafts questions from passages spread over the documents that the run's principal may read, with the model
 * of this machine.
 * @throws MODEL_MISSING, COLLECTION_EMPTY
 */
export async function* draftQuestions(
  { count, collections }: DraftRequest,
  { surface, home }: { readonly surface: Pick<Surface, "documents" | "show">; readonly home: Home },
  run: Run,
): AsyncGenerator<DraftEvent> {
  const documents = await surface.documents(collections, run);
  if (documents.length === 0)
    throw new RagctlError("COLLECTION_EMPTY", "no documents to draft questions from", {
      hint: "run: ragctl ingest PATH",
    });
  const model = await home.localModels.open(null);
  if (model === null)
    throw new RagctlError(
      "MODEL_MISSING",
      "drafting questions requires a local language model, and none is installed",
      { hint: "run `ragctl setup`, or write the questions yourself (docs/reference/evaluation.md)" },
    );
  let drafted = 0;
  for (const { document, chunk } of await passagesOf(documents, count, surface, run)) {
    if (drafted >= count) return;
    run.signal.throwIfAborted();
    const draft = await draftQuestion(chunk, model, run);
    if ("reason" in draft) {
      yield { type: "draft-miss", miss: { document: document.name, reason: draft.reason } };
      continue;
    }
    drafted += 1;
    yield { type: "draft", draft: proposal(draft, document, chunk) };
  }
}

const proposal = (
  { question, answer }: { readonly question: string; readonly answer: string },
  { name }: DocumentSummary,
  { id, pages, text }: Chunk,
): DraftQuestion => ({ id: `draft-${id}`, question, document: baseName(name), answer, pages, passage: text });

interface DocumentPassage {
  readonly document: DocumentSummary;
  readonly chunk: Chunk;
}

/** Passages that can be asked about: one of each document, then a second of each, and so on. */
async function passagesOf(
  documents: readonly DocumentSummary[],
  count: number,
  surface: Pick<Surface, "show">,
  run: Run,
): Promise<readonly DocumentPassage[]> {
  const chosen = sampleEvenly(documents, count);
  const each = Math.ceil((count * triesPerQuestion) / chosen.length);
  const rounds: DocumentPassage[][] = Array.from({ length: each }, () => []);
  for (const document of chosen) {
    run.signal.throwIfAborted();
    const { chunks } = await surface.show(document.id, run);
    for (const [round, chunk] of sampleEvenly(chunks.filter(hasEnoughContent), each).entries())
      rounds[round]?.push({ document, chunk });
  }
  return rounds.flat();
}
