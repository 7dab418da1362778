import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type Chat, type ChatMessage, withheldNotice } from "../../src/app/ask/chat.ts";
import { audit } from "../../src/app/audit/audit.ts";
import { createAgentToolRepository } from "../../src/registry/company/agent-tools.ts";
import { createAgentRepository } from "../../src/registry/company/agents.ts";
import { createToolRepository } from "../../src/registry/company/tools.ts";
import { openWorld, said, secretOf, type World } from "./world.ts";

const hr = "hr_private_docs";
const unanswerable = "Which lawyer handled Zebulon Quark's severance dispute in Reykjavik in 1987?";
const warnings = "Which disciplinary warnings does Omar Vexley have on file?";

interface Office {
  readonly world: World;
  readonly chat: Chat;
  /** Says something in the public room `lobby` as ada of HR; the status of the reply. */
  ask(text: string, room?: string, as?: string): Promise<string>;
  /** The last message of a room as somebody sees it. */
  last(viewer: string, room?: string): Promise<ChatMessage>;
}

/** Rooms over the real graph: ada is of HR, which may read its collection; bob is of no department. */
async function openOffice(context: TestContext): Promise<Office> {
  const world = await openWorld(context);
  const { principals, permissions } = world.core;
  await principals.add({ name: "ada", departments: ["hr"] });
  await principals.add({ name: "bob" });
  await permissions.put({
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resource: hr,
    instance: "private",
  });
  const chat = await world.core.app.chat();
  for (const resource of ["lobby", "hall"]) {
    await chat.open(resource, "public", world.run("owner"));
    await permissions.put({
      subjectKind: "principal",
      subject: "ada",
      effect: "allow",
      resourceKind: "room",
      resource,
      level: "write",
    });
  }
  return {
    world,
    chat,
    async ask(text, room = "lobby", as = "ada") {
      const events = await Array.fromAsync(
        chat.say({ room, text, decide: false, topK: 5, collections: [] }, world.run(as)),
      );
      const end = events.find((event) => event.type === "answer-end");
      return end?.type === "answer-end" ? end.answer.verdict.status : "silent";
    },
    async last(viewer, room = "lobby") {
      const message = (await chat.history(room, 1, world.run(viewer)))[0];
      if (message === undefined) throw new TypeError("nothing was said");
      return message;
    },
  };
}

describe("a reply in a room that others read", () => {
  it("that refuses and names what came nearest is withheld from whoever may not read that", async (context) => {
    const { world, ask, last } = await openOffice(context);
    assert.equal(await ask(unanswerable), "refused");
    assert.match((await last("ada")).content, new RegExp(secretOf(hr)));
    assert.match((await last("owner")).content, new RegExp(secretOf(hr)));
    assert.deepEqual(
      [(await last("bob")).content, (await last("bob")).author],
      [withheldNotice, "assistant"],
    );
    await world.core.permissions.put({
      subjectKind: "principal",
      subject: "ada",
      effect: "deny",
      resource: hr,
    });
    assert.equal((await last("ada")).content, withheldNotice, "a denial holds for whoever asked, too");
  });

  it("stays withheld once its collection is gone and another one has the name", async (context) => {
    const { world, ask, last } = await openOffice(context);
    const { core, run } = world;
    const query = "what documents do you have?";
    await ask(query);
    await Array.fromAsync(core.app.ask({ query, topK: 5, collections: [] }, { ...run("ada"), id: "alone" }));
    const logged = async () => (await core.app.runRecord("alone", run("ada"))).answer?.response ?? "";
    for (const text of [(await last("ada")).content, await logged()])
      assert.match(text, new RegExp(secretOf(hr)));
    await core.app.forgetCollection(hr, run("owner"));
    await setTimeout(5);
    const spec = { name: hr, dimensions: 2, lexical: "bm25" as const, fingerprint: "fake:1" };
    await core.collections.ensure({ ...spec, instance: "public", embedder: "fake" });
    assert.ok((await core.app.collections(run("bob"))).some(({ name }) => name === hr));
    for (const viewer of ["ada", "bob"]) assert.equal((await last(viewer)).content, withheldNotice);
    assert.match((await last("owner")).content, new RegExp(secretOf(hr)));
    assert.match(await logged(), /^\(withheld/);
    await assert.rejects(core.app.replay("alone", "now", run("ada")), {
      code: "PERMISSION_DENIED",
    });
  });

  it("that tells of collections, counts or titles is withheld from whoever may not see them; a greeting is not", async (context) => {
    const { ask, last } = await openOffice(context);
    assert.equal(await ask("I need information"), "clarify");
    assert.match((await last("ada")).content, /secret/);
    assert.equal((await last("bob")).content, withheldNotice);
    assert.equal(await ask("Which collections do you have?", "hall"), "direct");
    assert.match((await last("ada", "hall")).content, new RegExp(hr));
    assert.equal((await last("bob", "hall")).content, withheldNotice);
    assert.equal(await ask("Hello"), "direct");
    assert.match((await last("bob")).content, /^Hello!/);
  });

  it("made of what a tool found is for whoever may use the tool, as long as they may", async (context) => {
    const { world, chat, ask, last } = await openOffice(context);
    const { permissions, principals } = world.core;
    await principals.add({ name: "cy", departments: ["hr"] });
    await createToolRepository(world.registry).add({
      name: "Warnings",
      type: "generic",
      permissions: { departments: ["hr"] },
      config: {
        description: "Looks up disciplinary warnings.",
        examples: [warnings],
        argv: [process.execPath, "-p", "'Omar Vexley: 3 warnings for theft.'"],
      },
    });
    await createAgentRepository(world.registry).add({ name: "Clerk", department: "general" });
    const clerk = await createAgentRepository(world.registry).idOf("Clerk");
    await createAgentToolRepository(world.registry).give(
      clerk,
      await createToolRepository(world.registry).idOf("Warnings"),
    );
    await ask(warnings);
    assert.match((await last("ada")).content, /3 warnings for theft/);
    assert.match((await last("cy")).content, /3 warnings for theft/);
    assert.equal((await last("bob")).content, withheldNotice);
    const own = (await chat.open("den", "private", world.run("bob"))).name;
    await ask(warnings, own, "bob");
    assert.doesNotMatch((await last("bob", own)).content, /theft/);
    await permissions.put({
      subjectKind: "principal",
      subject: "cy",
      effect: "deny",
      resourceKind: "tool",
      resource: "Warnings",
    });
    assert.equal((await last("cy")).content, withheldNotice);
    await createToolRepository(world.registry).remove("Warnings");
    assert.deepEqual(
      [(await last("ada")).content, /theft/.test((await last("owner")).content)],
      [withheldNotice, true],
      "nobody may use a tool that is gone",
    );
  });

  it("names its agent to whoever may use the agent, and is withheld from the owner too where the owner is denied", async (context) => {
    const { world, ask, last } = await openOffice(context);
    await ask(unanswerable, "hall");
    await createAgentRepository(world.registry).add({ name: "HR Assistant", department: "hr" });
    const question = "What is the generalknowledgesecret of part 0?";
    const chat = await world.core.app.chat();
    const request = {
      room: "lobby",
      text: question,
      decide: false,
      topK: 5,
      collections: ["general_knowledge"],
      agent: "HR Assistant",
    };
    await Array.fromAsync(chat.say(request, world.run("ada")));
    assert.notEqual((await last("bob")).content, withheldNotice);
    assert.deepEqual(
      [(await last("ada")).author, (await last("bob")).author, (await last("owner")).author],
      ["HR Assistant", "assistant", "HR Assistant"],
    );
    assert.match((await last("owner", "hall")).content, new RegExp(secretOf(hr)));
    await world.core.permissions.put({
      subjectKind: "principal",
      subject: "owner",
      effect: "deny",
      resource: hr,
    });
    assert.equal((await last("owner", "hall")).content, withheldNotice);
  });

  it("is made of documents before what was said, which takes the place of none", async (context) => {
    const { world, chat } = await openOffice(context);
    const say = (room: string, text: string, decide: boolean) =>
      Array.fromAsync(chat.say({ room, text, decide, topK: 5, collections: [] }, world.run("owner")));
    await say("hall", "The companypoliciessecret of part 7 was moved by Ida.", true);
    await say("hall", "the companypoliciessecret of part 0", true);
    const events = await say("lobby", "Which part is the companypoliciessecret of?", false);
    const end = events.find((event) => event.type === "answer-end");
    assert.ok(end?.type === "answer-end");
    const methods = end.answer.context.passages.map(({ chunk }) => chunk.method);
    assert.ok(methods.length > 1 && methods.at(-1) === "chat", methods.join(" "));
    assert.equal(
      methods.indexOf("chat"),
      methods.length - methods.filter((method) => method === "chat").length,
      methods.join(" "),
    );
    assert.ok(
      end.answer.context.passages.some(
        ({ chunk, text }) => chunk.method !== "chat" && text.includes("the companypoliciessecret of part 0"),
      ),
    );
  });

  it("that fails is not in the room: only the question is", async (context) => {
    const { world, ask, last } = await openOffice(context);
    await world.registry
      .statement(`CREATE TRIGGER full BEFORE INSERT ON chat_messages WHEN NEW.type = 'assistant'
        BEGIN SELECT RAISE(ABORT, 'no room'); END`)
      .run();
    await assert.rejects(ask("Who sings?"), /no room/);
    assert.deepEqual([(await last("bob")).type, (await last("bob")).content], ["user", "Who sings?"]);
  });

  it("to a question for an agent that is none is refused, and nothing of it is kept", async (context) => {
    const { world, chat } = await openOffice(context);
    const request = { room: "lobby", text: "Who sings?", decide: false, topK: 5, collections: [] };
    const say = () => Array.fromAsync(chat.say({ ...request, agent: "nobody" }, world.run("ada")));
    assert.equal((await said(say)).code, "NOT_FOUND");
    assert.deepEqual(await chat.history("lobby", 1, world.run("ada")), []);
  });
});

describe("an audit of rooms", () => {
  const leaksOf = async (world: World) => {
    const end = (await Array.fromAsync(audit(world.core, null, world.run("owner")))).at(-1);
    assert.ok(end?.type === "audit-end");
    assert.deepEqual(
      end.principals.flatMap(({ controlsFailed }) => controlsFailed),
      [],
    );
    return [...new Set(end.leaks.map(({ attempt }) => attempt))].sort();
  };

  it("finds nothing, and once replies are kept with wrong sources finds every kind that tells of something", async (context) => {
    const { world } = await openOffice(context);
    assert.deepEqual(await leaksOf(world), []);
    await world.registry
      .statement(`CREATE TRIGGER forgetful AFTER INSERT ON chat_messages WHEN NEW.type = 'assistant'
      BEGIN UPDATE chat_messages SET sources = '[]' WHERE id = NEW.id; END`)
      .run();
    assert.deepEqual(
      await leaksOf(world),
      ["a clarification", "a greeting", "a refusal", "a tool result", "an answer"].map(
        (kind) => `history of a room after ${kind}`,
      ),
    );
  });
});
