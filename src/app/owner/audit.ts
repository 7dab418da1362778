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
import { noLocalModels } from "../engines/local-models.ts";
import { type Home, openHome } from "../home.ts";
import { folderResource } from "../roots.ts";
import { openSurface } from "../surface.ts";
import { type Attempt, type AuditedSurface, attempts, type Canary } from "./audit-attempts.ts";
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
 * 1. the registry is copied, so that nothing of the audit stays in it; each collection that rules speak of
 *   gets a twin with the same rules;
 * 2. a canary document with a word of its own is ingested into each twin, in the real stores, by the real
 *   pipeline;
 * 3. every principal tries everything; what the decision function does not grant must not come out, and what
 *   it grants must;
 * 4. the twins are dropped from the stores and the copy is removed, whatever happened.
 */
export async function* audit(home: Home, run: Run): AsyncGenerator<AuditEvent> {
  await using cleanup = new AsyncDisposableStack();
  const inner = await openCopy(home, cleanup);
  const quiet: Run = { ...run, log: { event: () => undefined, warn: () => undefined } };
  const surface = openSurface(inner);
  const app: AuditedSurface = {
    ...surface,
    chat: await surface.chat(),
    export(asking) {
      inner.access.owner(asking, "manage the registry");
      return exportRegistry(inner.registry);
    },
  };
  // Outside the home, from which nothing may be ingested.
  const documents = await mkdtemp(join(await realpath(tmpdir()), "ragctl-audit-"));
  cleanup.defer(() => rm(documents, { recursive: true, force: true }));
  const canaries = await plant(inner, app, documents, { ...quiet, principal: ownerOf(inner) });
  yield { type: "plant-end", canaries: canaries.length };

  const everyone = inner.principals.list().filter(({ enabled }) => enabled);
  const audits: PrincipalAudit[] = [];
  for (const principal of everyone) {
    run.signal.throwIfAborted();
    const principalRun: Run = { ...quiet, id: randomUUID(), principal: principal.name };
    const result = await tryAll(inner, app, canaries, principal, principalRun);
    audits.push(result);
    yield { type: "principal-end", audit: result, done: audits.length, total: everyone.length };
  }
  const leaks = audits.flatMap((each) => each.leaks);
  yield { type: "audit-end", principals: audits, leaks, canaries: canaries.length };
}

/**
 * The home over a copy of its registry, with a cache of its own and no language model; `cleanup` removes what
 * it leaves.
 */
async function openCopy(home: Home, cleanup: AsyncDisposableStack): Promise<Home> {
  const { home: homeFolder } = home.settings;
  for (const name of await readdir(homeFolder))
    if (name.startsWith("audit-")) await rm(join(homeFolder, name), { recursive: true, force: true });
  const folder = await mkdtemp(join(homeFolder, "audit-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  await dropTwins(home);

  const copy = join(folder, "registry.sqlite");
  await writeFile(copy, "", { mode: 0o600 });
  home.registry.statement("VACUUM INTO ?").run(copy);
  const registry = await openRegistry(copy);
  cleanup.defer(() => registry.close());
  // The copy need not outlive a crash, and waiting for the disk after each write is most of the time an audit
  // takes.
  registry.statement("PRAGMA synchronous = OFF").run();
  const cache = await openCache(join(folder, "cache"), { maxBytes: 1e8, warn: () => undefined });
  cleanup.use(cache);
  cleanup.defer(() => dropTwins(home));
  return openHome({
    ...home,
    registry,
    cache: async () => cache,
    localModels: noLocalModels,
    messageMark: prefix,
  });
}

const ownerOf = ({ principals }: Home): string =>
  principals.list().find(({ kind }) => kind === "owner")?.name ?? "owner";

/** Removes the audit's collections from the stores: this one's, and those of an audit that was killed. */
async function dropTwins({ store, collections }: Home): Promise<void> {
  for (const instance of ["public", "private"] satisfies Instance[]) {
    const opened = await store(instance);
    for (const { name } of await opened.collections())
      if (name.startsWith(prefix) && collections.find(name) === undefined) await opened.drop(name);
  }
}

/** What the rules give a principal, by the decision function alone. */
interface Entitlement {
  readonly principal: Principal;
  /** The collection of a canary. */
  reads(action: AccessLevel, canary: Canary): boolean;
  /** Its room. */
  enters(action: AccessLevel, canary: Canary): boolean;
  /** The folder that it is in. */
  ingests(action: AccessLevel, canary: Canary): boolean;
  /** Its tool. */
  uses(canary: Canary): boolean;
}

function entitlementOf(principal: Principal, { permissions, settings }: Home): Entitlement {
  const grants = permissions.list();
  const may = (action: AccessLevel, resource: Resource): boolean =>
    decide({ principal, agent: null, action, resource, grants }).effect === "allow";
  return {
    principal,
    reads: (action, { collection, instance }) =>
      may(action, collectionResource({ name: collection, instance })),
    enters: (action, { room }) =>
      may(action, { kind: "room", name: room, instance: "private", department: "" }),
    ingests: (action, { path }) => may(action, folderResource(dirname(path), settings.home)),
    uses: ({ tool: { name } }) =>
      may("read", toolResource({ name, type: "generic", permissions: { requires_grant: true } })),
  };
}

/** The trial of one principal: what it must not get, and what came of it. */
interface Trial {
  readonly app: AuditedSurface;
  readonly canaries: readonly Canary[];
  readonly entitlement: Entitlement;
  /** What must not come out, whatever is tried. */
  readonly hidden: readonly string[];
  readonly run: Run;
  readonly leaks: Leak[];
  readonly controlsFailed: string[];
  readonly total: { attempts: number; controls: number };
}

async function tryAll(
  home: Home,
  app: AuditedSurface,
  canaries: readonly Canary[],
  principal: Principal,
  run: Run,
): Promise<PrincipalAudit> {
  const entitlement = entitlementOf(principal, home);
  const hidden = [
    ...canaries.filter((canary) => !entitlement.reads("read", canary)).flatMap(secretsOf),
    ...canaries
      .filter((canary) => !entitlement.enters("read", canary))
      .flatMap(({ told, room }) => [told, room]),
    ...canaries.filter((canary) => !entitlement.uses(canary)).map(({ tool }) => tool.find),
  ];
  const total = { attempts: 0, controls: 0 };
  const trial: Trial = { app, canaries, entitlement, hidden, run, leaks: [], controlsFailed: [], total };
  for (const canary of canaries) {
    run.signal.throwIfAborted();
    for (const [attempt, stranger] of attempts(canary)) await tryOne(attempt, stranger, canary, trial);
    const asOwner: Run = { ...run, principal: ownerOf(home) };
    const left = await app.documents([canary.collection], asOwner).catch(() => []);
    const evidence = `the collection of the canary now holds ${left.length} documents`;
    if (left.length !== 1) addLeak("forget or ingest", evidence, canary, trial);
  }
  const { leaks, controlsFailed } = trial;
  return { principal: principal.name, ...total, controlsFailed, leaks };
}

function addLeak(attempt: string, evidence: string, { like }: Canary, { leaks, entitlement }: Trial): void {
  leaks.push({ principal: entitlement.principal.name, attempt, like, evidence });
}

/** Tries one way to a canary, and where it is denied the same way to something that is not there. */
async function tryOne(attempt: Attempt, stranger: Attempt, canary: Canary, trial: Trial): Promise<void> {
  const { app, run, total, entitlement } = trial;
  const can = ruleOf(attempt, entitlement);
  const allowed = attempt.own ? entitlement.principal.kind === "owner" : can(attempt.needs, canary);
  if (allowed && attempt.onlyDenied) return;
  const outcome = await outcomeOf(attempt, app, run);
  const leaked = gaveAway(outcome, attempt.own && !allowed, trial);
  if (leaked) addLeak(attempt.name, outcome.said.slice(0, 300), canary, trial);
  if (allowed) {
    if (attempt.certain) checkControl(attempt, outcome, canary, trial);
    return;
  }
  total.attempts += 1;
  if (leaked) return;
  const evidence =
    !attempt.own && can("read", canary)
      ? whatWasDone(outcome)
      : difference(attempt, outcome, await outcomeOf(stranger, app, run));
  if (evidence !== null) addLeak(attempt.name, evidence, canary, trial);
}

function ruleOf({ room, place }: Attempt, { reads, enters, ingests }: Entitlement): Entitlement["reads"] {
  if (room) return enters;
  return place ? ingests : reads;
}

/**
 * Whether anything hidden came out; the ids of the owner's runs and jobs are hidden from others (`hidesIds`).
 */
function gaveAway({ text, said }: Outcome, hidesIds: boolean, { canaries, hidden }: Trial): boolean {
  const ids = hidesIds ? canaries.flatMap(({ asked, job }) => [`"id":"${asked}"`, `"id":"${job}"`]) : [];
  return ids.some((id) => text.includes(id)) || hidden.some((secret) => said.includes(secret));
}

/** What is allowed must succeed, else the audit proves nothing. */
function checkControl(attempt: Attempt, { said }: Outcome, canary: Canary, trial: Trial): void {
  trial.total.controls += 1;
  if (expectedOf(attempt, canary).some((word) => said.includes(word))) return;
  const where = `${attempt.name}, under the rules of ${canary.like}`;
  trial.controlsFailed.push(`${where}: ${said.slice(0, 200)}`);
}

function expectedOf({ own, room }: Attempt, canary: Canary): readonly string[] {
  if (own) return [canary.word, canary.secret, canary.collection];
  return room ? [canary.told, canary.room] : [canary.secret, canary.collection];
}

/** What may be read but not changed was changed; null where it was refused. */
const whatWasDone = ({ failed, said }: Outcome): string | null =>
  failed ? null : `it was done: ${said.slice(0, 200)}`;

/** How a refusal differs from what comes back for something that is not there; null where it does not. */
function difference({ compare }: Attempt, outcome: Outcome, control: Outcome): string | null {
  const alike = compare ? outcome.said === control.said : outcome.failed === control.failed;
  if (alike) return null;
  return `it answers “${outcome.said.slice(0, 150)}”, and for what is not there “${control.said.slice(0, 150)}”`;
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

async function outcomeOf(attempt: Attempt, app: AuditedSurface, run: Run): Promise<Outcome> {
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
