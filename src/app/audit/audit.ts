import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCache } from "../../cache/cache.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { z } from "../../core/schema.ts";
import { openRegistry } from "../../registry/registry.ts";
import { saveSnapshot } from "../../registry/snapshot.ts";
import { type AuditReport, auditedSurfaces, type PrincipalAudit } from "../../shapes/permissions.ts";
import { type Home, openHome } from "../home.ts";
import { createSurface } from "../surface.ts";
import { requireServed } from "./asking.ts";
import { type AuditedSurface, type Canary, prefix, type ServeCopy } from "./attempt.ts";
import { libraryAttempts } from "./attempts.ts";
import { plantCanaries } from "./plant.ts";
import { pryingId, pryingModels } from "./prying-reader.ts";
import { runAttempts, sumOf, type Tally } from "./trial.ts";

export type AuditEvent =
  | { readonly type: "plant-end"; readonly canaries: number }
  | {
      readonly type: "principal-end";
      readonly audit: PrincipalAudit;
      readonly done: number;
      readonly total: number;
    }
  | ({ readonly type: "audit-end" } & AuditReport);

/**
 * Plants canary documents and tries to reach them as every principal through every method of the app and,
 * with `serve`, through everything that is served:
 * 1. the registry is copied, so that nothing of the audit remains in it; each collection that rules mention
 *    gets a twin with the same rules;
 * 2. a canary document with a unique word is ingested into each twin, in the real stores, by the real
 *    pipeline;
 * 3. every principal tries everything; what the decision function does not grant must not come out, and what
 *    it grants must;
 * 4. the twins are dropped from the stores and the copy is removed, whatever happened.
 */
export async function* audit(home: Home, serve: ServeCopy | null, run: Run): AsyncGenerator<AuditEvent> {
  await using cleanup = new AsyncDisposableStack();
  const { inner, folder } = await openCopy(home, cleanup);
  const quiet: Run = { ...run, log: { event: () => undefined, warn: () => undefined } };
  const surface = createSurface(inner);
  const owner = await ownerOf(inner);
  const ownerRun: Run = { ...quiet, principal: owner };
  const served =
    serve === null ? null : cleanup.use(await serve({ home: inner, surface, folder, run: ownerRun }));
  const app: AuditedSurface = { ...surface, owner, served, chat: await surface.chat() };
  // Outside the home, from which nothing may be ingested.
  const documents = await mkdtemp(join(await realpath(tmpdir()), "ragctl-audit-"));
  cleanup.defer(() => rm(documents, { recursive: true, force: true }));
  const canaries = await plantCanaries(inner, app, documents, ownerRun);
  yield { type: "plant-end", canaries: canaries.length };

  const everyone = (await inner.principals.list()).filter(({ enabled }) => enabled);
  const audits: PrincipalAudit[] = [];
  const tallies: Tally[] = [];
  for (const principal of everyone) {
    run.signal.throwIfAborted();
    const principalRun: Run = { ...quiet, id: randomUUID(), principal: principal.name };
    const tally = await runAttempts(inner, app, canaries, principal, principalRun);
    const result = { principal: principal.name, ...sumOf([...tally.values()]) };
    tallies.push(tally);
    audits.push(result);
    yield { type: "principal-end", audit: result, done: audits.length, total: everyone.length };
  }
  const surfaces = auditedSurfaces
    .filter((name) => served !== null || name === "library")
    .map((name) => ({ surface: name, ...sumOf(tallies.flatMap((tally) => tally.get(name) ?? [])) }));
  const leaks = audits.flatMap((each) => each.leaks);
  const untried = served === null ? [] : await untriedRoutes(app, canaries);
  yield { type: "audit-end", principals: audits, surfaces, leaks, canaries: canaries.length, untried };
}

const described = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Routes that the server describes and no attempt tries. */
async function untriedRoutes(app: AuditedSurface, [canary]: readonly Canary[]): Promise<readonly string[]> {
  const response = await requireServed(app).request(app.owner, "/openapi.json");
  const { paths } = described.parse(await response.json());
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const tried = new Set(canary === undefined ? [] : libraryAttempts(canary, app).map(([{ route }]) => route));
  return routes.filter((route) => !tried.has(route));
}

/**
 * The home over a copy of its registry, with a separate cache. No model of the home and no provider is asked:
 * answers are quotes, or by a reader that pries where one is to write. `cleanup` removes what it leaves.
 */
async function openCopy(
  home: Home,
  cleanup: AsyncDisposableStack,
): Promise<{ readonly inner: Home; readonly folder: string }> {
  const { home: homeFolder } = home.settings;
  for (const name of await readdir(homeFolder))
    if (name.startsWith("audit-")) await rm(join(homeFolder, name), { recursive: true, force: true });
  const folder = await mkdtemp(join(homeFolder, "audit-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  await dropTwins(home);

  const copy = join(folder, "registry.sqlite");
  await saveSnapshot(home.registry, copy);
  const registry = await openRegistry(copy);
  cleanup.defer(() => registry.close());
  // The copy need not outlive a crash, and waiting for the disk after each write is most of the time an audit
  // takes.
  await registry.statement("PRAGMA synchronous = OFF").run();
  const cache = await openCache(join(folder, "cache"), { maxBytes: 1e8, warn: () => undefined });
  cleanup.use(cache);
  cleanup.defer(() => dropTwins(home));
  // Its jobs are rows of the copy, which must not be announced to other workers.
  const { transport: _, ...engines } = home;
  const answer = { ...home.settings.answer, model: pryingId, reader: "able", write: "never" } as const;
  const settings = { ...home.settings, answer };
  const inner = openHome({
    ...engines,
    registry,
    cache: async () => cache,
    ...{ settings, isModelNamed: true, localModels: pryingModels },
    messageMark: prefix,
  });
  return { inner, folder };
}

const ownerOf = async ({ principals }: Home): Promise<string> =>
  (await principals.list()).find(({ kind }) => kind === "owner")?.name ?? "owner";

/** Removes the audit's collections from the stores: this one's, and those of an audit that was killed. */
async function dropTwins({ store, collections }: Home): Promise<void> {
  for (const instance of ["public", "private"] satisfies Instance[]) {
    const opened = await store(instance);
    for (const { name } of await opened.collections())
      if (name.startsWith(prefix) && (await collections.find(name)) === undefined) await opened.drop(name);
  }
}
