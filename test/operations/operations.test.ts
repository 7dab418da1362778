import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { type Canary, nonexistentCanary, replyKinds } from "../../src/app/audit/attempt.ts";
import { z } from "../../src/core/schema.ts";
import { toolOf } from "../../src/mcp/operations.ts";
import { operations } from "../../src/operations/all.ts";
import { describeCommand, typedInput } from "../../src/operations/derive/cli.ts";
import { documentOf, publishedSchemas } from "../../src/operations/json-schemas.ts";
import { field, inputSchema, operation } from "../../src/operations/operation.ts";
import { routeOf } from "../../src/server/routes/operations.ts";

const canary: Canary = nonexistentCanary({
  word: "word",
  question: "Where does it sing?",
  secret: "secret",
  collection: "",
  instance: "private",
  like: "notes",
  path: "/srv/word.md",
  document: {
    id: "",
    name: "",
    path: "",
    title: "",
    version: 1,
    format: "markdown",
    collection: "",
    instance: "private",
    department: "",
    pages: 0,
    chunks: 1,
    sizeBytes: 1,
    sha256: "",
    ingestedAt: "",
    metadata: {},
  },
  chunk: "",
  asked: "",
  job: "",
  room: "",
  told: "",
  // Every kind is there.
  replies: Object.fromEntries(replyKinds.map((kind) => [kind, kind])) as Canary["replies"],
  tool: { name: "tool", question: "", find: "" },
});

test("every operation is tried by the audit, with input that its routes and tools take", () => {
  for (const { name, input, attempt, http, mcp } of operations) {
    const probes = attempt(canary);
    assert.ok(probes.length > 0, name);
    if (http === undefined && mcp === undefined) continue;
    const schema = inputSchema(input);
    for (const probe of probes) {
      const taken = Object.entries(probe.input ?? {}).filter(([member]) => member in schema.shape);
      const checked = schema.safeParse(Object.fromEntries(taken));
      assert.ok(checked.success, `${name}: ${JSON.stringify(probe)}`);
    }
  }
});

test("no two operations share a name, a route or a tool, and each document is published", () => {
  const names = operations.map(({ name }) => name);
  const routes = operations.flatMap(({ http }) => http?.route ?? []);
  const tools = operations.flatMap((each) => (each.mcp === undefined ? [] : toolOf(each).listing.name));
  for (const list of [names, routes, tools]) assert.equal(new Set(list).size, list.length);
  for (const each of operations) assert.ok(publishedSchemas.includes(documentOf(each)), each.name);
});

const sample = operation({
  name: "sample",
  summary: "show a sample",
  input: {
    file: field("<file>", z.string(), "file to read"),
    words: field("-w, --word <word>", z.array(z.string()).default([]), "word to find; may be repeated"),
    share: field("--share <n>", z.number().min(0).max(1).default(0.5), "least share"),
    kind: field("--kind <kind>", z.enum(["a", "b"]).optional(), "kind"),
    none: field("--no-words", z.boolean().default(false), "find nothing", { only: "command" }),
    offset: field("", z.int().min(0).default(0), "items to skip", { only: "api" }),
  },
  document: "list",
  examples: ["ragctl sample notes.md"],
  http: { route: "GET /v1/samples/{file}", tag: "Samples", answer: "A sample" },
  mcp: { effect: "reads" },
  attempt: () => [{ input: { file: "x" } }],
  run: (_, input) => input,
  print: (input) => input,
  text: ({ file }) => file,
});

async function inputOf(argv: readonly string[]) {
  let input: unknown;
  const command = describeCommand(new Command("sample"), sample)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .action((...parameters: unknown[]) => {
      input = typedInput(sample.input, parameters.slice(0, -1));
    });
  await command.parseAsync(argv, { from: "user" });
  return input;
}

test("an operation reads its command line: arguments, repeated flags, negated ones", async () => {
  const given = ["notes.md", "-w", "gate", "--word", "lamp", "--share", "0.25", "--no-words"];
  assert.deepEqual(await inputOf(given), {
    file: "notes.md",
    words: ["gate", "lamp"],
    share: 0.25,
    kind: undefined,
    none: true,
  });
  await assert.rejects(inputOf(["notes.md", "--share", "2"]), /must be a number from 0 to 1/);
  await assert.rejects(inputOf(["notes.md", "--kind", "c"]), /Allowed choices are a, b/);
  await assert.rejects(inputOf([]), /missing required argument 'file'/);
});

test("its route has in the query what is not in the path, its tool has all, and neither has flags", () => {
  assert.deepEqual(Object.keys(routeOf(sample)?.query?.shape ?? {}), ["words", "share", "kind", "offset"]);
  const { listing } = toolOf(sample);
  assert.deepEqual(Object.keys(listing.inputSchema.properties ?? {}), [
    "file",
    "words",
    "share",
    "kind",
    "offset",
  ]);
  assert.match(listing.description ?? "", /^Show a sample\. /);
});
