import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { generalDepartment } from "../../core/decide.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Grant } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { openAgentTools } from "../../registry/company/agent-tools.ts";
import { openAgents } from "../../registry/company/agents.ts";
import { openTools } from "../../registry/company/tools.ts";
import type { Database } from "../../registry/database.ts";
import type { Core } from "../home.ts";
import { type Canary, type CanaryTool, questionOf, type ReplyKind, type Surface } from "./audit-attempts.ts";

/** Collections the audit makes begin so; what a killed audit left is known by it. */
export const prefix = "audit_";

/** Canaries at most: collections whose rules are alike share one. */
const maxCanaries = 24;

const audited = (): string => `${prefix}${randomBytes(14).toString("hex")}`;

/** One canary for each set of rules there is, besides one public and one private collection that no rule names. */
export async function plant(
  core: Core,
  app: Surface,
  registry: Database,
  folder: string,
  run: Run,
): Promise<readonly Canary[]> {
  const tool = plantTool(registry);
  const once = (kind: ReplyKind) => plantReply(app, kind, sayings[kind]({ word: audited(), tool }), [], run);
  const shared = { "tool result": await once("tool result"), error: await once("error") };
  // From now on the router chooses among the agents that were there before.
  openAgents(registry).remove(tool.name);
  const grants = core.permissions.list({ resourceKind: "collection" });
  const models = modelCollections(core, grants).slice(0, maxCanaries - 2);
  const canaries: Canary[] = [];
  for (const model of [
    { name: "", instance: "public" as const },
    { name: "", instance: "private" as const },
    ...models,
  ]) {
    const collection = audited();
    for (const grant of grants.filter(
      (each) => each.resource === model.name && (each.instance === "" || each.instance === model.instance),
    )) {
      const { id: _, createdAt: __, ...rule } = grant;
      core.permissions.put({ ...rule, resource: collection, instance: model.instance });
    }
    const [word, secret] = [randomBytes(14).toString("hex"), randomBytes(14).toString("hex")];
    // A folder of its own, so that what is beside it tells nothing.
    const path = join(folder, word, `${word}.md`);
    await mkdir(dirname(path));
    await writeFile(path, `# Canary ${secret}\n\nThe canary ${word} sings at the gate of ${secret}.\n`);
    await Array.fromAsync(
      core.app.ingest({ paths: [path], collection, instance: model.instance, department: "" }, run),
    );
    const [document] = await core.app.documents([collection], run);
    if (document === undefined)
      throw new RagctlError("INTERNAL", "a canary was ingested and is not there", {
        hint: "see: ragctl doctor",
      });
    const asked = randomUUID();
    const [room, told] = [audited(), randomBytes(14).toString("hex")];
    app.chat.open(room, "private", run);
    const telling = {
      room,
      text: `The canary ${word} was told ${told}.`,
      decide: true,
      topK: 3,
      collections: [],
    };
    await Array.fromAsync(app.chat.say(telling, { ...run, id: randomUUID() }));
    const reply = (kind: ReplyKind) =>
      plantReply(app, kind, sayings[kind]({ word, tool }), [collection], run);
    const own = { answer: await reply("answer"), refusal: await reply("refusal") };
    const replies = {
      ...shared,
      ...own,
      clarification: await reply("clarification"),
      greeting: await reply("greeting"),
    };
    const [job] = await app.inStep.enqueue(
      { paths: [path], collection, instance: model.instance, department: "", priority: 0 },
      run,
    );
    await Array.fromAsync(
      core.app.ask(
        { query: questionOf({ word }), topK: 3, collections: [collection] },
        { ...run, id: asked },
      ),
    );
    canaries.push({
      word,
      secret,
      collection,
      instance: model.instance,
      like: model.name || `no rules, ${model.instance}`,
      path,
      document,
      ...{ asked, room, told, replies, tool, job: job?.id ?? "" },
    });
  }
  return canaries;
}

/** A tool that needs a grant, and an agent of the same name that uses it. */
function plantTool(registry: Database): CanaryTool {
  const [name, find] = [audited(), randomBytes(14).toString("hex")];
  const question = `Which number is on the ring of the canary ${name.slice(prefix.length)}?`;
  openTools(registry).add({
    name,
    type: "generic",
    permissions: { requires_grant: true },
    config: {
      description: "Reads the rings of canaries.",
      examples: [question],
      argv: [process.execPath, "-p", `"The ring of the canary has the number ${find}."`],
    },
  });
  const agents = openAgents(registry);
  agents.add({ name, department: generalDepartment });
  openAgentTools(registry).give(agents.idOf(name), openTools(registry).idOf(name));
  return { name, question, find };
}

/** What the owner says to be given a reply of each kind. */
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
  error: ({ word }) => ({ text: questionOf({ word }), agent: audited() }),
};

interface Saying {
  readonly text: string;
  readonly agent?: string;
}

/** The name of a new public room in which the owner was given a reply, about these collections. */
async function plantReply(
  app: Surface,
  kind: ReplyKind,
  saying: Saying,
  collections: readonly string[],
  run: Run,
): Promise<string> {
  const { name: room } = app.chat.open(audited(), "public", run);
  const request = { ...saying, room, decide: false, topK: 3, collections };
  const reply = Array.fromAsync(app.chat.say(request, { ...run, id: randomUUID() }));
  await (kind === "error" ? reply.catch(() => undefined) : reply);
  return room;
}

/** The collections that rules name or that exist; of those with the same rules the first. */
function modelCollections(
  core: Core,
  grants: readonly Grant[],
): readonly { readonly name: string; readonly instance: Instance }[] {
  const named = grants
    .filter(({ resource }) => resource !== "*")
    .flatMap(({ resource, instance }) =>
      instance === ""
        ? (["public", "private"] as const).map((each) => ({ name: resource, instance: each }))
        : [{ name: resource, instance }],
    );
  const seen = new Map<string, { readonly name: string; readonly instance: Instance }>();
  for (const { name, instance } of [...named, ...core.collections.list()]) {
    const rules = grants
      .filter((grant) => grant.resource === name && (grant.instance === "" || grant.instance === instance))
      .map(
        ({ subjectKind, subject, effect, level }) =>
          `${subjectKind} ${subject.toLowerCase()} ${effect} ${level}`,
      );
    const key = `${instance}: ${rules.sort().join(", ")}`;
    if (rules.length > 0 && !seen.has(key)) seen.set(key, { name, instance });
  }
  return [...seen.values()];
}
