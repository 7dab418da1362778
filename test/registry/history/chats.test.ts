import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createPermissionRepository } from "../../../src/registry/company/permissions.ts";
import type { Database } from "../../../src/registry/database.ts";
import { type Chats, createChatRepository } from "../../../src/registry/history/chats.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { registryPlace } from "../support.ts";

async function opened(
  context: TestContext,
): Promise<{ readonly path: string; readonly database: Database; readonly chats: Chats }> {
  const path = registryPlace(context);
  const database = await openRegistry(path);
  context.after(() => database.close());
  return { path, database, chats: createChatRepository(database) };
}

const user = (content: string) => ({ author: "ada", type: "user" as const, content });

test("messages keep their order within a room, and the newest are read oldest first", async (context) => {
  const { chats } = await opened(context);
  const [one, two] = [await chats.add("workshop", "public"), await chats.add("office", "private")];
  for (const content of ["a", "b", "c"]) await chats.say(one.id, user(content));
  await chats.say(two.id, user("x"));
  assert.deepEqual(
    (await chats.history(one.id, 2)).map(({ content, position }) => [content, position]),
    [
      ["b", 1],
      ["c", 2],
    ],
  );
  assert.deepEqual(
    (await chats.rooms()).map(({ name, messages, visibility }) => [name, messages, visibility]),
    [
      ["office", 1, "private"],
      ["workshop", 3, "public"],
    ],
  );
});

test("an answer comes back with its citations and sources", async (context) => {
  const { chats } = await opened(context);
  const room = await chats.add("workshop", "public");
  const citation = {
    ...{ marker: 1, chunkId: "c-0", sourceFile: "manual.pdf", sourcePath: "/manual.pdf", pages: [2] },
    ...{ section: "Seals", collection: "manuals", quote: 'It says "42 Nm".', quotes: ['It says "42 Nm".'] },
  };
  const said = await chats.say(room.id, {
    author: "assistant",
    type: "assistant",
    content: "42 Nm [1].",
    citations: [citation],
    sources: ["s"],
  });
  assert.deepEqual(await chats.history(room.id, 9), [said]);
  assert.deepEqual([...(await chats.standing([said.id, "no such id"]))], [[said.id, said]]);
});

test("a name is taken whatever its case, and what cannot be a name is refused by the field", async (context) => {
  const { chats } = await opened(context);
  await chats.add("Workshop", "public");
  assert.equal((await chats.find("WORKSHOP"))?.name, "Workshop");
  await assert.rejects(() => chats.add("workshop", "private"), {
    code: "USAGE_INVALID",
    message: /cannot create a chat named/,
  });
  for (const name of ["", " a", "*", "a\u0007", "a\u202e", "x".repeat(202)])
    await assert.rejects(
      () => chats.add(name, "public"),
      { code: "USAGE_INVALID", message: /the name of the chat/ },
      JSON.stringify(name),
    );
  for (const name of ["' OR 1=1 --", '" or 1==1', "phòng họp"])
    assert.equal((await chats.find((await chats.add(name, "public")).name))?.messages, 0);
});

test("a removed room takes its messages and the rules about it along, and nothing of another", async (context) => {
  const { chats, database } = await opened(context);
  const permissions = createPermissionRepository(database);
  const [one, two] = [await chats.add("Workshop", "private"), await chats.add("office", "private")];
  const said = await chats.say(one.id, user("a"));
  const kept = await chats.say(two.id, user("b"));
  for (const resource of ["workshop", "office", "*"])
    await permissions.put({
      subjectKind: "department",
      subject: "hr",
      effect: "allow",
      resourceKind: "room",
      resource,
    });
  await permissions.put({
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resource: "workshop",
    instance: "public",
  });
  assert.equal(await chats.remove(one.id), 1);
  assert.equal(await chats.find("workshop"), undefined);
  assert.deepEqual([...(await chats.standing([said.id, kept.id])).keys()], [kept.id]);
  assert.deepEqual(
    (await permissions.list()).map(({ resourceKind, resource }) => `${resourceKind} ${resource}`),
    ["collection workshop", "room *", "room office"],
  );
  await assert.rejects(() => chats.say(one.id, user("late")), {
    code: "NOT_FOUND",
    message: /removed in the meantime/,
  });
});

test("two openers of one file write one order", async (context) => {
  const { chats, path } = await opened(context);
  const room = await chats.add("workshop", "public");
  const other = await openRegistry(path);
  context.after(() => other.close());
  const there = createChatRepository(other);
  for (let at = 0; at < 10; at++) await (at % 2 === 0 ? chats : there).say(room.id, user(String(at)));
  const texts = Array.from({ length: 10 }, (_, at) => String(at));
  assert.deepEqual(
    (await there.history(room.id, 99)).map(({ content }) => content),
    texts,
  );
});
