import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openCache } from "../../cache/cache.ts";
import { decide } from "../../core/decide.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { AccessLevel, Principal, Resource } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { exportRegistry } from "../../registry/exchange/exchange.ts";
import { openRegistry } from "../../registry/registry.ts";
import { collectionResource, toolResource } from "../access.ts";
import { openInStep } from "../documents/background.ts";
import { type Core, type CoreParts, openCore } from "../home.ts";
import { folderResource } from "../roots.ts";
import { type Attempt, attempts, type Canary, type Surface } from "./audit-attempts.ts";
import { plant, prefix } from "./audit-plant.ts";

/** Something a principal got that the rules do not give it. */
export interface Leak {
  readonly principal: string;
  /** What was tried, e.g. `search dense`. */
  readonly attempt: string;
  /** Name of the collection whose rules the canary was under. */
  readonly like: string;
  /** What came out. */
  readonly evidence: string;
}

/** What one principal tried. */
export interface PrincipalAudit {
  readonly principal: string;
  /** Attempts at what the rules do not give it. */
  readonly attempts: number;
  /** Attempts at what the rules do give it: all must succeed, else the audit proves nothing. */
  readonly controls: number;
  readonly controlsFailed: readonly string[];
  readonly leaks: readonly Leak[];
}

export type AuditEvent =
  | { readonly type: "plant-end"; readonly canaries: number }
  | {
      readonly type: "principal-end";
      readonly audit: PrincipalAudit;
      readonly done: number;
      readonly total: number;
    }
  | {
      readonly type: "audit-end";
      readonly principals: readonly PrincipalAudit[];
      readonly leaks: readonly Leak[];
      readonly canaries: number;
    };

/**
 * Plants canary documents and tries to reach them as every principal through every method of the app:
 * 1. the registry is copied, so that nothing of the audit stays in it; each collection that rules speak of gets a twin with the same rules;
 * 2. a canary document with a word of its own is ingested into each twin, in the real stores, by the real pipeline;
 * 3. every principal tries everything; what the decision function does not grant must not come out, and what it grants must;
 * 4. the twins are dropped from the stores and the copy is removed, whatever happened.
 */
export async function* audit(core: Core, parts: CoreParts, run: Run): AsyncGenerator<AuditEvent> {
  const { home } = parts.settings;
  for (const name of await readdir(home))
    if (name.startsWith("audit-")) await rm(join(home, name), { recursive: true, force: true });
  const folder = await mkdtemp(join(home, "audit-"));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  await dropTwins(core, parts);

  const copy = join(folder, "registry.sqlite");
  await writeFile(copy, "", { mode: 0o600 });
  parts.registry.statement("VACUUM INTO ?").run(copy);
  const registry = await openRegistry(copy);
  cleanup.defer(() => registry.close());
  // The copy need not outlive a crash, and waiting for the disk after each write is most of the time an audit takes.
  registry.statement("PRAGMA synchronous = OFF").run();
  const cache = await openCache(join(folder, "cache"), { maxBytes: 1e8, warn: () => undefined });
  cleanup.use(cache);
  const inner = openCore({
    ...parts,
    registry,
    cache: async () => cache,
    localModel: async () => null,
    messageMark: prefix,
  });
  cleanup.defer(() => dropTwins(core, parts));

  const quiet: Run = { ...run, log: { event: () => undefined, warn: () => undefined } };
  const asOwner: Run = { ...quiet, principal: ownerOf(inner) };
  const surface: Surface = {
    ...inner.app,
    chat: (await inner.conversation()).chat,
    inStep: openInStep(inner.inStep, (asking) => inner.app.documents([], asking)),
    export(asking) {
      inner.access.owner(asking, "manage the registry");
      return exportRegistry(registry);
    },
  };
  // Outside the home, from which nothing may be ingested.
  const documents = await mkdtemp(join(await realpath(tmpdir()), "ragctl-audit-"));
  cleanup.defer(() => rm(documents, { recursive: true, force: true }));
  const canaries = await plant(inner, surface, registry, documents, asOwner);
  yield { type: "plant-end", canaries: canaries.length };

  const everyone = inner.principals.list().filter(({ enabled }) => enabled);
  const done: PrincipalAudit[] = [];
  for (const principal of everyone) {
    run.signal.throwIfAborted();
    const result = await tryAll({ core: inner, app: surface, home }, canaries, principal, {
      ...quiet,
      id: randomUUID(),
      principal: principal.name,
    });
    done.push(result);
    yield { type: "principal-end", audit: result, done: done.length, total: everyone.length };
  }
  yield {
    type: "audit-end",
    principals: done,
    leaks: done.flatMap(({ leaks }) => leaks),
    canaries: canaries.length,
  };
}

const ownerOf = (core: Core): string =>
  core.principals.list().find(({ kind }) => kind === "owner")?.name ?? "owner";

/** Removes the audit's collections from the stores: this one's, and those of an audit that was killed. */
async function dropTwins(core: Core, { store }: CoreParts): Promise<void> {
  const used = new Set<Instance>(["public", "private"]);
  for (const instance of used) {
    const opened = await store(instance);
    for (const { name } of await opened.collections())
      if (name.startsWith(prefix) && core.collections.find(name) === undefined) await opened.drop(name);
  }
}

async function tryAll(
  { core, app, home }: { readonly core: Core; readonly app: Surface; readonly home: string },
  canaries: readonly Canary[],
  principal: Principal,
  run: Run,
): Promise<PrincipalAudit> {
  const grants = core.permissions.list();
  const may = (action: AccessLevel, { collection, instance }: Canary): boolean =>
    decide({
      principal,
      agent: null,
      action,
      resource: collectionResource({ name: collection, instance }),
      grants,
    }).effect === "allow";
  const mayIn = (action: AccessLevel, { room: name }: Canary): boolean => {
    const resource: Resource = { kind: "room", name, instance: "private", department: "" };
    return decide({ principal, agent: null, action, resource, grants }).effect === "allow";
  };
  const mayIngest = (action: AccessLevel, { path }: Canary): boolean =>
    decide({ principal, agent: null, action, resource: folderResource(dirname(path), home), grants })
      .effect === "allow";
  const mayUse = ({ tool: { name } }: Canary): boolean => {
    const resource = toolResource({ name, type: "generic", permissions: { requires_grant: true } });
    return decide({ principal, agent: null, action: "read", resource, grants }).effect === "allow";
  };
  const hidden = [
    ...canaries.filter((canary) => !may("read", canary)).flatMap(secretsOf),
    ...canaries.filter((canary) => !mayIn("read", canary)).flatMap(({ told, room }) => [told, room]),
    ...canaries.filter((canary) => !mayUse(canary)).map(({ tool }) => tool.find),
  ];
  const total = { attempts: 0, controls: 0 };
  const [leaks, controlsFailed]: [Leak[], string[]] = [[], []];
  for (const canary of canaries) {
    run.signal.throwIfAborted();
    const leak = (attempt: string, evidence: string): void =>
      void leaks.push({ principal: principal.name, attempt, like: canary.like, evidence });
    for (const [attempt, stranger] of attempts(canary)) {
      const can = attempt.room ? mayIn : attempt.place ? mayIngest : may;
      const allowed = attempt.own ? principal.kind === "owner" : can(attempt.needs, canary);
      if (allowed && attempt.onlyDenied) continue;
      const outcome = await outcomeOf(attempt, app, run);
      const ids =
        attempt.own && !allowed
          ? canaries.flatMap(({ asked, job }) => [`"id":"${asked}"`, `"id":"${job}"`])
          : [];
      const found =
        ids.some((id) => outcome.text.includes(id)) || hidden.some((secret) => outcome.said.includes(secret));
      if (found) leak(attempt.name, outcome.said.slice(0, 300));
      if (allowed && attempt.certain) {
        total.controls += 1;
        const wanted = attempt.own
          ? [canary.word, canary.secret, canary.collection]
          : attempt.room
            ? [canary.told, canary.room]
            : [canary.secret, canary.collection];
        if (!wanted.some((each) => outcome.said.includes(each)))
          controlsFailed.push(
            `${attempt.name}, under the rules of ${canary.like}: ${outcome.said.slice(0, 200)}`,
          );
      }
      if (allowed) continue;
      total.attempts += 1;
      if (found) continue;
      if (!attempt.own && can("read", canary)) {
        if (!outcome.failed) leak(attempt.name, `it was done: ${outcome.said.slice(0, 200)}`);
      } else {
        const control = await outcomeOf(stranger, app, run);
        const alike = attempt.compare ? outcome.said === control.said : outcome.failed === control.failed;
        if (!alike)
          leak(
            attempt.name,
            `it answers “${outcome.said.slice(0, 150)}”, and for what is not there “${control.said.slice(0, 150)}”`,
          );
      }
    }
    const left = await core.app
      .documents([canary.collection], { ...run, principal: ownerOf(core) })
      .catch(() => []);
    if (left.length !== 1)
      leak("forget or ingest", `the collection of the canary now holds ${left.length} documents`);
  }
  return { principal: principal.name, ...total, controlsFailed, leaks };
}

const secretsOf = ({ secret, collection, document }: Canary): readonly string[] => [
  secret,
  collection,
  document.id,
];

interface Outcome {
  readonly failed: boolean;
  /** Everything that came back: JSON, or code, message and hint. */
  readonly text: string;
  /** The same without what the attempt typed. */
  readonly said: string;
}

async function outcomeOf(attempt: Attempt, app: Surface, run: Run): Promise<Outcome> {
  const outcome = (failed: boolean, text: string): Outcome => ({
    failed,
    text,
    said: attempt.typed.reduce((rest, word) => rest.replaceAll(word, "…"), text),
  });
  try {
    return outcome(false, JSON.stringify(await attempt.work(app, run)));
  } catch (thrown) {
    run.signal.throwIfAborted();
    const { code, message, hint } = asRagctlError(thrown);
    return outcome(true, `${code}: ${message} → ${hint ?? ""}`);
  }
}
