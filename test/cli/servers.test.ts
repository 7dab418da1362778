import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { kafkaOf, noKafka } from "../helpers/kafka.ts";
import { milvusFixture, skipMilvus } from "../helpers/milvus-servers.ts";
import { postgresMissing, startPostgres } from "../helpers/postgres.ts";
import { noRedis, redisOf } from "../helpers/redis.ts";
import { documents, openHome, skipChain } from "./support.ts";
import { assertStatuses, essence, type Printed, type Step, transcript } from "./transcript.ts";

const skip =
  skipChain || skipMilvus("standalone") || skipMilvus("lite") || postgresMissing || noRedis || noKafka;

const torque = "What~is~the~tightening~torque~of~the~casing~cover~bolts~on~the~HP-200~pump?";
const leave = "How~many~weeks~of~parental~leave~may~each~parent~take?";

/** The scene of the README, and what follows it in the life of a home. */
function scene(notes: string): readonly Step[] {
  const asked = ["hr_manager", "finance_analyst", "engineer"].map((principal) => ({
    command: `ask --as ${principal} ${leave}`,
    ...(principal === "engineer" ? { status: 5 } : {}),
  }));
  return [
    // Two principals and one rule: an audit of the seeded company takes minutes.
    { command: "principals add ada --department hr" },
    { command: "collections describe hr_private_docs --instance private --description Personnel~rules" },
    { command: "permissions grant read hr_private_docs --department hr" },
    { command: "permissions audit" },
    { command: "permissions revoke hr_private_docs --department hr" },
    { command: "principals remove ada" },
    { command: "collections remove hr_private_docs --yes" },
    { command: "agents seed" },
    { command: "ingest DOCUMENTS/policy_handbook.pdf -c hr_private_docs" },
    { command: "ingest DOCUMENTS/equipment_manual.pdf -c engineering_private_docs" },
    { command: "ingest DOCUMENTS/policy_handbook.pdf -c hr_private_docs" },
    ...asked,
    { command: `search --as engineer ${leave}` },
    { command: `search --as engineer ${torque}` },
    { command: "ingest DOCUMENTS -c plant" },
    ...["hybrid", "dense", "lexical"].map((mode) => ({
      command: `search ${torque} -c plant --mode ${mode} --top-k 10 --explain`,
    })),
    { command: "search --batch QUESTIONS --top-k 5" },
    { command: `ask ${torque} -c plant` },
    { command: "ask Who~won~the~chess~championship~in~Reykjavik~in~1972? -c plant", status: 5 },
    {
      command: "sync NOTES -c notes",
      async before() {
        await rm(notes, { recursive: true, force: true });
        await mkdir(notes, { recursive: true });
        for (let at = 0; at < 8; at++) await writeFile(join(notes, `station${at}.md`), station(at));
      },
    },
    {
      command: "sync NOTES -c notes",
      async before() {
        await appendFile(join(notes, "station0.md"), "\nIt weighs 80 kg.\n");
        await rename(join(notes, "station1.md"), join(notes, "moved.md"));
        await rm(join(notes, "station2.md"));
        await writeFile(join(notes, "copy.md"), station(3));
      },
    },
    { command: "sync" },
    { command: "duplicates" },
    { command: "history station0.md" },
    { command: "diff station0.md" },
    { command: "restore station0.md 1" },
    { command: "search How~much~does~the~valve~of~station~0~weigh -c notes" },
    { command: "forget station4.md --yes" },
    { command: "reembed -c notes" },
    { command: "reembed --rollback notes" },
    { command: "search valve~of~station~5 -c notes" },
    { command: "show station5.md" },
    { command: "prune" },
    {
      command: "chat --room workshop --public",
      input:
        "At which pressure does the valve of station 5 open?\nAnd who checks it?\nThe hook was painted red by Ida.\nWho painted the hook?\n",
    },
    { command: "chat history workshop" },
    { command: "chat list" },
    { command: "ingest NOTES -c later --background" },
    { command: "worker --once" },
    { command: "queue list" },
    { command: "list" },
    { command: "collections" },
    { command: "permissions list" },
    { command: "permissions decisions" },
    { command: "collections remove later" },
    { command: "logs --limit 5" },
  ];
}

const station = (at: number): string =>
  `# Station ${at}\n\nThe valve of station ${at} opens at ${at + 3} bar and is checked by crew ${at * 7}.\n`;

describe("the scene of the README on servers", { skip, timeout: 1_800_000 }, () => {
  const cleanup: (() => unknown)[] = [];
  const scope = { after: (work?: unknown) => void cleanup.push(work as () => unknown) };
  const [standalone, lite] = [milvusFixture("standalone"), milvusFixture("lite")];
  const base = mkdtempSync(join(tmpdir(), "ragctl-scene-"));
  const notes = join(base, "notes");
  let expected: readonly Printed[];

  const played = async (settings: string): Promise<readonly Printed[]> => {
    await using home = await openHome(settings);
    const steps = scene(notes);
    const printed = await transcript(home, steps, {
      DOCUMENTS: documents,
      NOTES: notes,
      QUESTIONS: join(documents, "../questions.jsonl"),
    });
    assertStatuses(printed, steps);
    return printed;
  };
  before(async () => {
    expected = await played("");
  });
  after(async () => {
    await Promise.all([standalone.dispose(), lite.dispose()]);
    for (const work of cleanup.reverse()) await work();
    rmSync(base, { recursive: true, force: true });
  });

  it("finds and answers the same on PostgreSQL and Milvus 2.3.5 as in one home", async () => {
    const postgres = await startPostgres(scope as never);
    const { uri } = await standalone.start();
    const actual = await played(
      `registry:\n  url: ${postgres.address()}\nmilvus:\n  publicUri: ${uri}\n  privateUri: ${uri}\n`,
    );
    assert.deepEqual(actual.map(essence), expected.map(essence));
  });

  it("finds and answers the same on PostgreSQL, milvus-lite 3.2.2, Redis and Kafka as in one home", async () => {
    const postgres = await startPostgres(scope as never);
    const [{ uri }, redis, kafka] = await Promise.all([
      lite.start(),
      redisOf(scope as never),
      kafkaOf(scope as never),
    ]);
    const actual = await played(
      `registry:\n  url: ${postgres.address()}\nmilvus:\n  publicUri: ${uri}\n  privateUri: ${uri}\ncache:\n  redisUrl: ${redis.url}\nkafka:\n  brokers: ${kafka.brokers}\n`,
    );
    assert.deepEqual(actual.map(essence), expected.map(essence));
  });
});
