import { randomBytes, randomUUID } from "node:crypto";
import { dirname } from "node:path";
import type { App, DocumentSummary, SearchRequest } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import type { AccessLevel } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { Chat } from "../ask/chat.ts";
import type { InStep } from "../documents/background.ts";
import type { RunLogs } from "../home.ts";

/** The kinds of reply that a room can keep. */
export const replyKinds = ["answer", "refusal", "clarification", "greeting", "tool result", "error"] as const;
export type ReplyKind = (typeof replyKinds)[number];

/** A tool that needs a grant. */
export interface CanaryTool {
  readonly name: string;
  /** The question that it answers. */
  readonly question: string;
  /** What it finds, which stands nowhere else. 28 hex characters. */
  readonly find: string;
}

/** A document that nobody without a right may get to know of. */
export interface Canary {
  /** Its file name and what questions ask for. 28 hex characters. */
  readonly word: string;
  /** Stands in its text and title and is typed nowhere. 28 hex characters. */
  readonly secret: string;
  readonly collection: string;
  readonly instance: Instance;
  /** The collection whose rules it is under. */
  readonly like: string;
  readonly path: string;
  readonly document: DocumentSummary;
  /** Id of a run in which the owner asked about it. */
  readonly asked: string;
  /** Id of a job in which the owner asked for it to be ingested. */
  readonly job: string;
  /** A private room of the owner. */
  readonly room: string;
  /** What was said in the room and stands nowhere else. 28 hex characters. */
  readonly told: string;
  /** Public rooms, in each of which the owner was given one reply that has to do with it. */
  readonly replies: Readonly<Record<ReplyKind, string>>;
  /** The tool whose find is the reply of `tool result`. */
  readonly tool: CanaryTool;
}

/** Everything that a principal can call and that gives away, or changes, what is stored. */
export interface Surface extends Omit<App, typeof Symbol.asyncDispose>, RunLogs {
  readonly chat: Chat;
  readonly inStep: InStep;
  readonly export: (run: Run) => string;
}

/** One way to get at a canary. */
export interface Attempt {
  readonly name: string;
  /** The level that would allow it. */
  readonly needs: AccessLevel;
  /** Where it is allowed it would change the canary, or give nothing: it is left out there. */
  readonly onlyDenied: boolean;
  /** Whether it must succeed where it is allowed. Asking need not: it goes through an agent, which may be given less. */
  readonly certain: boolean;
  /** Whether only whoever ran it, or the owner, may see it. */
  readonly own: boolean;
  /** Whether the rules about the room decide, and not those about the collection. */
  readonly room: boolean;
  /** Whether the folders the principal may ingest from decide, and not the rules about the collection. */
  readonly place: boolean;
  /** Whether what comes back must be word for word what comes back for a thing that is not there. */
  readonly compare: boolean;
  /** What the attempt types and may therefore get back. */
  readonly typed: readonly string[];
  readonly work: (app: Surface, run: Run) => Promise<unknown>;
}

/** Every way to get at a canary that the app has, each with the same way to something that is not there. */
export function attempts(canary: Canary): readonly (readonly [Attempt, Attempt])[] {
  const strangers = waysTo(unknown(canary));
  return waysTo(canary).map((attempt, index) => [attempt, strangers[index] ?? attempt]);
}

/** The question that finds a canary. */
export const questionOf = ({ word }: Pick<Canary, "word">): string => `Where does the canary ${word} sing?`;

/** A canary that nobody planted. */
function unknown(canary: Canary): Canary {
  const [word, secret] = [randomBytes(14).toString("hex"), randomBytes(14).toString("hex")];
  const id = randomBytes(8).toString("hex");
  const path = canary.path.replaceAll(canary.word, word);
  const collection = `audit_${randomBytes(14).toString("hex")}`;
  const [room, told] = [`audit_${randomBytes(14).toString("hex")}`, randomBytes(14).toString("hex")];
  const others = { asked: randomUUID(), job: randomUUID(), room, told };
  return {
    ...canary,
    ...others,
    word,
    secret,
    collection,
    path,
    document: { ...canary.document, id, name: `${word}.md`, path },
  };
}

/** Replies that tell of the canary whichever agent and model there is. */
const sureReplies: readonly ReplyKind[] = ["refusal", "clarification", "greeting"];

/** A name with its last character but one left out. */
const slip = (name: string): string => `${name.slice(0, -2)}${name.slice(-1)}`;

function waysTo(canary: Canary): readonly Attempt[] {
  const { word, collection, document, path, asked, instance, job, room, replies, tool } = canary;
  const [question, name, start] = [questionOf(canary), `${word}.md`, document.id.slice(0, 8)];
  const search = (mode: SearchRequest["mode"], rest: Partial<SearchRequest> = {}) => {
    return (app: Surface, run: Run) =>
      app.search({ query: question, topK: 50, collections: [], mode, ...rest }, run);
  };
  const ask = (collections: readonly string[]) => async (app: Surface, run: Run) =>
    Array.fromAsync(app.ask({ query: question, topK: 5, collections }, { ...run, id: randomUUID() }));
  const ingest = (app: Surface, run: Run) =>
    Array.fromAsync(app.ingest({ paths: [path], collection, instance, department: "" }, run));
  const way = (
    text: string,
    typed: readonly string[],
    work: Attempt["work"],
    rest: Partial<Attempt> = {},
  ): Attempt => {
    return {
      name: text,
      typed,
      work,
      needs: "read",
      onlyDenied: false,
      certain: true,
      ...{ own: false, room: false, place: false, compare: false },
      ...rest,
    };
  };
  const folder = dirname(path);
  const dry = (app: Surface, run: Run) =>
    Array.fromAsync(app.inStep.sync({ folder, collection, instance, dryRun: true }, run));
  /** A dry run into the first collection that takes it; it tells what the folder holds and changes nothing. */
  const listFolder = async (app: Surface, run: Run) => {
    let failure: unknown = new RagctlError("NOT_FOUND", "there is no collection to sync into");
    for (const { name: into, instance: where } of await app.collections(run)) {
      try {
        return await Array.fromAsync(
          app.inStep.sync({ folder, collection: into, instance: where, dryRun: true }, run),
        );
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  const enqueue = (app: Surface, run: Run) =>
    app.inStep.enqueue({ paths: [path], collection, instance, department: "", priority: 0 }, run);
  const speak = (where: string, text: string) => (app: Surface, run: Run) =>
    Array.fromAsync(
      app.chat.say(
        { room: where, text, decide: false, topK: 5, collections: [] },
        { ...run, id: randomUUID() },
      ),
    );
  const askInChat = async (app: Surface, run: Run) => {
    const own = app.chat.open(`audit_${randomBytes(14).toString("hex")}`, "private", run).name;
    try {
      const events = [
        ...(await speak(own, question)(app, run)),
        ...(await speak(own, tool.question)(app, run)),
      ];
      return events.filter(({ type }) => type === "answer-end");
    } finally {
      await app.chat.remove(own, run);
    }
  };
  const historyOf = (where: string) => async (app: Surface, run: Run) => app.chat.history(where, 100, run);
  const named = { compare: true };
  const inRoom = { compare: true, room: true };
  const hint = { certain: false };
  const write = { compare: true, onlyDenied: true, needs: "write" as const };
  return [
    way("search hybrid", [question], search("hybrid")),
    way("search dense", [question], search("dense")),
    way("search lexical", [question], search("lexical")),
    way("search every version", [question], search("hybrid", { versions: "all" })),
    way("search by document id", [question, document.id], search("hybrid", { documents: [document.id] })),
    way("search by department", [question], search("hybrid", { department: document.department })),
    way(
      "search its collection",
      [question, collection],
      search("hybrid", { collections: [collection] }),
      named,
    ),
    way("ask", [question], ask([]), { certain: false }),
    way("ask its collection", [question, collection], ask([collection]), { ...named, certain: false }),
    way("list", [], (app, run) => app.documents([], run)),
    way("list its collection", [collection], (app, run) => app.documents([collection], run), named),
    way("collections", [], (app, run) => app.collections(run)),
    way("show by id", [document.id], (app, run) => app.show(document.id, run), named),
    way("show by beginning of the id", [start], (app, run) => app.show(start, run), named),
    way("show by name", [name], (app, run) => app.show(name, run), named),
    way("show by path", [path], (app, run) => app.show(path, run), named),
    way("forget by id", [document.id], (app, run) => app.forget([document.id], run), write),
    way("forget by name", [name], (app, run) => app.forget([name], run), write),
    way("forget the collection", [collection], (app, run) => app.forgetCollection(collection, run), {
      ...write,
      needs: "admin",
    }),
    way("ingest into its collection", [collection, path, name], ingest, write),
    way("history by id", [document.id], (app, run) => app.inStep.history(document.id, run), named),
    way("history by name", [name], (app, run) => app.inStep.history(name, run), named),
    way("diff", [document.id], (app, run) => app.inStep.diff(document.id, {}, run), { ...named, ...hint }),
    way("diff of two versions", [name], (app, run) => app.inStep.diff(name, { from: 1, to: 1 }, run), {
      ...named,
      ...hint,
    }),
    way("restore", [document.id], (app, run) => app.inStep.restore(document.id, 1, run), write),
    way("duplicates", [], (app, run) => app.inStep.duplicates([], 0, run), hint),
    way(
      "duplicates of its collection",
      [collection],
      (app, run) => app.inStep.duplicates([collection], 0, run),
      { ...named, ...hint },
    ),
    way("prune", [], (app, run) => app.inStep.prune({ keep: 0, dryRun: true }, run), hint),
    way(
      "prune its collection",
      [collection],
      (app, run) => app.inStep.prune({ keep: 0, collection, dryRun: true }, run),
      write,
    ),
    way("sync, dry run", [collection, folder], dry, write),
    way("list its folder through another collection", [folder], listFolder, { certain: false, place: true }),
    way("sources", [], async (app, run) => app.inStep.sources(run), hint),
    way("queue add", [collection, path, name], enqueue, write),
    way("queue list", [], (app, run) => app.inStep.jobs([], 1000, run), { own: true }),
    way("queue show", [job], (app, run) => app.inStep.job(job, run), { ...named, own: true }),
    way("queue cancel", [job], (app, run) => app.inStep.cancelJob(job, run), {
      ...named,
      own: true,
      onlyDenied: true,
    }),
    way("export of the registry", [], async (app, run) => app.export(run), { own: true, ...hint }),
    way("chat rooms", [], async (app, run) => app.chat.rooms(run), { room: true }),
    way("chat history", [room], async (app, run) => app.chat.history(room, 100, run), inRoom),
    way(
      "chat history, in capitals",
      [room.toUpperCase()],
      async (app, run) => app.chat.history(room.toUpperCase(), 100, run),
      inRoom,
    ),
    way("say in its room", [room, question], speak(room, question), {
      ...inRoom,
      onlyDenied: true,
      needs: "write",
    }),
    way("remove its room", [room], (app, run) => app.chat.remove(room, run), {
      ...inRoom,
      onlyDenied: true,
      needs: "admin",
    }),
    ...replyKinds.map((kind) =>
      way(
        `history of a room after ${kind === "answer" || kind === "error" ? "an" : "a"} ${kind}`,
        [replies[kind]],
        historyOf(replies[kind]),
        {
          own: true,
          certain: sureReplies.includes(kind),
        },
      ),
    ),
    way("ask in a room of one's own", [question, tool.question], askInChat, hint),
    way("logs", [], async (app, run) => app.runRecords(1000, run), { own: true }),
    way("log of a question about it", [asked], async (app, run) => app.runRecord(asked, run), {
      ...named,
      own: true,
    }),
    way("error for a slip in its name", [slip(name)], (app, run) => app.show(slip(name), run), {
      ...named,
      onlyDenied: true,
    }),
    way(
      "error for a slip in its collection",
      [question, slip(collection)],
      search("lexical", { collections: [slip(collection)] }),
      {
        ...named,
        onlyDenied: true,
      },
    ),
  ];
}
