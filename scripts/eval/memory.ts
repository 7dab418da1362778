// Measures the memory of chat rooms on LoCoMo conversations: every turn is said in a room, then the questions
// about it are asked in other rooms.
//   node scripts/eval/memory.ts CONVERSATION.json... [--home DIR] [--limit N] [--model ID] [--show]
// CONVERSATION: LoCoMo JSON (session_N lists of {speaker, dia_id, text, blip_caption?}, qa of {question,
// answer, evidence, category}); category 5 asks for what was never said and must be refused. --home: where
// the models are; the rooms are made in a home of their own, removed at the end. --limit: answerable
// questions of each conversation, and half as many of category 5. Without --model sentences are quoted.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { createMessageIndex } from "../../src/app/ask/messages.ts";
import { openEmbedder } from "../../src/app/engines/models.ts";
import { openStore } from "../../src/app/engines/stores.ts";
import type { Answer } from "../../src/core/answers/answer.ts";
import { z } from "../../src/core/schema.ts";
import { contains } from "../../src/pipeline/evaluate/compare-texts.ts";
import { mean } from "../../src/pipeline/evaluate/resample.ts";
import { createChatRepository } from "../../src/registry/history/chats.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { stopHost } from "../../src/resident/client.ts";
import { median } from "./decisions.ts";
import { evalRun, openHome } from "./library.ts";
import { spread } from "./replay.ts";
import { shareOf } from "./shares.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    home: { type: "string" },
    limit: { type: "string", default: "40" },
    model: { type: "string" },
    show: { type: "boolean", default: false },
  },
});
if (positionals.length === 0) {
  process.stderr.write(
    "usage: memory.ts CONVERSATION.json... [--home DIR] [--limit N] [--model ID] [--show]\n",
  );
  process.exit(2);
}

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});
const questionSchema = z.object({
  question: z.string(),
  answer: z.union([z.string(), z.number()]).optional(),
  evidence: z.array(z.string()),
  category: z.number(),
});
type Turn = z.infer<typeof turnSchema>;
type Question = z.infer<typeof questionSchema>;

function load(path: string): { readonly turns: readonly Turn[]; readonly questions: readonly Question[] } {
  const file = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(path, "utf8")));
  const sessions = Object.keys(file).filter((key) => /^session_\d+$/.test(key));
  const ordered = sessions.sort((left, right) => Number(left.slice(8)) - Number(right.slice(8)));
  return {
    turns: ordered.flatMap((key) => z.array(turnSchema).parse(file[key])),
    questions: z.array(questionSchema).parse(file["qa"]),
  };
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const source = openHome(values.home);
const home = await mkdtemp(join(tmpdir(), "ragctl-memory-"));
await using cleanup = new AsyncDisposableStack();
cleanup.defer(() => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
await mkdir(join(home, "models"), { mode: 0o700 });
const models = join(source.settings.home, "models");
const wanted = (id: string): boolean =>
  id.startsWith("milvus-lite") || id === source.settings.embed.model || id === values.model;
for (const id of existsSync(models) ? readdirSync(models).filter(wanted) : [])
  await symlink(join(models, id), join(home, "models", id));

const own = openHome(home, values.model === undefined ? {} : { "answer.model": values.model });
const app = cleanup.use(await openApp(own.settings, "0.0.0", evalRun.log));
cleanup.defer(async () => void (await stopHost(home)));
const chat = await app.chat();
const registry = await openRegistry(join(home, "registry.sqlite"));
cleanup.defer(() => registry.close());
const chats = createChatRepository(registry);
const embedder = await openEmbedder(own.settings, await own.models());
cleanup.use(embedder);
const store = await openStore("private", own.settings, own.models, cleanup, evalRun);
const messages = createMessageIndex({
  chats,
  embedder: async () => embedder,
  store: async () => store,
  mark: "",
});
const request = { decide: false, topK: 5, collections: [] };

/** Says a turn and leaves before it is answered. */
async function tell(room: string, principal: string, text: string): Promise<void> {
  for await (const { type } of chat.say({ ...request, room, text }, { ...evalRun, principal }))
    if (type !== "message-stored") break;
}

interface Asked {
  readonly question: Question;
  /** Of the evidence, the share among the first k messages. */
  readonly recall: Readonly<Record<number, number>>;
  readonly answer: Answer;
  readonly correct: boolean;
  readonly durationMs: number;
}

const depths = [1, 3, 10] as const;

async function ask(question: Question, room: string, placeOf: ReadonlyMap<string, string>): Promise<Asked> {
  const rooms = (await chats.rooms()).filter(({ name }) => name === room);
  const hits = await messages.search(question.question, rooms, () => true, evalRun, Math.max(...depths));
  const places = hits.map(({ chunk }) => placeOf.get(chunk.id) ?? "");
  const share = (k: number): number =>
    mean(question.evidence.map((place) => Number(places.slice(0, k).includes(place))));
  const desk = (await chat.open(`question-${crypto.randomUUID()}`, "private", evalRun)).name;
  const since = performance.now();
  const events = await Array.fromAsync(
    chat.say({ ...request, room: desk, text: question.question }, evalRun),
  );
  const durationMs = performance.now() - since;
  await chat.remove(desk, evalRun);
  const end = events.find((event) => event.type === "answer-end");
  if (end?.type !== "answer-end") throw new Error(`no answer to ${question.question}`);
  const correct = question.answer !== undefined && contains(end.answer.response, [String(question.answer)]);
  return {
    question,
    recall: Object.fromEntries(depths.map((k) => [k, share(k)])),
    answer: end.answer,
    correct,
    durationMs,
  };
}

const all: Asked[] = [];
for (const path of positionals) {
  const { turns, questions } = load(path);
  const room = `talk ${basename(path, ".json")}`;
  await chat.open(room, "public", evalRun);
  for (const name of new Set(turns.map(({ speaker }) => speaker))) {
    await app.permissions.addPrincipal({ name }, evalRun);
    const rule = { subjectKind: "principal", effect: "allow", resourceKind: "room", level: "write" } as const;
    await app.permissions.putRule({ ...rule, subject: name, resource: room }, evalRun);
  }
  const since = performance.now();
  for (const { speaker, text, blip_caption: caption } of turns)
    await tell(room, speaker, caption === undefined ? text : `${text} (shares ${caption})`);
  const said = await chat.history(room, turns.length, evalRun);
  const placeOf = new Map(said.map(({ id }, index) => [id, turns[index]?.dia_id ?? ""]));
  print(
    `${basename(path)}: ${said.length} messages stored, ${((performance.now() - since) / said.length).toFixed(0)} ms each`,
  );
  const limit = Number(values.limit);
  const chosen = [
    ...spread(
      questions.filter(({ category, evidence }) => category !== 5 && evidence.length > 0),
      limit,
    ),
    ...spread(
      questions.filter(({ category }) => category === 5),
      Math.ceil(limit / 2),
    ),
  ];
  for (const question of chosen) {
    const asked = await ask(question, room, placeOf);
    all.push(asked);
    const { verdict, response } = asked.answer;
    if (values.show)
      print(
        `${question.category} ${verdict.status} ${verdict.evidence.toFixed(2)} r3=${asked.recall[3]?.toFixed(2)} ${asked.correct ? "correct" : "-"} | ${question.question}\n   gold: ${question.answer ?? "(refuse)"}\n   ${response.replace(/\s+/g, " ").slice(0, 200)}`,
      );
  }
  await chat.remove(room, evalRun);
  for (const name of new Set(turns.map(({ speaker }) => speaker)))
    await app.permissions.removePrincipal(name, evalRun);
}

const kinds = { 1: "several messages", 2: "time", 3: "open domain", 4: "one message" } as const;
const refused = ({ answer }: Asked): boolean => answer.verdict.status === "refused";
const row = (label: string, some: readonly Asked[]): string =>
  [
    label.padEnd(18),
    String(some.length).padStart(4),
    ...depths.map((k) => mean(some.map(({ recall }) => recall[k] ?? 0)).toFixed(3)),
    shareOf(some, ({ correct }) => correct).padEnd(18),
    shareOf(some, refused),
  ].join("  ");
const answerable = all.filter(({ question }) => question.category !== 5);
print(
  `\n${"".padEnd(18)}     n  ${depths.map((k) => `r@${k}`.padEnd(5)).join("  ")}  ${"holds".padEnd(18)}  refused`,
);
for (const [category, label] of Object.entries(kinds)) {
  const some = answerable.filter(({ question }) => question.category === Number(category));
  if (some.length > 0) print(row(label, some));
}
print(row("answerable", answerable));
const never = all.filter(({ question }) => question.category === 5);
print(`never said (5): ${never.length} asked, refused ${shareOf(never, refused)}`);
const typicalMs = median(all.map(({ durationMs }) => durationMs));
print(`answer: median ${typicalMs.toFixed(0)} ms; model ${values.model ?? "none"}`);
