import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Admin, Consumer, Message, Producer } from "@platformatic/kafka";
import type { Delivery, QueueTransport } from "../../core/documents/queue.ts";
import { RagctlError } from "../../core/errors.ts";
import { lazy } from "../../core/lazy.ts";
import { z } from "../../core/schema.ts";
import { readUserFile } from "../../files.ts";

export interface KafkaOptions {
  /** `host:port`, with commas between. */
  readonly brokers: string;
  readonly topic: string;
  readonly group: string;
  readonly deadLetterTopic: string;
  /** Parts of a topic that is made here. */
  readonly partitions: number;
  readonly tls: "on" | "off";
  /** PEM files; "" for none. */
  readonly authorityFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly sasl: "off" | "plain" | "scram-sha-256" | "scram-sha-512";
  readonly username: string;
  readonly password: string;
}

/** A worker that says nothing for this long loses its share of the topic to the others, ms. */
const sessionMs = 20_000;

/** Longest wait for the broker to note that a message is settled: its job waits meanwhile, ms. */
const settleMs = 500;

/** Limits of one request to the broker: either a person waits for it, or a worker that has other ways. */
const patience = { connectTimeout: 3000, requestTimeout: 10_000, timeout: 5000, retries: 2, retryDelay: 500 };

const mechanisms = {
  plain: "PLAIN",
  "scram-sha-256": "SCRAM-SHA-256",
  "scram-sha-512": "SCRAM-SHA-512",
} as const;

/**
 * Opens the way to Kafka; it connects with the first call.
 * @throws CONFIG_INVALID for files that cannot be read
 */
export function openKafka(options: KafkaOptions): QueueTransport {
  const connection = lazy(async () => {
    const [kafka, base] = await Promise.all([import("@platformatic/kafka"), baseOptions(options)]);
    return { kafka, base };
  });
  const resources = new AsyncDisposableStack();
  const admin = lazy(async () => {
    const { kafka, base } = await connection();
    const client = new kafka.Admin(base);
    client.on("error", ignored);
    resources.defer(() => client.close());
    return client;
  });
  const topics = lazy(async () => makeTopics(await admin(), options));
  const producer = lazy(async () => {
    const { kafka, base } = await connection();
    // Acknowledged by every replica that keeps up, so that a broker that dies takes nothing along.
    const client: Producer = new kafka.Producer({ ...base, acks: -1 });
    client.on("error", ignored);
    resources.defer(() => client.close(true));
    return client;
  });
  const produce = (messages: Parameters<Producer["send"]>[0]["messages"]): Promise<void> =>
    reached(options, async () => {
      await topics();
      await (await producer()).send({ messages });
    });
  const reader = openReader(options, async () => {
    await topics();
    const { kafka, base } = await connection();
    return new kafka.Consumer({ ...base, groupId: options.group });
  });
  resources.use(reader);
  return {
    async send(messages) {
      if (messages.length === 0) return;
      await produce(
        messages.map(({ key, value }) => ({
          topic: options.topic,
          key: Buffer.from(key),
          value: Buffer.from(value),
        })),
      );
    },
    receive: reader.receive,
    bury: ({ key, value }, { code, message }) =>
      produce([
        {
          topic: options.deadLetterTopic,
          key: Buffer.from(key),
          value,
          headers: new Map([
            [Buffer.from("reason-code"), Buffer.from(code)],
            [Buffer.from("reason"), Buffer.from(message.slice(0, 1000))],
          ]),
        },
      ]),
    lag: () => reached(options, async () => lagOf(await admin(), options)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The call that an error belongs to raises it as well. */
const ignored = (): void => undefined;

async function baseOptions(options: KafkaOptions) {
  const { brokers, sasl, username, password, tls } = options;
  const files = { ca: options.authorityFile, cert: options.certificateFile, key: options.keyFile };
  const named = Object.entries(files).filter(([, path]) => path !== "");
  const read = await Promise.all(named.map(async ([member, path]) => [member, await readPem(path)] as const));
  return {
    ...patience,
    clientId: "ragctl",
    bootstrapBrokers: brokers.split(","),
    // RFC 6066 has no addresses as names of servers.
    ...(tls === "on" ? { tls: Object.fromEntries(read), tlsServerName: !/^[\d.]+:/.test(brokers) } : {}),
    ...(sasl === "off" ? {} : { sasl: { mechanism: mechanisms[sasl], username, password } }),
  };
}

async function readPem(path: string): Promise<string> {
  try {
    return (await readUserFile(path)).toString("utf8");
  } catch (cause) {
    throw new RagctlError("CONFIG_INVALID", `cannot read ${path}, a certificate or key for Kafka`, {
      hint: "use a PEM file that this user can read",
      cause,
    });
  }
}

/** Does `work`, its errors as ours. @throws NETWORK_UNAVAILABLE */
async function reached<T>(options: KafkaOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(options, error);
  }
}

function unavailable({ brokers }: KafkaOptions, error: unknown): RagctlError {
  if (error instanceof RagctlError) return error;
  return new RagctlError(
    "NETWORK_UNAVAILABLE",
    `Kafka at ${brokers} does not respond: ${innermost(error).message}`,
    {
      hint: "start the broker, or correct kafka.brokers and the sign-in settings",
      cause: error,
    },
  );
}

/** The client wraps what happened in lists of its attempts. */
function innermost(error: unknown): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors.at(-1));
  if (!(error instanceof Error)) return new Error(String(error));
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

/** Whether the broker said that it is not ready yet, as it does in its first seconds. */
function isNotReady(error: unknown): boolean {
  const { apiId } = z.object({ apiId: z.string() }).safeParse(innermost(error)).data ?? {};
  return apiId !== undefined && /COORDINATOR/.test(apiId);
}

async function makeTopics(admin: Admin, options: KafkaOptions): Promise<void> {
  const { topic, deadLetterTopic, partitions } = options;
  const known = new Set(await admin.listTopics());
  for (const [name, parts] of [
    [topic, partitions],
    [deadLetterTopic, 1],
  ] as const) {
    if (known.has(name)) continue;
    // -1: as many copies as the broker makes by default.
    const made = admin.createTopics({ topics: [{ topic: name, partitions: parts, replicas: -1 }] });
    // Another process may have made it meanwhile.
    await made.catch(async (error: unknown) => {
      if (!(await admin.listTopics()).includes(name)) throw error;
    });
  }
}

interface Reader extends AsyncDisposable {
  readonly receive: QueueTransport["receive"];
}

/** A consumer that has joined the group, and what it reads. */
interface Member {
  readonly consumer: Consumer;
  readonly messages: AsyncIterator<Message>;
}

async function join({ topic }: KafkaOptions, open: () => Promise<Consumer>): Promise<Member> {
  const consumer = await open();
  // An error outside a call is an event, and would end the process if unhandled.
  const opened: { stream?: Readable } = {};
  consumer.on("error", (error: Error) => opened.stream?.destroy(error));
  try {
    const stream = await consumer.consume({
      topics: [topic],
      mode: "committed",
      fallbackMode: "earliest",
      autocommit: false,
      sessionTimeout: sessionMs,
      heartbeatInterval: 3000,
      maxWaitTime: 500,
      // Messages read ahead wait for this worker although another may be idle.
      highWaterMark: 1,
    });
    opened.stream = stream.on("error", ignored);
    return { consumer, messages: stream[Symbol.asyncIterator]() };
  } catch (error) {
    await consumer.close(true).catch(() => undefined);
    throw error;
  }
}

/** Joins as soon as the broker is ready. */
async function joinReady(options: KafkaOptions, open: () => Promise<Consumer>): Promise<Member> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await join(options, open);
    } catch (error) {
      if (attempt === 10 || !isNotReady(error)) throw error;
      await sleep(1000);
    }
  }
}

/** Reads the topic as a member of the group; a reader that failed joins again with the next call. */
function openReader(options: KafkaOptions, open: () => Promise<Consumer>): Reader {
  let joined: Promise<Member> | undefined;
  let next: Promise<IteratorResult<Message>> | undefined;
  const leave = async (): Promise<void> => {
    const left = joined;
    joined = undefined;
    next = undefined;
    const { consumer } = (await left?.catch(() => undefined)) ?? {};
    await consumer?.close(true).catch(() => undefined);
  };
  const read = async (): Promise<IteratorResult<Message>> => {
    joined ??= joinReady(options, open);
    const { messages } = await joined;
    return messages.next();
  };
  return {
    async receive(waitMs, signal) {
      next ??= read();
      const result = await within(next, waitMs, signal).catch(async (error: unknown) => {
        if (!signal.aborted) await leave();
        throw signal.aborted ? error : unavailable(options, error);
      });
      if (result === undefined) return undefined;
      next = undefined;
      if (result.done !== true) return deliveryOf(result.value, leave);
      await leave();
      return undefined;
    },
    [Symbol.asyncDispose]: leave,
  };
}

/** The value of a promise, or undefined when it takes longer. */
async function within<T>(promised: Promise<T>, waitMs: number, signal: AbortSignal): Promise<T | undefined> {
  const over = new AbortController();
  try {
    const timer = sleep(waitMs, undefined, { signal: AbortSignal.any([signal, over.signal]) });
    timer.catch(() => undefined);
    return await Promise.race([promised, timer]);
  } finally {
    over.abort();
  }
}

function deliveryOf(message: Message, leave: () => Promise<void>): Delivery {
  const { topic, partition, offset, key, value } = message;
  return {
    key: key?.toString("utf8") ?? "",
    value: value ?? Buffer.alloc(0),
    position: `${topic}/${partition}/${offset}`,
    // A member that lost its partitions cannot settle, and a commit during a rebalance waits long. The
    // message is then delivered again and has no effect.
    async settle() {
      const committed = Promise.resolve(message.commit()).catch(() => undefined);
      await Promise.race([committed, sleep(settleMs)]);
    },
    // The next reader of the partition begins after the last settled message.
    giveBack: leave,
  };
}

async function lagOf(admin: Admin, { topic, group }: KafkaOptions): Promise<number> {
  if (!(await admin.listTopics()).includes(topic)) return 0;
  const { topics } = await admin.metadata({ topics: [topic] });
  const count = topics.get(topic)?.partitionsCount ?? 0;
  const partitions = Array.from({ length: count }, (_, partitionIndex) => ({
    partitionIndex,
    timestamp: -1n,
  }));
  const [ends, groups] = await Promise.all([
    admin.listOffsets({ topics: [{ name: topic, partitions }] }),
    admin.listConsumerGroupOffsets({ groups: [group] }).catch(() => []),
  ]);
  const settled = new Map(
    (groups[0]?.topics ?? [])
      .filter(({ name }) => name === topic)
      .flatMap((each) => each.partitions)
      .map(({ partitionIndex, committedOffset }) => [partitionIndex, committedOffset] as const),
  );
  const lags = (ends[0]?.partitions ?? []).map(({ partitionIndex, offset }) => {
    const from = settled.get(partitionIndex) ?? 0n;
    return Number(offset - (from < 0n ? 0n : from));
  });
  return lags.reduce((sum, lag) => sum + lag, 0);
}
