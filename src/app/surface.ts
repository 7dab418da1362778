import type { App } from "../core/app.ts";
import type { ParsedContent } from "../core/documents/document.ts";
import { lazy } from "../core/lazy.ts";
import type { Run } from "../core/run.ts";
import type { Chat } from "./ask/chat.ts";
import { openRetrieval, type Retrieval } from "./ask/retrieval.ts";
import { type DocumentWork, openDocumentWork } from "./documents/background.ts";
import { openLibrary, withDocumentIds } from "./documents/documents.ts";
import { type Placement, placementOf } from "./documents/placement.ts";
import type { Home } from "./home.ts";
import { openRunLogs, type RunLogs } from "./records.ts";

/** Everything that a principal can call, within what the rules give it. An audit tries all of it. */
export interface Surface extends Omit<App, typeof Symbol.asyncDispose>, RunLogs {
  /** What the parser saw in a document. @throws NOT_FOUND, SOURCE_* */
  reading(reference: string, run: Run): Promise<ParsedContent>;
  /** Instance and department of a collection's documents where nobody names them. */
  placement(collection: string): Placement;
  /** Rooms with memory. */
  chat(): Promise<Chat>;
  /** Folders, versions, new vectors, work in the background. */
  readonly background: DocumentWork;
}

/** Opens what a home can do, each part with its first use. */
export function openSurface(home: Home, retrieval: Retrieval = openRetrieval(home)): Surface {
  const asking = lazy(async () => {
    const { openAsk } = await import("./ask/ask.ts");
    return openAsk(home, retrieval);
  });
  const chat = lazy(async () => {
    const { openRooms } = await import("./ask/chat.ts");
    return openRooms(home, async function* (request, run, context) {
      yield* (await asking())(request, run, context);
    });
  });
  const library = openLibrary(home);
  return {
    ...library,
    ...openRunLogs(home),
    background: openDocumentWork(home),
    chat,
    placement: (name) => placementOf(name, home),
    async *ingest(request, run) {
      home.access.writable(run, { name: request.collection, instance: request.instance });
      const { ingestFiles } = await import("./documents/ingest.ts");
      yield* ingestFiles(request, home, run);
    },
    search: async (request, run) => retrieval.search(withDocumentIds(request, home, run), run),
    async *ask(request, run) {
      yield* (await asking())(withDocumentIds(request, home, run), run);
    },
    async reading(reference, run) {
      const { document } = await library.show(reference, run);
      const { readingOf } = await import("./engines/parsers.ts");
      return readingOf(document, home.settings, await home.cache(), run);
    },
  };
}
