import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DocumentSummary } from "../../core/app.ts";
import { generalDepartment } from "../../core/decide.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Grant } from "../../core/permission.ts";
import type { Run } from "../../core/run.ts";
import { createAgentToolRepository } from "../../registry/company/agent-tools.ts";
import type { Home } from "../home.ts";
import {
  type AuditedSurface,
  auditName,
  type Canary,
  type CanaryTool,
  metadataOf,
  prefix,
  questionOf,
  type ReplyKind,
  randomName,
} from "./attempt.ts";

/** Canaries at most: collections whose rules are alike share one. */
const maxCanaries = 24;

/** The parts needed to plant canaries. */
interface Garden {
  readonly app: AuditedSurface;
  /** Outside the home, from which nothing may be ingested. */
  readonly folder: string;
  readonly tool: CanaryTool;
  /** Rooms with a reply that names no canary; they are the same for all. */
  readonly sharedReplies: Pick<Canary["replies"], "tool result" | "error">;
}

/** A collection whose rules apply to a canary; its name is "" for one that no rule names. */
type Model = Pick<Canary, "instance"> & { readonly name: string };

/**
 * One canary for each set of rules there is, besides one public and one private collection that no rule
 * names.
 */
export async function plantCanaries(
  home: Home,
  app: AuditedSurface,
  folder: string,
  run: Run,
): Promise<readonly Canary[]> {
  const tool = await plantTool(home);
  const word = auditName();
  const reply = (kind: ReplyKind) => plantReply(app, kind, sayings[kind]({ word, tool }), [], run);
  const sharedReplies = { "tool result": await reply("tool result"), error: await reply("error") };
  // From now on the router chooses among the agents that were there before.
  await home.agents.remove(tool.name);
  const garden: Garden = { app, folder, tool, sharedReplies };
  const grants = await home.permissions.list({ resourceKind: "collection" });
  const models: readonly Model[] = [
    { name: "", instance: "public" },
    { name: "", instance: "private" },
    ...(await modelCollections(home, grants)).slice(0, maxCanaries - 2),
  ];
  const canaries: Canary[] = [];
  for (const model of models) {
    const collection = auditName();
    for (const { id: _, createdAt: __, ...rule } of grants.filter((grant) => isAbout(grant, model)))
      await home.permissions.put({ ...rule, resource: collection, instance: model.instance });
    canaries.push(await plantCanary(collection, model, garden, run));
  }
  return canaries;
}

const isAbout = ({ resource, instance }: Grant, model: Model): boolean =>
  resource === model.name && (instance === "" || instance === model.instance);

async function plantCanary(
  collection: string,
  { name, instance }: Model,
  { app, folder, tool, sharedReplies }: Garden,
  run: Run,
): Promise<Canary> {
  const word = randomName();
  const secret = randomName();
  // A separate folder, so that the files next to it reveal nothing.
  const path = join(folder, word, `${word}.md`);
  const document = await plantDocument({ word, secret, collection, instance, path }, app, run);
  const { chunks } = await app.show(document.id, run);
  const asked = randomUUID();
  const room = auditName();
  const told = randomName();
  await app.chat.open(room, "private", run);
  const text = `The canary ${word} was told ${told}.`;
  const message = { room, text, decide: true, topK: 3, collections: [] };
  await Array.fromAsync(app.chat.say(message, { ...run, id: randomUUID() }));
  const reply = (kind: ReplyKind) => plantReply(app, kind, sayings[kind]({ word, tool }), [collection], run);
  const replies = {
    ...sharedReplies,
    answer: await reply("answer"),
    refusal: await reply("refusal"),
    clarification: await reply("clarification"),
    greeting: await reply("greeting"),
  };
  const [job] = await app.background.enqueue(
    { paths: [path], collection, instance, department: "", priority: 0 },
    run,
  );
  const question = questionOf({ word });
  await Array.fromAsync(
    app.ask(
      { query: question, topK: 3, collections: [collection] },
      { ...run, id: asked },
      { conversation: asked },
    ),
  );
  const like = name || `no rules, ${instance}`;
  return {
    word,
    question,
    secret,
    collection,
    instance,
    like,
    path,
    document,
    chunk: chunks[0]?.id ?? "",
    asked,
    job: job?.id ?? "",
    room,
    told,
    replies,
    tool,
  };
}

async function plantDocument(
  {
    word,
    secret,
    collection,
    instance,
    path,
  }: Omit<Model, "name"> & Record<"word" | "secret" | "collection" | "path", string>,
  app: AuditedSurface,
  run: Run,
): Promise<DocumentSummary> {
  await mkdir(dirname(path));
  await writeFile(path, `# Canary ${secret}\n\nThe canary ${word} sings at the gate of ${secret}.\n`);
  const metadata = metadataOf({ word, secret });
  await Array.fromAsync(app.ingest({ paths: [path], collection, instance, department: "", metadata }, run));
  const [document] = await app.documents([collection], run);
  if (document !== undefined) return document;
  throw new RagctlError("INTERNAL", "a canary was ingested and is not there", { hint: "see: ragctl doctor" });
}

/** A tool that needs a grant, and an agent of the same name that uses it. */
async function plantTool({ registry, agents, tools }: Home): Promise<CanaryTool> {
  const name = auditName();
  const find = randomName();
  const question = `Which number is on the ring of the canary ${name.slice(prefix.length)}?`;
  const made = await tools.add({
    name,
    type: "generic",
    permissions: { requires_grant: true },
    config: {
      description: "Reads the rings of canaries.",
      examples: [question],
      argv: [process.execPath, "-p", `"The ring of the canary has the number ${find}."`],
    },
  });
  const agent = await agents.add({ name, department: generalDepartment });
  await createAgentToolRepository(registry).give(agent.id, made.id);
  return { name, question, find };
}

/** Messages of the owner that provoke a reply of each kind. */
const sayings: Readonly<
  Record<ReplyKind, (of: { readonly word: string; readonly tool: CanaryTool }) => Saying>
> = {
  answer: ({ word }) => ({ text: questionOf({ word }) }),
  refusal: ({ word }) => ({
    text: `Which lawyer defended the canary ${word} against Zebulon Quark in Reykjavik in 1987?`,
  }),
  clarification: () => ({ text: "I need information" }),
  greeting: () => ({ text: "Which collections do you have?" }),
  "tool result": ({ tool }) => ({ text: tool.question, agent: tool.name }),
  error: ({ word }) => ({ text: questionOf({ word }), agent: auditName() }),
};

interface Saying {
  readonly text: string;
  readonly agent?: string;
}

/** The name of a new public room in which the owner was given a reply, about these collections. */
async function plantReply(
  app: AuditedSurface,
  kind: ReplyKind,
  saying: Saying,
  collections: readonly string[],
  run: Run,
): Promise<string> {
  const { name: room } = await app.chat.open(auditName(), "public", run);
  const request = { ...saying, room, decide: false, topK: 3, collections };
  const reply = Array.fromAsync(app.chat.say(request, { ...run, id: randomUUID() }));
  await (kind === "error" ? reply.catch(() => undefined) : reply);
  return room;
}

/** The collections that rules name or that exist; of those with the same rules the first. */
async function modelCollections({ collections }: Home, grants: readonly Grant[]): Promise<readonly Model[]> {
  const named = grants
    .filter(({ resource }) => resource !== "*")
    .flatMap(({ resource, instance }): readonly Model[] =>
      instance === ""
        ? (["public", "private"] as const).map((each) => ({ name: resource, instance: each }))
        : [{ name: resource, instance }],
    );
  const byRules = new Map<string, Model>();
  for (const { name, instance } of [...named, ...(await collections.list())]) {
    const rules = grants
      .filter((grant) => isAbout(grant, { name, instance }))
      .map(
        ({ subjectKind, subject, effect, level }) =>
          `${subjectKind} ${subject.toLowerCase()} ${effect} ${level}`,
      );
    const key = `${instance}: ${rules.sort().join(", ")}`;
    if (rules.length > 0 && !byRules.has(key)) byRules.set(key, { name, instance });
  }
  return [...byRules.values()];
}
