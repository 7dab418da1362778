import assert from "node:assert/strict";
import { describe, it, type TestContext, test } from "node:test";
import fc from "fast-check";
import { type Chat, type ChatEvent, createChatApi, withheldNotice } from "../../../src/app/ask/chat.ts";
import { createMessageIndex } from "../../../src/app/ask/messages.ts";
import type { AskContext } from "../../../src/app/ask/question.ts";
import type { AgentProfile } from "../../../src/core/answers/agent.ts";
import type { Answer, AnswerEvent, LanguageModel } from "../../../src/core/answers/answer.ts";
import type { AskRequest } from "../../../src/core/app.ts";
import { decide } from "../../../src/core/decide.ts";
import type { Chunk } from "../../../src/core/documents/chunk.ts";
import { accessLevels } from "../../../src/core/permission.ts";
import type { Instance, VectorStore } from "../../../src/core/retrieval.ts";
import type { Run } from "../../../src/core/run.ts";
import { createAgentRepository } from "../../../src/registry/company/agents.ts";
import { createToolRepository } from "../../../src/registry/company/tools.ts";
import { createChatRepository } from "../../../src/registry/history/chats.ts";
import { agentOf } from "../../agents/fakes.ts";
import { chunkOf } from "../../helpers/chunk.ts";
import { fakeEmbedder } from "../../pipeline/fakes.ts";
import { memoryStore, openWorld, places, type StoreFault, said, secretOf } from "../world.ts";

/** What the fake graph does with a question. */
interface Plan {
  agent: AgentProfile | null;
  /** Collection of a document it quotes where it may. */
  quotes: string;
  /** Whether a model read the earlier turns. */
  model: boolean;
  /** Whether the answer keeps to itself what it was made from. */
  silent?: boolean;
}

interface Talk {
  readonly world: Awaited<ReturnType<typeof openWorld>>;
  readonly chat: Chat;
  readonly chats: ReturnType<typeof createChatRepository>;
  readonly store: ReturnType<typeof memoryStore>;
  readonly fault: StoreFault;
  readonly plan: Plan;
  /** What the last question was answered with. */
  readonly heard: { memory: readonly string[]; history: readonly string[] };
  /** Says something; the events. */
  say(
    room: string,
    text: string,
    run: Run,
    more?: { readonly decide?: boolean },
  ): Promise<readonly ChatEvent[]>;
}

/** Every hit is as near as any other: what keeps messages apart is not their meaning. */
const near = (store: VectorStore): VectorStore => ({
  ...store,
  async search(name, query, signal) {
    const { dense, lexical, vectors } = await store.search(name, query, signal);
    return { lexical, vectors, dense: dense.map((hit) => ({ ...hit, score: 0.9 })) };
  },
});

/** Rooms over a real registry, a store in memory, and a graph that repeats everything it is given. */
async function openTalk(context: TestContext, model: LanguageModel | null = null): Promise<Talk> {
  const world = await openWorld(context);
  const { access, permissions } = world.core;
  const chats = createChatRepository(world.registry);
  const fault: StoreFault = { leaky: false };
  const store = memoryStore("private", fault);
  const embedder = fakeEmbedder();
  const messages = createMessageIndex({
    chats,
    embedder: async () => embedder,
    store: async () => near(store),
    mark: "",
  });
  const plan: Plan = { agent: null, quotes: "", model: true };
  const heard: Talk["heard"] = { memory: [], history: [] };
  async function* ask(
    { query }: AskRequest,
    { history, memory }: AskContext,
    run: Run,
  ): AsyncGenerator<AnswerEvent> {
    const hits = (await memory?.(query, plan.agent)) ?? [];
    const may = (await access.allowed(run, plan.agent, "read")).collections.includes(plan.quotes);
    const quoted = may ? [chunkOf({ collection: plan.quotes, text: secretOf(plan.quotes) })] : [];
    Object.assign(heard, {
      memory: hits.map(({ chunk }) => chunk.text),
      history: history.map(({ text }) => text),
    });
    const texts = [...heard.memory, ...(plan.model ? heard.history : []), ...quoted.map(({ text }) => text)];
    yield {
      type: "answer-end",
      answer: answerOf(query, texts.join(" | "), [...hits.map(({ chunk }) => chunk), ...quoted], plan),
    };
  }
  const rows = { agents: createAgentRepository(world.registry), tools: createToolRepository(world.registry) };
  const chat = createChatApi({
    access,
    registry: world.registry,
    chats,
    permissions,
    messages,
    ...rows,
    collections: world.core.collections,
    resolve: async (request) => request,
    ask,
    model: async () => model,
  });
  return {
    ...{ world, chat, chats, store, fault, plan, heard },
    say: (room, text, run, { decide: asked = false } = {}) =>
      Array.fromAsync(chat.say({ room, text, decide: asked, topK: 3, collections: [] }, run)),
  };
}

function answerOf(
  query: string,
  response: string,
  chunks: readonly Chunk[],
  { agent, model, silent }: Plan,
): Answer {
  return {
    ...{
      query,
      intent: "retrieval",
      response,
      citations: [],
      model: model ? "fake" : null,
      agent: agent?.name ?? null,
    },
    verdict: {
      status: response === "" ? "refused" : "answered",
      reason: "",
      evidence: 1,
      threshold: 0,
      grounded: "off",
      sentences: [],
      removed: 0,
    },
    context: {
      question: query,
      passages: chunks.map((chunk, at) => ({ marker: at + 1, chunk, text: chunk.text })),
      tokenCount: 0,
      dropped: { overBudget: 0, duplicate: 0 },
    },
    ...{
      tools: [],
      trace: [],
      phases: [],
      unavailable: [],
      ...(silent === true ? {} : { origins: { chunks, collections: [], agents: [] } }),
    },
  };
}

const lobbyOf = async (chat: Chat, run: Run): Promise<string> =>
  (await chat.rooms(run)).find(({ name }) => name === "lobby")?.id ?? "";

const roomRule = { subjectKind: "principal", effect: "allow", resourceKind: "room" } as const;

describe("rooms", () => {
  it("are found by whoever may read them; for the rest there is no such room, word for word", async (context) => {
    const { world, chat, say } = await openTalk(context);
    for (const name of ["ada", "bob"]) await world.core.principals.add({ name });
    const [owner, ada, bob] = ["owner", "ada", "bob"].map(world.run) as [Run, Run, Run];
    await chat.open("board", "private", ada);
    await chat.open("lobby", "public", owner);
    await say("board", "The code is 4711.", ada);
    const names = async (run: Run) => (await chat.rooms(run)).map(({ name }) => name);
    assert.deepEqual(
      [await names(owner), await names(ada), await names(bob)],
      [["ada/board", "lobby"], ["ada/board", "lobby"], ["lobby"]],
    );
    for (const name of ["board", "BOARD", "ada/board", "nowhere"]) {
      const tries = [
        () => chat.history(name, 5, bob),
        () => say(name, "hello", bob),
        () => chat.remove(name, bob),
      ];
      for (const attempt of tries) {
        const outcome = await said(attempt);
        assert.deepEqual(
          [outcome.code, outcome.text.replace(name, "…")],
          ["NOT_FOUND", 'there is no chat "…" → available: lobby'],
        );
      }
    }
    assert.equal((await said(() => say("lobby", "hello", bob))).code, "PERMISSION_DENIED");
    assert.equal((await said(() => chat.remove("lobby", bob))).code, "PERMISSION_DENIED");
  });

  it("know read, write and admin, and a denial beats every grant from the next call on", async (context) => {
    const { world, chat, say } = await openTalk(context);
    const { permissions, principals } = world.core;
    for (const name of ["ada", "bob"]) await principals.add({ name, departments: ["hr"] });
    const [ada, bob] = ["ada", "bob"].map(world.run) as [Run, Run];
    await chat.open("board", "private", ada);
    const can = async () =>
      [
        (await said(() => chat.history("ada/board", 5, bob))).code,
        (await said(() => say("ada/board", "hello", bob))).code,
        (await chat.rooms(bob)).length,
      ].join(" ");
    const rule = { ...roomRule, subject: "bob", resource: "ada/board" };
    assert.equal(await can(), "NOT_FOUND NOT_FOUND 0");
    await permissions.put({ ...rule, level: "read" });
    assert.equal(await can(), " PERMISSION_DENIED 1");
    await permissions.put({ ...rule, level: "write" });
    assert.equal(await can(), "  1");
    assert.equal((await said(() => chat.remove("ada/board", bob))).code, "PERMISSION_DENIED");
    await permissions.put({ ...rule, effect: "deny", level: "write" });
    assert.equal(await can(), " PERMISSION_DENIED 1");
    await permissions.put({
      ...rule,
      subjectKind: "department",
      subject: "hr",
      effect: "deny",
      resource: "*",
      level: "read",
    });
    assert.equal(await can(), "NOT_FOUND NOT_FOUND 0");
    assert.equal((await said(() => chat.history("board", 5, ada))).code, "NOT_FOUND", "its maker too");
    assert.equal((await chat.history("ada/board", 5, world.run("owner"))).length, 2);
  });

  it("go with their messages, rules and vectors, those of an earlier embedding model too", async (context) => {
    const { world, chat, say, store } = await openTalk(context);
    const owner = world.run("owner");
    await world.core.principals.add({ name: "ada" });
    const ada = world.run("ada");
    const room = await chat.open("board", "private", ada);
    await chat.open("lobby", "public", owner);
    await say("board", "The code is 4711.", ada);
    await say("lobby", "The gate is open.", owner);
    const older = chunkOf({ id: "older", documentId: room.id, collection: "chat_messages_00000000" });
    await store.ensure({ name: older.collection, dimensions: 2, fingerprint: "other", lexical: "bm25" });
    await store.write(older.collection, [{ chunk: older, embedding: { dense: Float32Array.of(1, 0) } }]);
    assert.equal(await chat.remove("board", ada), 2);
    const left = [...store.held.values()].flat();
    assert.ok(left.length > 0 && left.every(({ documentId }) => documentId !== room.id));
    assert.deepEqual(await world.core.permissions.list({ resourceKind: "room" }), []);
    assert.equal((await chat.open("board", "private", owner)).messages, 0);
    assert.deepEqual([(await chat.rooms(ada)).map(({ name }) => name)], [["lobby"]]);
  });

  it("hear what was said before, in other rooms too, and answer nothing with a question", async (context) => {
    const { world, chat, say, heard, plan } = await openTalk(context);
    const owner = world.run("owner");
    plan.model = false;
    await chat.open("lobby", "public", owner);
    await chat.open("desk", "private", owner);
    await say("desk", "The code of the gate is 4711.", owner);
    await say("desk", "What is the code?", owner);
    await say("lobby", "Which code has the gate?", owner);
    assert.deepEqual([heard.history, heard.memory], [[], ["owner: The code of the gate is 4711."]]);
    await say("lobby", "And since when?", owner);
    assert.equal(heard.history[0], "Which code has the gate?");
    for (let at = 0; at < 5; at++) await say("lobby", `Gate ${at} is closed.`, owner);
    await say("lobby", "Which gates are closed?", owner);
    assert.deepEqual([heard.memory.length, heard.history.length], [3, 8]);
  });

  it("show an answer only to those who may read what it rests on, directly or through another answer", async (context) => {
    const { world, chat, say, heard, plan } = await openTalk(context);
    const { principals, permissions } = world.core;
    await principals.add({ name: "ada", departments: ["hr"] });
    await principals.add({ name: "bob" });
    const [ada, bob] = ["ada", "bob"].map(world.run) as [Run, Run];
    const hr = "hr_private_docs";
    await permissions.put({
      subjectKind: "department",
      subject: "hr",
      effect: "allow",
      resource: hr,
      instance: "private",
    });
    await chat.open("lobby", "public", ada);
    await chat.open("office", "public", bob);
    plan.quotes = hr;
    await say("lobby", "What does a crane driver earn?", ada);
    plan.quotes = "";
    await say("lobby", "And who says so?", ada);
    const contents = async (run: Run) =>
      (await chat.history("ada/lobby", 9, run)).map(({ content }) => content);
    assert.ok(
      (await contents(ada))[1]?.includes(secretOf(hr)) && (await contents(ada))[3]?.includes(secretOf(hr)),
    );
    assert.deepEqual([(await contents(bob))[1], (await contents(bob))[3]], [withheldNotice, withheldNotice]);
    await say("office", "What does a crane driver earn?", bob);
    assert.ok(!JSON.stringify(heard).includes(secretOf(hr)), JSON.stringify(heard));
    await permissions.remove({ subject: "hr" });
    assert.equal((await contents(ada))[1], withheldNotice, "the grant is gone");
    assert.ok((await contents(world.run("owner")))[1]?.includes(secretOf(hr)));
  });

  it("name their maker, so that nobody learns which names are taken, and the same word means one's own room first", async (context) => {
    const { world, chat } = await openTalk(context);
    for (const name of ["ada", "bob"]) await world.core.principals.add({ name });
    const [owner, ada, bob] = ["owner", "ada", "bob"].map(world.run) as [Run, Run, Run];
    const entered = async (name: string | undefined, run: Run) => {
      const { room, made } = await chat.enter(name, "private", run);
      return [room.name, room.visibility, made];
    };
    assert.deepEqual(await entered("board", owner), ["board", "private", true]);
    assert.deepEqual(await entered("board", ada), ["ada/board", "private", true], "as if there were none");
    assert.deepEqual(await entered("board", bob), ["bob/board", "private", true]);
    assert.deepEqual(await entered("board", ada), ["ada/board", "private", false]);
    const refusal = async (name: string) =>
      (await said(() => chat.enter(name, "private", bob))).text.replace(name, "…");
    assert.equal(await refusal("ada/board"), await refusal("ada/attic"));
    for (const [run, name] of [
      [owner, "owner/desk"],
      [ada, "ada/desk"],
    ] as const)
      assert.deepEqual(
        [await entered(undefined, run), await entered(undefined, run)],
        [
          [name, "private", true],
          [name, "private", false],
        ],
      );
    assert.equal((await chat.open("gate", "public", owner)).name, "gate");
    assert.deepEqual(await entered("gate", ada), ["gate", "public", false]);
    const long = "x".repeat(100);
    await world.core.principals.add({ name: long });
    assert.deepEqual(await entered(undefined, world.run(long)), [`${long}/desk`, "private", true]);
  });

  it("are made once where their maker enters them several times at once, and are entered then", async (context) => {
    const { world, chat, say } = await openTalk(context);
    await world.core.principals.add({ name: "ada" });
    for (const [as, name] of [
      ["ada", undefined],
      ["ada", "board"],
      ["owner", undefined],
      ["owner", "board"],
    ] as const) {
      const run = world.run(as);
      const entered = await Promise.all([1, 2, 3].map(() => chat.enter(name, "private", run)));
      assert.equal(entered.filter(({ made }) => made).length, 1);
      const [room, ...others] = new Set(entered.map((each) => each.room.id));
      assert.deepEqual(others, [], room);
      assert.equal((await say(entered[0]?.room.name ?? "", "Hello.", run))[0]?.type, "message-stored");
    }
  });

  it("say why one cannot be entered, also where the registry cannot be read again", async (context) => {
    const { world, chat } = await openTalk(context);
    const refusal = () => said(() => chat.enter("bob/attic", "private", world.run("owner")));
    const before = await refusal();
    context.mock.method(world.core.registry, "refresh", () => Promise.reject(new Error("gone")));
    assert.deepEqual(await refusal(), before);
  });

  it("take what somebody says of themselves for nobody else's", async (context) => {
    const { world, chat, say, heard, plan } = await openTalk(context);
    await world.core.principals.add({ name: "ada" });
    const [owner, ada] = [world.run("owner"), world.run("ada")];
    plan.model = false;
    await chat.open("desk", "private", ada);
    await say("desk", "Thanks, Owner! My necklace is from my aunt in Sweden.", ada);
    await say("desk", "Your chain is of silver, Owner, and I like it.", ada);
    await chat.open("lobby", "public", owner);
    await say("lobby", "Boats are fun.", owner);
    const heardOf = async (question: string): Promise<string> => {
      await say("desk", question, ada);
      return heard.memory.join(" | ");
    };
    assert.match(await heardOf("Where is the necklace of Ada from?"), /Sweden/);
    assert.match(await heardOf("Where is the necklace from?"), /Sweden/);
    assert.doesNotMatch(await heardOf("Where is the Owner's necklace from?"), /Sweden/);
    assert.match(await heardOf("Where is the Owner's chain from?"), /silver/);
  });

  it("are searched for what was said by one request, however many collections their store has", async (context) => {
    const { world, chat, say, heard, store } = await openTalk(context);
    const owner = world.run("owner");
    await chat.open("lobby", "public", owner);
    await say("lobby", "The moon is made of basalt.", owner);
    let lists = 0;
    const { collections, search } = store;
    const asked: string[] = [];
    Object.assign(store, {
      collections: async () => {
        lists += 1;
        return collections();
      },
      search: async (...request: Parameters<typeof search>) => {
        asked.push(request[0]);
        return search(...request);
      },
    });
    await say("lobby", "What is the moon made of?", owner);
    assert.match(heard.memory.join(" "), /basalt/);
    assert.deepEqual([lists, asked.length], [0, 1]);
  });

  it("give nobody's own answer back as evidence: what people said is, and an answer is not", async (context) => {
    const { world, chat, say, heard, plan, store } = await openTalk(context);
    const owner = world.run("owner");
    plan.model = false;
    await chat.open("lobby", "public", owner);
    await chat.open("desk", "private", owner);
    plan.quotes = "general_knowledge";
    await say("lobby", "What is the moon made of?", owner);
    plan.quotes = "";
    assert.equal((await chat.history("lobby", 1, owner))[0]?.content, secretOf("general_knowledge"));
    await say("desk", "What is the moon made of?", owner);
    assert.deepEqual(heard.memory, []);
    assert.ok(
      [...store.held.values()].flat().every(({ headings }) => headings[0]?.startsWith("user message")),
      "nor is it indexed",
    );
    const [answer] = await chat.history("lobby", 1, owner);
    const room = await lobbyOf(chat, owner);
    const kept = chunkOf({
      id: answer?.id ?? "",
      documentId: room,
      collection: [...store.held.keys()][0] ?? "",
      text: "The moon is cheese.",
    });
    await store.write(kept.collection, [{ chunk: kept, embedding: { dense: Float32Array.of(1, 0) } }]);
    await say("desk", "Of what is the moon made?", owner);
    assert.deepEqual(heard.memory, [], "not one that an earlier version indexed either");
  });

  it("keep an answer that does not say what it was made from to its asker, while all the asker could read stays readable", async (context) => {
    const { world, chat, say, plan } = await openTalk(context);
    const { principals, permissions } = world.core;
    for (const name of ["ada", "bob"]) await principals.add({ name, departments: ["hr"] });
    await permissions.put({
      subjectKind: "department",
      subject: "hr",
      effect: "allow",
      resource: "hr_private_docs",
      instance: "private",
    });
    await chat.open("lobby", "public", world.run("ada"));
    Object.assign(plan, { quotes: "general_knowledge", silent: true });
    await say("ada/lobby", "What is known?", world.run("ada"));
    const content = async (name: string) => (await chat.history("ada/lobby", 1, world.run(name)))[0]?.content;
    const answer = secretOf("general_knowledge");
    assert.deepEqual(
      [await content("ada"), await content("bob"), await content("owner")],
      [answer, withheldNotice, answer],
    );
    await permissions.put({
      subjectKind: "principal",
      subject: "ada",
      effect: "deny",
      resource: "hr_private_docs",
    });
    assert.equal(await content("ada"), withheldNotice);
  });

  it("give an agent what its own department may hear: the room it is asked in, public ones, and granted ones", async (context) => {
    const { world, chat, say, heard, plan } = await openTalk(context);
    const owner = world.run("owner");
    plan.model = false;
    for (const [name, visibility] of [
      ["desk", "private"],
      ["safe", "private"],
      ["lobby", "public"],
    ] as const) {
      await chat.open(name, visibility, owner);
      await say(name, `The word of the ${name}.`, owner, { decide: true });
    }
    plan.agent = agentOf({ name: "HR Assistant", department: "hr" });
    const hears = async () => {
      await say("desk", "Which words are there?", owner);
      return ["desk", "safe", "lobby"].filter((name) =>
        heard.memory.some((text) => text.includes(`word of the ${name}.`)),
      );
    };
    assert.deepEqual(await hears(), ["desk", "lobby"]);
    const rule = { subjectKind: "department", subject: "hr", resourceKind: "room" } as const;
    await world.core.permissions.put({ ...rule, effect: "allow", resource: "safe" });
    assert.deepEqual(await hears(), ["desk", "safe", "lobby"]);
    await world.core.permissions.put({ ...rule, effect: "deny", resource: "desk" });
    assert.deepEqual(await hears(), ["safe", "lobby"]);
  });
});

describe("a message", () => {
  const saying = (word: string, asked: string[]): LanguageModel => ({
    ...{ id: "fake", contextTokens: 2048, provider: "cpu", count: (text: string) => text.length },
    async *generate(messages, { grammar, temperature, maxTokens }) {
      assert.deepEqual([grammar, temperature, maxTokens <= 10], ['root ::= "YES" | "NO"', 0.1, true]);
      asked.push(messages.at(-1)?.text ?? "");
      yield { type: "text-delta", text: word };
      yield {
        type: "generation-end",
        reason: "stop",
        promptTokens: 1,
        reusedTokens: 0,
        outputTokens: 1,
        prefillMs: 0,
        decodeMs: 0,
      };
    },
    async [Symbol.asyncDispose]() {},
  });

  it("that wants no reply is stored, embedded and not answered", async (context) => {
    const asked: string[] = [];
    const { world, chat, say, store, heard } = await openTalk(context, saying("NO", asked));
    const owner = world.run("owner");
    await chat.open("lobby", "public", owner);
    const events = await say("lobby", "crane back at 7", owner, { decide: true });
    assert.deepEqual(
      events.map(({ type }) => type),
      ["message-stored", "silent"],
    );
    assert.deepEqual(asked, ["last message: crane back at 7"]);
    assert.equal([...store.held.values()].flat()[0]?.text, "owner: crane back at 7");
    assert.deepEqual(
      (await chat.history("lobby", 9, owner)).map(({ type }) => type),
      ["user"],
    );
    await say("lobby", "When is the crane back?", owner);
    assert.deepEqual(heard.memory, ["owner: crane back at 7"]);
  });

  it("that wants one is answered, and without --decide no model is asked", async (context) => {
    const asked: string[] = [];
    const { world, chat, say } = await openTalk(context, saying("YES", asked));
    const owner = world.run("owner");
    await chat.open("lobby", "public", owner);
    await say("lobby", "crane back at 7", owner, { decide: true });
    await say("lobby", "Thanks.", owner);
    assert.deepEqual([asked.length, (await chat.history("lobby", 9, owner)).length], [1, 4]);
  });

  it("that is empty or a document is refused before it is stored; one without words is stored and not answered", async (context) => {
    const { world, chat, say } = await openTalk(context);
    const owner = world.run("owner");
    await chat.open("lobby", "public", owner);
    for (const text of ["", " \n ", "x".repeat(100_000)])
      assert.equal((await said(() => say("lobby", text, owner))).code, "USAGE_INVALID");
    assert.equal((await chat.history("lobby", 9, owner)).length, 0);
    assert.equal((await say("lobby", "👍", owner)).at(-1)?.type, "silent");
    assert.equal((await chat.history("lobby", 9, owner)).length, 1);
  });
});

const people = ["ada", "bob", "cy"] as const;
const roomNames = ["r0", "r1", "r2", "r3"] as const;
const agents = [
  null,
  agentOf({ name: "General Assistant", department: "general" }),
  agentOf({ name: "HR Assistant", department: "hr" }),
];
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      room: fc.constantFrom(...roomNames),
      agent: fc.nat(2),
      quotes: fc.constantFrom("", ...places.map(([name]) => name)),
      model: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("rule" as const),
      subject: fc.constantFrom(...people, "hr"),
      effect: fc.constantFrom("allow" as const, "allow" as const, "deny" as const),
      level: fc.constantFrom(...accessLevels),
      resource: fc.constantFrom("*", ...roomNames, ...places.map(([name]) => name)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revoke" as const), at: fc.nat(9) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("remove" as const), room: fc.constantFrom(...roomNames) }),
  },
);
const story = fc.record({
  /** For each person, the rooms it may write to from the start. */
  writers: fc.tuple(...people.map(() => fc.subarray([...roomNames]))),
  rooms: fc.tuple(
    ...roomNames.map(() => fc.constantFrom("public" as const, "private" as const, "private" as const)),
  ),
  leaky: fc.boolean(),
  steps: fc.array(fc.tuple(fc.constantFrom(...people), step), { minLength: 4, maxLength: 24 }),
});

test("whatever is said where, nobody is answered with, or shown, what was said in a room or stands in a document that it may not read", async (context) => {
  const { world, chat, chats, store, fault, plan, heard, say } = await openTalk(context);
  const { principals, permissions } = world.core;
  for (const name of people) await principals.add({ name, departments: name === "ada" ? ["hr"] : [] });
  const owner = world.run("owner");
  let words = 0;
  let answers = 0;
  let seen = 0;

  const tell = async ({
    rooms,
    writers,
    leaky,
    steps,
  }: typeof story extends fc.Arbitrary<infer T> ? T : never): Promise<void> => {
    for (const { id } of await chats.rooms()) await chats.remove(id);
    await world.registry.statement("DELETE FROM permissions").run();
    store.held.clear();
    fault.leaky = leaky;
    const homes = new Map<string, readonly ["room" | "collection", string, Instance]>(
      places.map(([name, instance]) => [secretOf(name), ["collection", name, instance]]),
    );
    for (const [at, name] of roomNames.entries()) await chat.open(name, rooms[at] ?? "private", owner);
    for (const [at, subject] of people.entries())
      for (const resource of writers[at] ?? [])
        await permissions.put({ ...roomRule, subject, resource, level: "write" });
    /** Everything this text gives away must be readable by whoever sees it. */
    const check = async (text: string, name: string, where: string): Promise<void> => {
      for (const secret of text.match(/word\d+x|[a-z]+secret/g) ?? []) {
        const [kind, home, instance] = homes.get(secret) ?? ["room", "gone", "private"];
        const resource = { kind, name: home, instance, department: "" };
        const { effect } = decide({
          principal: await principals.get(name),
          agent: null,
          action: "read",
          resource,
          grants: await permissions.list(),
        });
        const there = kind === "collection" || (await chats.find(home)) !== undefined;
        assert.ok(effect === "allow" && there, `${name} got ${secret} of ${home} by ${where}`);
        seen += 1;
      }
    };
    for (const [name, what] of steps) {
      const run = world.run(name);
      if (what.do === "say") {
        const secret = `word${words++}x`;
        homes.set(secret, ["room", what.room, rooms[roomNames.indexOf(what.room)] ?? "private"]);
        Object.assign(plan, { agent: agents[what.agent] ?? null, quotes: what.quotes, model: what.model });
        Object.assign(heard, { memory: [], history: [] });
        const outcome = await said(() => say(what.room, `The word is ${secret}.`, run));
        if (outcome.code === "") answers += 1;
        await check(heard.memory.join(" "), name, "memory");
        await check(heard.history.join(" "), name, "history given to the answer");
        await check(outcome.text.replaceAll(secret, ""), name, "the events");
      } else if (what.do === "rule") {
        const kind =
          roomNames.some((room) => room === what.resource) || what.resource === "*"
            ? ("room" as const)
            : ("collection" as const);
        const { subject, effect, level, resource } = what;
        await permissions.put({
          subjectKind: subject === "hr" ? "department" : "principal",
          subject,
          effect,
          level,
          resource,
          resourceKind: kind,
        });
      } else if (what.do === "revoke") {
        const rules = await permissions.list();
        const rule = rules[what.at % Math.max(1, rules.length)];
        if (rule !== undefined) await permissions.remove({ id: rule.id });
      } else await said(() => chat.remove(what.room, run));
      for (const viewer of people) {
        const view = world.run(viewer);
        for (const room of roomNames) {
          const shown = await said(() => chat.history(room, 99, view));
          if (shown.code === "") await check(shown.text, viewer, `the history of ${room}`);
        }
      }
    }
  };
  await fc.assert(fc.asyncProperty(story, tell), { numRuns: Number(process.env["RAGCTL_ROOMS"] ?? 40) });
  assert.ok(answers > 60 && seen > 1000, `${answers} answers, ${seen} words seen`);
});
