import assert from "node:assert/strict";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Consumer, Producer } from "@platformatic/kafka";
import { brokeredQueue } from "../../../src/app/documents/brokered-queue.ts";
import { readMessage } from "../../../src/app/documents/queue-messages.ts";
import type { Job, Queue, QueueTransport } from "../../../src/core/documents/queue.ts";
import { createJobRepository } from "../../../src/registry/history/jobs.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { jobMessage, queueContract } from "../../contracts/queue.ts";
import { kafkaOf, kafkaSettings, noKafka, type TestBroker, transportOf } from "../../helpers/kafka.ts";
import { temporaryFolder } from "../../registry/support.ts";
import { openWorld } from "../world.ts";

const progress = { files: 1, totalFiles: 1, pages: 0, chunks: 1, failed: 0, etaMs: null };

test("a worker that does not want to wait joins no others where nothing waits at the broker", async (context) => {
  const database = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
  context.after(() => database.close());
  const jobs = createJobRepository(database);
  const calls: string[] = [];
  const transport: QueueTransport = {
    send: async () => void calls.push("send"),
    async receive() {
      calls.push("receive");
      return undefined;
    },
    bury: async () => void calls.push("bury"),
    async lag() {
      calls.push("lag");
      return 0;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const queue = brokeredQueue({
    jobs,
    transport: async () => transport,
    read: () => assert.fail("there is no message"),
  });
  const run = {
    signal: new AbortController().signal,
    log: { event: () => undefined, warn: (message: string) => assert.fail(message) },
  };
  assert.equal(await queue.claim("w", 30_000, { ms: 0, run }), undefined);
  const [job] = await jobs.push([jobMessage("/not-sent")]);
  assert.equal((await queue.claim("w", 30_000, { ms: 0, run }))?.id, job?.id);
  assert.deepEqual(calls, ["lag", "lag", "send"]);
});

test("a worker that does not want to wait leaves no job behind messages that are given again", async (context) => {
  const database = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
  context.after(() => database.close());
  const jobs = createJobRepository(database);
  const run = {
    signal: new AbortController().signal,
    log: { event: () => undefined, warn: () => undefined },
  };
  const [first] = await jobs.push([jobMessage("/first")]);
  let settleMs = 0;
  const transport: QueueTransport = {
    send: async () => undefined,
    // The same message each time, as from a broker that was killed before it noted that it was settled.
    receive: async () => ({
      key: "",
      value: Buffer.alloc(0),
      position: "jobs/0/0",
      settle: () => sleep(settleMs),
      giveBack: async () => undefined,
    }),
    bury: async () => undefined,
    lag: async () => 2,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const read = async () => ({ kind: "job" as const, id: first?.id ?? "" });
  const queue = brokeredQueue({ jobs, transport: async () => transport, read });
  assert.equal((await queue.claim("w", 30_000, { ms: 0, run }))?.id, first?.id);
  await queue.complete(first?.id ?? "", "w", progress);
  const [second] = await jobs.push([jobMessage("/second")]);
  // Longer than a worker looks for messages that is not to wait.
  settleMs = 1100;
  assert.equal((await queue.claim("w", 30_000, { ms: 0, run }))?.id, second?.id);
});

describe("a queue carried by Kafka", { skip: noKafka }, () => {
  const cleanup: (() => unknown)[] = [];
  let broker: TestBroker;
  let topics = 0;
  const nextTopic = (): string => `jobs-${topics++}`;
  before(async () => {
    broker = await kafkaOf({
      after: (work) => void cleanup.push(() => work?.({} as never, () => undefined)),
    });
  });
  after(async () => {
    for (const work of cleanup.reverse()) await work();
  });

  queueContract("Kafka over the registry", false, async (context) => {
    const path = join(temporaryFolder(context), "r.sqlite");
    const clock = { ms: 1_000_000 };
    const settings = kafkaSettings(broker.brokers, nextTopic());
    const connect = async () => {
      const database = await openRegistry(path);
      context.after(() => database.close());
      const jobs = createJobRepository(database, { maxAttempts: 3, backOffMs: 100, now: () => clock.ms });
      const transport = transportOf(context, settings);
      const read = async (delivery: { readonly value: Buffer }) => ({
        kind: "job" as const,
        id: String(JSON.parse(delivery.value.toString("utf8")).job_id),
      });
      return brokeredQueue({ jobs, transport, read });
    };
    return { queue: await connect(), connect, clock };
  });

  /** A world whose queue goes through the broker. */
  async function opened(context: unknown, given: { readonly foreignPrincipal?: string } = {}) {
    // `it` gives its functions the same context as `test`, under another type.
    const scope = context as TestContext;
    const { core, registry, ...world } = await openWorld(scope);
    const kafka = { ...kafkaSettings(broker.brokers, nextTopic()), ...given };
    const home = { ...core, settings: { ...core.settings, kafka } };
    const jobs = createJobRepository(registry, { backOffMs: 0 });
    const warnings: string[] = [];
    const run = {
      signal: new AbortController().signal,
      log: { event: () => undefined, warn: (message: string) => void warnings.push(message) },
    };
    const open = () =>
      brokeredQueue({
        jobs,
        transport: transportOf(scope, kafka),
        read: (delivery, log) => readMessage(delivery, home, log),
      });
    const take = (queue: Queue, ms = 0) => queue.claim("w", 30_000, { ms, run });
    return { ...world, core, kafka, jobs, warnings, open, queue: open(), take };
  }

  const produce = async (topic: string, values: readonly (string | Buffer)[]): Promise<void> => {
    const producer = new Producer({ clientId: "test", bootstrapBrokers: [broker.brokers] });
    await producer.send({ messages: values.map((value) => ({ topic, value: Buffer.from(value) })) });
    await producer.close(true);
  };

  /** Every message of a topic, its headers as text. */
  const consumed = async (topic: string, count: number) => {
    const consumer = new Consumer({
      clientId: "test",
      groupId: `reader-${topic}`,
      bootstrapBrokers: [broker.brokers],
    });
    const list: { readonly value: string; readonly reason: string; readonly code: string }[] = [];
    for await (const message of await consumer.consume({ topics: [topic], mode: "earliest" })) {
      const headers = new Map([...message.headers].map(([name, value]) => [String(name), String(value)]));
      const [reason = "", code = ""] = [headers.get("reason"), headers.get("reason-code")];
      list.push({ value: message.value.toString("utf8"), reason, code });
      if (list.length === count) break;
    }
    await consumer.close(true);
    return list;
  };

  const drained = async (queue: Queue, take: (queue: Queue) => Promise<Job | undefined>) => {
    const done: string[] = [];
    for (let job = await take(queue); job !== undefined; job = await take(queue)) {
      done.push(job.documentPath);
      await queue.complete(job.id, "w", progress);
    }
    return done.sort();
  };

  it("wakes a worker that waits, and has no lag when everything was taken", async (context) => {
    const { queue, open, take } = await opened(context);
    await queue.push([jobMessage("/first")]);
    assert.deepEqual(await drained(queue, take), ["/first"]);
    const waiting = take(queue, 30_000);
    const [job] = await open().push([jobMessage("/woken")]);
    const woken = await waiting;
    assert.equal(woken?.id, job?.id);
    await queue.complete(woken?.id ?? "", "w", progress);
    assert.deepEqual(await drained(queue, take), []);
    const { transport, lag, unsent } = await queue.status();
    assert.deepEqual([transport, lag, unsent], ["kafka", 0, 0]);
  });

  it("does nothing for messages that are given again, also all of them from the beginning", async (context) => {
    const { queue, jobs, kafka, take } = await opened(context);
    const paths = Array.from({ length: 20 }, (_, index) => `/document-${String(index).padStart(2, "0")}`);
    await queue.push(paths.map((path) => jobMessage(path)));
    const messages = await consumed(kafka.topic, paths.length);
    await produce(
      kafka.topic,
      messages.map(({ value }) => value),
    );
    assert.deepEqual(await drained(queue, take), paths);
    const replayed = brokeredQueue({
      jobs,
      transport: transportOf(context as never, { ...kafka, group: `${kafka.group}-again` }),
      read: async (delivery) => ({
        kind: "job",
        id: String(JSON.parse(delivery.value.toString("utf8")).job_id),
      }),
    });
    assert.deepEqual(await drained(replayed, take), []);
    assert.ok((await jobs.list()).every(({ state, attempts }) => state === "done" && attempts === 1));
  });

  it("puts messages that can never become jobs aside with their reason, and goes on", async (context) => {
    const { queue, kafka, take, warnings, core } = await opened(context, { foreignPrincipal: "feed" });
    const folder = realpathSync(temporaryFolder(context as never));
    await core.principals.add({ name: "feed", kind: "service", roots: [folder] });
    await queue.push([jobMessage("/mine")]);
    const poison: readonly (readonly [string | Buffer, RegExp])[] = [
      ["not json", /not JSON/],
      [Buffer.from([0xff, 0xfe, 0x00]), /not JSON/],
      ["[]", /no job/],
      [JSON.stringify({ document_path: join(folder, "a"), version: 2 }), /version 2/],
      [JSON.stringify({ document_path: "/etc/passwd" }), /may not ingest/],
      [JSON.stringify({ document_path: `${folder}/../x` }), /absolute path/],
      [JSON.stringify({ document_path: "relative" }), /absolute path/],
      [
        JSON.stringify({ document_path: join(folder, "a"), collection_target: "hr_private_docs" }),
        /no collection/,
      ],
      [JSON.stringify({ document_path: join(folder, "a"), collection_target: "x; drop" }), /collection/],
      [JSON.stringify({ document_path: "/mine", job_id: "00000000-0000-4000-8000-000000000000" }), /no job/],
      [JSON.stringify({ document_path: join(folder, "a"), department: "x".repeat(70_000) }), /longer/],
    ];
    await produce(
      kafka.topic,
      poison.map(([value]) => value),
    );
    assert.deepEqual(await drained(queue, take), ["/mine"]);
    const dead = await consumed(kafka.deadLetterTopic, poison.length);
    for (const [value, reason] of poison) {
      const found = dead.find((each) => each.value === Buffer.from(value).toString("utf8"));
      assert.match(found?.reason ?? "", reason, String(value).slice(0, 80));
      assert.notEqual(found?.code, "");
    }
    assert.equal(warnings.length, poison.length, warnings.join("\n"));
  });

  it("takes the message of another program as its principal's, once, however often it comes", async (context) => {
    const { queue, kafka, take, core, jobs } = await opened(context, { foreignPrincipal: "feed" });
    const folder = realpathSync(temporaryFolder(context as never));
    mkdirSync(join(folder, "in"));
    await core.principals.add({ name: "feed", kind: "service", roots: [folder] });
    const asked = {
      document_path: join(folder, "in"),
      department: "finance",
      collection_target: "auto",
      processing_priority: "normal",
      timestamp: "2026-01-01T00:00:00.000000",
    };
    // Joins the others, and makes the topic.
    assert.equal(await take(queue, 1), undefined);
    await produce(kafka.topic, [JSON.stringify(asked), JSON.stringify(asked)]);
    assert.deepEqual(await drained(queue, (each) => take(each, 3000)), [join(folder, "in")]);
    const [job, ...more] = await jobs.list();
    assert.deepEqual([job?.principal, job?.department, job?.priority, more], ["feed", "finance", 0, []]);
    assert.ok((job?.timestamp ?? "") > "2026-06", "its age counts from when it came");
  });

  it("accepts nobody's messages unless a principal with folders is named, and never as the owner", async (context) => {
    for (const [foreignPrincipal, reason] of [
      ["", /no principal is set/],
      ["owner", /cannot act as the owner/],
      ["nobody", /no principal/],
    ] as const) {
      const { queue, kafka, take, jobs } = await opened(context, { foreignPrincipal });
      assert.equal(await take(queue, 1), undefined);
      await produce(kafka.topic, [JSON.stringify({ document_path: "/etc/passwd" })]);
      assert.deepEqual(await drained(queue, (each) => take(each, 3000)), []);
      assert.match((await consumed(kafka.deadLetterTopic, 1))[0]?.reason ?? "", reason);
      assert.deepEqual(await jobs.list(), []);
    }
  });

  it("tells of a dead job in the dead letters too", async (context) => {
    const { queue, kafka, take } = await opened(context);
    const [job] = await queue.push([jobMessage("/gone")]);
    await take(queue);
    await queue.fail(
      job?.id ?? "",
      "w",
      { code: "SOURCE_MISSING", message: "/gone does not exist" },
      "final",
    );
    const [letter] = await consumed(kafka.deadLetterTopic, 1);
    assert.deepEqual([letter?.code, letter?.reason], ["SOURCE_MISSING", "/gone does not exist"]);
  });

  it("does each job once though the broker is killed twice, and reads on where it was", async (context) => {
    const { queue, jobs, take, warnings } = await opened(context);
    const done: string[] = [];
    for (const round of [0, 1, 2]) {
      if (round > 0) {
        await broker.kill();
        await broker.revive();
      }
      const paths = [1, 2, 3].map((at) => `/round-${round}-${at}`);
      // What the client believed to be connected is found lost by the first call.
      await queue.push(paths.map((path) => jobMessage(path))).catch(() => undefined);
      done.push(...(await drained(queue, take)));
    }
    const list = await jobs.list();
    assert.deepEqual(done, list.map(({ documentPath }) => documentPath).sort());
    assert.equal(list.length, 9);
    assert.ok(list.every(({ state, attempts }) => state === "done" && attempts === 1));
    assert.ok(warnings.length <= 1, warnings.join("\n"));
    const deadline = Date.now() + 60_000;
    while ((await queue.status()).lag !== 0 && Date.now() < deadline) await drained(queue, take);
    assert.deepEqual([(await queue.status()).lag, (await jobs.list()).length], [0, 9]);
  });

  it("keeps jobs while the broker is down, does them from the registry, and sends the rest later", async (context) => {
    const { queue, jobs, take, warnings, open } = await opened(context);
    await queue.push([jobMessage("/before")]);
    const held = await take(queue);
    await queue.push([jobMessage("/sent")]);
    await broker.kill();
    // Long enough for the client to give up while the worker has a job and asks it nothing.
    await sleep(20_000);
    await queue.complete(held?.id ?? "", "w", progress);
    await assert.rejects(open().push([jobMessage("/one"), jobMessage("/two")]), {
      code: "NETWORK_UNAVAILABLE",
      message: /^Kafka at 127\.0\.0\.1:\d+ does not respond: .*; 2 jobs are stored and sent later$/,
    });
    assert.equal((await jobs.unsent(9)).length, 2);
    const first = await take(queue);
    assert.notEqual(first, undefined, "a worker needs no broker");
    assert.equal(warnings.length, 1, warnings.join("\n"));
    assert.equal((await queue.status()).lag, null);
    await broker.revive();
    await queue.complete(first?.id ?? "", "w", progress);
    const late = open();
    const deadline = Date.now() + 60_000;
    while ((await jobs.unsent(9)).length > 0 && Date.now() < deadline) {
      const job = await take(late);
      if (job !== undefined) await late.complete(job.id, "w", progress);
    }
    await drained(late, take);
    assert.deepEqual(await jobs.unsent(9), []);
    // Who was connected before is connected again.
    await queue.push([jobMessage("/after")]);
    assert.deepEqual(await drained(queue, take), ["/after"]);
    assert.ok((await jobs.list()).every(({ state }) => state === "done"));
  });
});
