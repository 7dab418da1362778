import type { AnswerEvent } from "../core/answers/answer.ts";
import type { ReplayVersions } from "../core/answers/replay.ts";
import type { VerifyReport, VerifyRequest } from "../core/answers/verify.ts";
import type { App, AskRequest, DocumentSummary } from "../core/app.ts";
import type { Chunk } from "../core/documents/chunk.ts";
import type { ParsedContent } from "../core/documents/document.ts";
import { lazy } from "../core/lazy.ts";
import type { Instance } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import { toNfc } from "../core/text.ts";
import type { Retrieved } from "../pipeline/retrieve/retrieve.ts";
import type { ReplayReport } from "../shapes/replay.ts";
import type { Chat } from "./ask/chat.ts";
import type { AskContext } from "./ask/question.ts";
import { createRetrieval, type Retrieval, splitHitsByHeading } from "./ask/retrieval.ts";
import { createBackgroundWork, type DocumentWork } from "./documents/background.ts";
import { createDocumentsApi, passageOf, withDocumentIds } from "./documents/documents.ts";
import { type Placement, placementOf } from "./documents/placement.ts";
import type { Home } from "./home.ts";
import { createRunLogs, type RunLogs } from "./records.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";

/** The same events; what is read for each is as of when it was asked for, or later. */
async function* current<Event>(
  { registry }: Pick<Home, "registry">,
  events: AsyncGenerator<Event>,
): AsyncGenerator<Event> {
  try {
    for (;;) {
      const { done = false, value } = await registry.current(() => events.next());
      if (done) return;
      yield value;
    }
  } finally {
    await events.return(undefined);
  }
}

/** What operations hand on to the functions of the app, which ask for the permissions themselves. */
export interface Parts {
  readonly home: Home;
  readonly retrieval: Retrieval;
}

/** Everything that a principal can call, within its permissions. An audit tries all of it. */
export interface Surface extends Omit<App, typeof Symbol.asyncDispose>, RunLogs {
  /** As `App.ask`, within a conversation outside a room. */
  ask(
    request: AskRequest,
    run: Run,
    within?: Partial<Pick<AskContext, "history" | "conversation">>,
  ): AsyncIterable<AnswerEvent>;
  /**
   * A passage by the id of its chunk, with its document. @throws NOT_FOUND, also for one of a replaced
   * version
   */
  passage(chunkId: string, run: Run): Promise<{ readonly document: DocumentSummary; readonly chunk: Chunk }>;
  /** A document with the place of its file, which is for opening it and not for showing. @throws NOT_FOUND */
  source(reference: string, run: Run): Promise<DocumentSummary>;
  /** The parsed content of a document. @throws NOT_FOUND, SOURCE_* */
  reading(reference: string, run: Run): Promise<ParsedContent>;
  /** Runs the work of one request, whose reads of the registry are as of its beginning or later. */
  current<T>(work: () => Promise<T>): Promise<T>;
  /** Instance and department of a collection's documents by default. */
  placement(collection?: string): Promise<Placement>;
  /**
   * Whether documents may be put into a collection that is there or would be made. @throws NOT_FOUND,
   * PERMISSION_DENIED
   */
  checkWritable(target: { readonly name: string; readonly instance: Instance }, run: Run): Promise<void>;
  /** Whether the file at a path may be ingested, before it is read. @throws PERMISSION_DENIED */
  checkSource(path: string, run: Run): Promise<void>;
  /**
   * Answers an earlier question again and says at which step it differs. @throws NOT_FOUND,
   * PERMISSION_DENIED, MODEL_MISSING, USAGE_INVALID
   */
  replay(reference: string, against: ReplayVersions, run: Run): Promise<ReplayReport>;
  /**
   * Holds the sentences of a text against the documents that may be read. @throws NOT_FOUND, USAGE_INVALID
   * for a text that states nothing or too much
   */
  verify(request: VerifyRequest, run: Run): Promise<VerifyReport>;
  /** Rooms with memory. */
  chat(): Promise<Chat>;
  /** Folders, versions, new vectors, work in the background. */
  readonly background: DocumentWork;
  readonly parts: Parts;
}

/** The hits, with a verdict whether they fit the query. */
async function judged(result: Retrieved): Promise<Retrieved> {
  const { hasRelevantPassage } = await import("../pipeline/answer/evidence.ts");
  const { query, readAs = query, hits, cosine } = result;
  return { ...result, found: hasRelevantPassage(readAs, hits, cosine) };
}

/** Opens the surface of a home, each part on first use. */
export function createSurface(
  home: Home,
  retrieval: Retrieval = createRetrieval(home),
  telemetry: Telemetry = noTelemetry,
): Surface {
  const asking = lazy(async () => {
    const { createQuestionApi } = await import("./ask/ask.ts");
    return createQuestionApi(home, retrieval);
  });
  const chat = lazy(async () => {
    const { createChatRooms } = await import("./ask/chat.ts");
    return createChatRooms(home, (request, run, context) =>
      telemetry.stream("ask", run, async function* (followed) {
        yield* current(home, (await asking())(request, followed, context));
      }),
    );
  });
  const library = createDocumentsApi(home);
  return {
    ...library,
    ...createRunLogs(home),
    background: createBackgroundWork(home),
    parts: { home, retrieval },
    chat,
    passage: (chunkId, run) => passageOf(chunkId, home, run),
    current: (work) => home.registry.current(work),
    placement: (name) => placementOf(name, home),
    checkWritable: (target, run) => home.access.writable(run, target),
    checkSource: (path, run) => home.access.source(run, path),
    ingest: (request, run) =>
      telemetry.stream("ingest", run, async function* (followed) {
        await home.access.writable(run, { name: request.collection, instance: request.instance });
        const { ingestFiles } = await import("./documents/ingest.ts");
        yield* ingestFiles(request, home, followed);
      }),
    search: (request, run) =>
      telemetry.call("search", run, (followed) =>
        home.registry.current(async () => {
          const found = await retrieval.search(await withDocumentIds(request, home, run), followed);
          return judged({ ...found, hits: await splitHitsByHeading(found.hits, request.query) });
        }),
      ),
    ask: (request, run, { history = [], ...within } = {}) =>
      telemetry.stream("ask", run, async function* (followed) {
        const context = { ...within, history: toNfc(history), memory: null };
        yield* current(home, (await asking())(await withDocumentIds(request, home, run), followed, context));
      }),
    async replay(reference, against, run) {
      const { replayRun } = await import("./replay/replay.ts");
      const { createQuestionApi } = await import("./ask/ask.ts");
      return replayRun(reference, against, home, (its) => createQuestionApi(its, retrieval), run);
    },
    verify: (request, run) =>
      telemetry.call("verify", run, async (followed) => {
        const { verifyText } = await import("./verify/verify.ts");
        return verifyText(await withDocumentIds(request, home, run), { ...home, retrieval }, followed);
      }),
    async reading(reference, run) {
      const document = await library.source(reference, run);
      const { loadParsedContent } = await import("./engines/parsers.ts");
      return loadParsedContent(document, home.settings, await home.cache(), run);
    },
  };
}
