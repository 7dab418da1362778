import type { TestContext } from "node:test";
import { hasKafka, type KafkaOptions, startKafka } from "../../scripts/servers/kafka.ts";
import type { RunningServer } from "../../scripts/servers/server.ts";
import type { QueueTransport } from "../../src/core/documents/queue.ts";
import { openKafka } from "../../src/drivers/queues/kafka.ts";
import { temporaryFolder } from "../registry/support.ts";

/** Folder with the programs of servers, as `node scripts/servers.ts fetch --folder F` leaves in `F/programs`. */
const programs = process.env["RAGCTL_TEST_SERVERS"] ?? "";

/** Why tests of Kafka are skipped; false where they are not. Maven takes minutes, so that no test runs it. */
export const noKafka: string | false =
  programs !== "" && hasKafka(programs)
    ? false
    : "no Kafka: run node scripts/servers.ts fetch kafka --folder F and set RAGCTL_TEST_SERVERS=F/programs";

/** A broker of this test alone. */
export interface TestBroker {
  readonly brokers: string;
  /** Ends it at once. */
  kill(): Promise<void>;
  /** Starts it again on its data. */
  revive(): Promise<void>;
}

/** Starts a broker that ends with the test. */
export async function kafkaOf(
  context: Pick<TestContext, "after">,
  options: KafkaOptions = {},
): Promise<TestBroker> {
  const folder = temporaryFolder(context);
  let server: RunningServer = await startKafka(programs, folder, options);
  const brokers = server.variables["KAFKA_BROKERS"] ?? "";
  const port = Number(brokers.split(":")[1]);
  const kill = () => server.stop("SIGKILL");
  context.after(kill);
  return {
    brokers,
    kill,
    async revive() {
      server = await startKafka(programs, folder, { ...options, port });
    },
  };
}

/** Settings of Kafka with a topic of their own. */
export const kafkaSettings = (brokers: string, topic: string) =>
  ({
    brokers,
    topic,
    group: `${topic}-group`,
    deadLetterTopic: `${topic}-dead`,
    partitions: 3,
    tls: "off",
    authorityFile: "",
    certificateFile: "",
    keyFile: "",
    sasl: "off",
    username: "",
    password: "",
    foreignPrincipal: "",
  }) as const;

/** A transport that ends with the test. */
export function transportOf(
  context: Pick<TestContext, "after">,
  settings: Parameters<typeof openKafka>[0],
): () => Promise<QueueTransport> {
  const transport = openKafka(settings);
  context.after(() => transport[Symbol.asyncDispose]());
  return async () => transport;
}
