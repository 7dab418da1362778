import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createKeyRepository } from "../../src/registry/company/keys.ts";
import { createPrincipalRepository } from "../../src/registry/company/principals.ts";
import type { Database } from "../../src/registry/database.ts";
import { createSeenFileRepository } from "../../src/registry/documents/seen-files.ts";
import { copyRegistry, tables } from "../../src/registry/exchange/copy.ts";
import { seed } from "../../src/registry/exchange/seed.ts";
import { createChatRepository } from "../../src/registry/history/chats.ts";
import { createJobRepository } from "../../src/registry/history/jobs.ts";
import { moveRegistry } from "../../src/registry/move.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { jobMessage } from "../contracts/queue.ts";
import { postgresMissing, startPostgres } from "../helpers/postgres.ts";
import { temporaryFolder } from "./support.ts";

/** A registry with rows of every type of column: text with odd characters, fractions, bytes, nulls. */
async function filled(context: TestContext, path: string): Promise<Database> {
  const database = await openRegistry(path);
  context.after(() => database.close());
  await seed(database);
  const chats = createChatRepository(database);
  const room = await chats.add("Größe", "public");
  for (const content of ["a\0b", "\uD800 half", "😀", "'; DROP TABLE agents; --"])
    await chats.say(room.id, { author: "owner", type: "user", content });
  const owner = await createPrincipalRepository(database).get("owner");
  await createKeyRepository(database).add(
    "0123456789ab",
    owner.id,
    {},
    { salt: Buffer.from([0, 255]), hash: Buffer.alloc(32) },
  );
  await createJobRepository(database).push([3, 1, 2].map((priority) => jobMessage("/d", priority)));
  const file = {
    sizeBytes: 2 ** 40,
    mtimeMs: 1_700_000_000_000.123,
    inode: "1",
    sha256: "a",
    fingerprint: "f",
  };
  const rest = { outcome: "ready", code: "", reason: "", seenAtMs: 0.1 + 0.2 } as const;
  const paths = Array.from({ length: 1234 }, (_, index) => `/srv/${index}`);
  await createSeenFileRepository(database).put(
    "c",
    paths.map((each) => ({ path: each, ...file, ...rest })),
  );
  return database;
}

test("every table of the schema is copied", async (context) => {
  const database = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
  context.after(() => database.close());
  const made = await database
    .statement<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all();
  assert.deepEqual(tables.map(([name]) => name).toSorted(), made.map(({ name }) => name).toSorted());
});

test("a registry moves to PostgreSQL and back, and is the same at every place", {
  skip: postgresMissing,
}, async (context) => {
  const folder = temporaryFolder(context);
  const server = await startPostgres(context);
  const first = await filled(context, join(folder, "r.sqlite"));
  const address = server.address();
  const there = await moveRegistry(first, address, folder);
  assert.equal(there.tables.find(({ name }) => name === "seen_files")?.rows, 1234);
  assert.ok(!there.to.includes("secret"));
  const moved = await openRegistry(address);
  context.after(() => moved.close());
  const back = await moveRegistry(moved, "sqlite:back.sqlite", folder);
  assert.deepEqual(back.tables, there.tables);
  const [job] = await createJobRepository(moved).list([], 1);
  assert.equal(job?.priority, 3);
  assert.equal((await createChatRepository(moved).rooms())[0]?.messages, 4);
});

test("a registry is never copied over another, and a copy that fails leaves nothing", {
  skip: postgresMissing,
}, async (context) => {
  const folder = temporaryFolder(context);
  const server = await startPostgres(context);
  const first = await filled(context, join(folder, "r.sqlite"));
  const address = server.address("busy");
  await moveRegistry(first, address, folder);
  await assert.rejects(moveRegistry(first, address, folder), {
    code: "USAGE_INVALID",
    message: /is not empty: it has rows in agents, tools/,
  });
  await assert.rejects(moveRegistry(first, "mysql://u:hunter2@h/d", folder), (error: Error) => {
    assert.ok(!error.message.includes("hunter2"));
    return true;
  });
  const broken = await openRegistry(server.address("broken"));
  context.after(() => broken.close());
  await broken.statement("ALTER TABLE chat_messages ADD CHECK (position < 2)").run();
  await assert.rejects(() => copyRegistry(first, broken, "write"), /chat_messages/);
  assert.equal((await createPrincipalRepository(broken).list()).length, 1);
  assert.deepEqual(await broken.statement("SELECT id FROM agents").all(), []);
});
