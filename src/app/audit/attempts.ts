import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import type { AnswerEvent } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { ChatEvent } from "../ask/chat.ts";
import { exportRun } from "../verify/export.ts";
import { mcpAttempts } from "./assistants.ts";
import {
  type Attempt,
  type AuditedSurface,
  auditName,
  type Canary,
  hint,
  inRoom,
  named,
  nonexistentCanary,
  type ReplyKind,
  replyKinds,
  toOutcome,
  defineAttempt as wayOf,
  withTypo,
  write,
} from "./attempt.ts";
import { httpAttempts } from "./requests.ts";

/**
 * Every way to get at a canary, each with the same way to something that is not there; those of operations
 * and of a server only where it is served.
 */
export function libraryAttempts(
  canary: Canary,
  { served }: Pick<AuditedSurface, "served">,
): readonly (readonly [Attempt, Attempt])[] {
  const waysTo = (to: Canary) => [
    ...libraryWays(to),
    ...(served === null ? [] : [...httpAttempts(to), ...mcpAttempts(to), ...served.attempts(to)]),
  ];
  const strangers = waysTo(nonexistentCanary(canary));
  return waysTo(canary).map((attempt, index) => [attempt, strangers[index] ?? attempt]);
}

/** Replies that mention the canary whatever the agent and the model. */
const sureReplies: readonly ReplyKind[] = ["refusal", "clarification", "greeting"];

/** Only who began it, or the owner. */
const own = { ...named, own: true };

type Work = (app: AuditedSurface, run: Run) => Promise<unknown>;

/** A call of the library. */
function way(name: string, typed: readonly string[], work: Work, rest: Partial<Attempt> = {}): Attempt {
  const outcome: Attempt["work"] = (app, run) => toOutcome(() => work(app, run), run);
  return wayOf({ surface: "library", name, typed, work: outcome }, rest);
}

function libraryWays(canary: Canary): readonly Attempt[] {
  return [
    ...searches(canary),
    ...documents(canary),
    ...folders(canary),
    ...rooms(canary),
    ...logsAndErrors(canary),
  ];
}

function searches({ question, document }: Canary): readonly Attempt[] {
  const all = { query: question, topK: 5, collections: [] };
  const byDepartment: Work = (app, run) =>
    app.search({ ...all, topK: 50, mode: "hybrid", department: document.department }, run);
  const ask = (app: AuditedSurface, run: Run): Promise<readonly AnswerEvent[]> =>
    Array.fromAsync(app.ask({ ...all, write: "auto" }, { ...run, id: randomUUID() }));
  const pry: Work = async (app, run) =>
    (await ask(app, run)).flatMap((each) =>
      each.type === "node-end" && ["read", "query"].includes(each.event.node) ? [each.event.decided] : [],
    );
  return [
    way("search by department", [question], byDepartment),
    way("ask a reader with tools", [question], ask, hint),
    way("what the tools of a reader say", [question], pry, { ...named, ...hint }),
  ];
}

function documents({ word, collection, path, instance }: Canary): readonly Attempt[] {
  const name = `${word}.md`;
  const files = { paths: [path], collection, instance, department: "" };
  const ingest: Work = (app, run) => Array.fromAsync(app.ingest(files, run));
  const enqueue: Work = (app, run) => app.background.enqueue({ ...files, priority: 0 }, run);
  return [
    way("source by name", [name], async (app, run) => app.source(name, run), named),
    way("ingest into its collection", [collection, path, name], ingest, write),
    way("queue add", [collection, path, name], enqueue, write),
  ];
}

function folders({ word, collection, instance, path }: Canary): readonly Attempt[] {
  const folder = dirname(path);
  const dryRun =
    (into: string, where: Instance): Work =>
    (app, run) =>
      Array.fromAsync(app.background.sync({ folder, collection: into, instance: where, dryRun: true }, run));
  /**
   * A dry run into the first collection that takes it; it reports what the folder holds and changes nothing.
   */
  const listFolder: Work = async (app, run) => {
    let failure: unknown = new RagctlError("NOT_FOUND", "there is no collection to sync into");
    for (const other of await app.collections(run)) {
      try {
        return await dryRun(other.name, other.instance)(app, run);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  const address = `https://audit.invalid/${word}`;
  const syncAddress: Work = (app, run) =>
    Array.fromAsync(app.background.sync({ folder: address, collection, instance }, run));
  return [
    way("sync an address", [collection, address], syncAddress, write),
    way("sync, dry run", [collection, folder], dryRun(collection, instance), write),
    way("list its folder through another collection", [folder], listFolder, { ...hint, place: true }),
    way("sources", [], async (app, run) => app.background.sources(run), hint),
  ];
}

const speak =
  (room: string, text: string) =>
  (app: AuditedSurface, run: Run): Promise<readonly ChatEvent[]> => {
    const request = { room, text, decide: false, topK: 5, collections: [] };
    return Array.fromAsync(app.chat.say(request, { ...run, id: randomUUID() }));
  };

const historyOf =
  (room: string): Work =>
  async (app, run) =>
    app.chat.history(room, 100, run);

function rooms(canary: Canary): readonly Attempt[] {
  const { room, tool, replies, question } = canary;
  const changes = { ...inRoom, onlyDenied: true, needs: "write" } as const;
  const askInChat: Work = async (app, run) => {
    const { name } = await app.chat.open(auditName(), "private", run);
    try {
      const say = (text: string) => speak(name, text)(app, run);
      const events = [...(await say(question)), ...(await say(tool.question))];
      return events.filter(({ type }) => type === "answer-end");
    } finally {
      await app.chat.remove(name, run);
    }
  };
  const afterReply = (kind: ReplyKind): Attempt => {
    const article = kind === "answer" || kind === "error" ? "an" : "a";
    const certain = sureReplies.includes(kind);
    const name = `history of a room after ${article} ${kind}`;
    return way(name, [replies[kind]], historyOf(replies[kind]), { own: true, certain });
  };
  return [
    way("say in its room", [room, question], speak(room, question), changes),
    ...replyKinds.map(afterReply),
    way("ask in a room of one's own", [question, tool.question], askInChat, hint),
  ];
}

function logsAndErrors({ word, asked }: Canary): readonly Attempt[] {
  const name = withTypo(`${word}.md`);
  const denied = { ...named, onlyDenied: true };
  return [
    way("conversations", [], async (app, run) => app.conversations(1000, run), { own: true }),
    way("conversation about it", [asked], async (app, run) => app.conversation(asked, run), own),
    way("export of a question about it", [asked], async (app, run) => exportRun(asked, app, run), own),
    way("error for a slip in its name", [name], (app, run) => app.show(name, run), denied),
  ];
}
