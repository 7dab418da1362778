/**
 * One Kafka broker (KRaft, its own controller) on 127.0.0.1. Its jars come from Maven's repository by `mvn`
 * (about 45 MB, minutes the first time); Java 17 runs it with about 300 MB of memory.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execute, freePort, isListening, type RunningServer, ready, spawnServer, stopper } from "./server.ts";

const version = "4.1.0";

/** What Maven fetches: the broker, and a logger without which it stays silent. */
const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>ragctl</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`;

const jarsOf = (servers: string): string => join(servers, `kafka-${version}`);

/** Whether the broker's jars are below the folder of the servers, and Java is there to run them. */
export const hasKafka = (servers: string): boolean =>
  existsSync(jarsOf(servers)) && existsSync("/usr/bin/java");

/** Fetches the jars, unless they are there. @throws where Maven fails */
export async function getKafka(servers: string): Promise<void> {
  if (existsSync(jarsOf(servers))) return;
  await mkdir(servers, { recursive: true });
  const work = await mkdtemp(join(servers, "kafka-"));
  try {
    await writeFile(join(work, "pom.xml"), project);
    const jars = join(work, "jars");
    await execute(
      "mvn",
      ["--quiet", "--batch-mode", "dependency:copy-dependencies", `-DoutputDirectory=${jars}`],
      {
        cwd: work,
        maxBuffer: 2 ** 26,
      },
    );
    if ((await readdir(jars)).length === 0) throw new Error("Maven fetched no jars");
    await rename(jars, jarsOf(servers));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Users with their passwords, whom the broker then asks for; absent: everyone may. */
export type KafkaUsers = Readonly<Record<string, string>>;

export interface KafkaOptions {
  /** Default: a free one. A broker that starts again on its data needs its earlier one. */
  readonly port?: number;
  readonly users?: KafkaUsers;
  /** PEM file of the server's certificate with its key: clients then speak TLS. */
  readonly tlsPath?: string;
  readonly detached?: boolean;
}

/** Starts a broker on the data in `folder`, formatted when new, and waits until it listens. */
export async function startKafka(
  servers: string,
  folder: string,
  options: KafkaOptions = {},
): Promise<RunningServer> {
  const port = options.port ?? (await freePort());
  await mkdir(folder, { recursive: true });
  const configPath = join(folder, "server.properties");
  await writeFile(configPath, properties(folder, port, await freePort(), options));
  const java = ["-Xmx384m", "-Xms128m", "-XX:+UseSerialGC", "-cp", `${jarsOf(servers)}/*`];
  if (!existsSync(join(folder, "data"))) {
    const format = ["kafka.tools.StorageTool", "format", "--cluster-id", "ragctl-test-cluster-00"];
    await execute("java", [...java, ...format, "--config", configPath], { cwd: dirname(configPath) });
  }
  const logPath = join(folder, "kafka.log");
  const spawned = spawnServer("java", [...java, "kafka.Kafka", configPath], {
    cwd: folder,
    logPath,
    detached: options.detached,
  });
  const pid = await ready(spawned, () => isListening(port));
  return { pid, variables: { KAFKA_BROKERS: `127.0.0.1:${port}` }, stop: stopper(spawned) };
}

function properties(folder: string, port: number, controllerPort: number, options: KafkaOptions): string {
  const { users, tlsPath } = options;
  const protocol = `${users === undefined ? "" : "SASL_"}${tlsPath === undefined ? "PLAINTEXT" : "SSL"}`;
  const logins = Object.entries(users ?? {}).map(([name, password]) => `user_${name}="${password}"`);
  const login = `org.apache.kafka.common.security.plain.PlainLoginModule required ${logins.join(" ")};`;
  return [
    "process.roles=broker,controller",
    "node.id=1",
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `listeners=CLIENT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort},INTERNAL://127.0.0.1:0`,
    `advertised.listeners=CLIENT://127.0.0.1:${port},INTERNAL://127.0.0.1:0`,
    "controller.listener.names=CONTROLLER",
    "inter.broker.listener.name=INTERNAL",
    `listener.security.protocol.map=CLIENT:${protocol},CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT`,
    ...(users === undefined
      ? []
      : ["sasl.enabled.mechanisms=PLAIN", `listener.name.client.plain.sasl.jaas.config=${login}`]),
    ...(tlsPath === undefined
      ? []
      : [
          "listener.name.client.ssl.keystore.type=PEM",
          `listener.name.client.ssl.keystore.location=${tlsPath}`,
        ]),
    `log.dirs=${join(folder, "data")}`,
    "offsets.topic.replication.factor=1",
    "transaction.state.log.replication.factor=1",
    "transaction.state.log.min.isr=1",
    "share.coordinator.state.topic.replication.factor=1",
    "share.coordinator.state.topic.min.isr=1",
    "group.initial.rebalance.delay.ms=0",
    "",
  ].join("\n");
}
