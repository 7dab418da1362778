import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RagctlError } from "../core/errors.ts";
import type { Grant } from "../core/permission.ts";
import type { Instance } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import { type Canary, questionOf, type Surface } from "./audit-attempts.ts";
import type { Core } from "./core.ts";

/** Collections the audit makes begin so; what a killed audit left is known by it. */
export const prefix = "audit_";

/** Canaries at most: collections whose rules are alike share one. */
const maxCanaries = 24;

const audited = (): string => `${prefix}${randomBytes(14).toString("hex")}`;

/** One canary for each set of rules there is, besides one public and one private collection that no rule names. */
export async function plant(core: Core, app: Surface, folder: string, run: Run): Promise<readonly Canary[]> {
  const grants = core.permissions.list({ resourceKind: "collection" });
  const models = modelCollections(core, grants).slice(0, maxCanaries - 2);
  const canaries: Canary[] = [];
  for (const model of [{ name: "", instance: "public" as const }, { name: "", instance: "private" as const }, ...models]) {
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
    await Array.fromAsync(core.app.ingest({ paths: [path], collection, instance: model.instance, department: "" }, run));
    const [document] = await core.app.documents([collection], run);
    if (document === undefined) throw new RagctlError("INTERNAL", "a canary was ingested and is not there", { hint: "see: ragctl doctor" });
    const asked = randomUUID();
    const [room, lobby, told] = [audited(), audited(), randomBytes(14).toString("hex")];
    const say = (where: string, text: string, decide: boolean) =>
      Array.fromAsync(app.chat.say({ room: where, text, decide, topK: 3, collections: [] }, { ...run, id: randomUUID() }));
    app.chat.open(room, "private", run);
    await say(room, `The canary ${word} was told ${told}.`, true);
    app.chat.open(lobby, "public", run);
    await say(lobby, questionOf({ word }), false);
    const [job] = await app.inStep.enqueue({ paths: [path], collection, instance: model.instance, department: "", priority: 0 }, run);
    await Array.fromAsync(core.app.ask({ query: questionOf({ word }), topK: 3, collections: [collection] }, { ...run, id: asked }));
    canaries.push({
      word,
      secret,
      collection,
      instance: model.instance,
      like: model.name || `no rules, ${model.instance}`,
      path,
      document,
      ...{ asked, room, told, lobby, job: job?.id ?? "" },
    });
  }
  return canaries;
}

/** The collections that rules name or that exist; of those with the same rules the first. */
function modelCollections(core: Core, grants: readonly Grant[]): readonly { readonly name: string; readonly instance: Instance }[] {
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
      .map(({ subjectKind, subject, effect, level }) => `${subjectKind} ${subject.toLowerCase()} ${effect} ${level}`);
    const key = `${instance}: ${rules.sort().join(", ")}`;
    if (rules.length > 0 && !seen.has(key)) seen.set(key, { name, instance });
  }
  return [...seen.values()];
}
