import { dirname } from "node:path";
import { decide } from "../../core/decide.ts";
import type { AccessLevel, Principal, Resource } from "../../core/permission.ts";
import type { Run } from "../../core/run.ts";
import { type AuditCounts, auditedSurfaces } from "../../shapes/permissions.ts";
import { collectionResource, toolResource } from "../access.ts";
import type { Home } from "../home.ts";
import { folderResource } from "../roots.ts";
import type { Attempt, AttemptOutcome, AuditedSurface, AuditedSurfaceName, Canary } from "./attempt.ts";
import { libraryAttempts } from "./attempts.ts";

/** Counts that grow. */
interface Counting extends AuditCounts {
  attempts: number;
  controls: number;
  readonly controlsFailed: string[];
  readonly leaks: AuditCounts["leaks"][number][];
}

/** Counts by surface. */
export type Tally = Map<AuditedSurfaceName, Counting>;

const nothingTried = (): Counting => ({ attempts: 0, controls: 0, controlsFailed: [], leaks: [] });

/** Counts added up. */
export function sumOf(counts: readonly AuditCounts[]): AuditCounts {
  return {
    attempts: counts.reduce((sum, each) => sum + each.attempts, 0),
    controls: counts.reduce((sum, each) => sum + each.controls, 0),
    controlsFailed: counts.flatMap((each) => each.controlsFailed),
    leaks: counts.flatMap((each) => each.leaks),
  };
}

/** The rights of a principal, by the decision function alone. */
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

async function entitlementOf(principal: Principal, { permissions, settings }: Home): Promise<Entitlement> {
  const grants = await permissions.list();
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
  /** Strings that must not come out of any attempt. */
  readonly hidden: readonly string[];
  readonly run: Run;
  readonly tally: Tally;
}

/** Tries every way to every canary as one principal, and the same ways to something that does not exist. */
export async function runAttempts(
  home: Home,
  app: AuditedSurface,
  canaries: readonly Canary[],
  principal: Principal,
  run: Run,
): Promise<Tally> {
  const entitlement = await entitlementOf(principal, home);
  const hidden = [
    ...canaries.filter((canary) => !entitlement.reads("read", canary)).flatMap(secretsOf),
    ...canaries
      .filter((canary) => !entitlement.enters("read", canary))
      .flatMap(({ told, room }) => [told, room]),
    ...canaries.filter((canary) => !entitlement.uses(canary)).flatMap(({ tool }) => [tool.find, tool.name]),
  ];
  const tally: Tally = new Map(auditedSurfaces.map((name) => [name, nothingTried()]));
  const trial: Trial = { app, canaries, entitlement, hidden, run, tally };
  for (const canary of canaries) {
    run.signal.throwIfAborted();
    for (const [attempt, stranger] of libraryAttempts(canary, app))
      await tryOne(attempt, stranger, canary, trial);
    const asOwner: Run = { ...run, principal: app.owner };
    const left = await app.documents([canary.collection], asOwner).catch(() => []);
    const evidence = `the collection of the canary now holds ${left.length} documents`;
    const changed = { surface: "library", name: "forget or ingest" } as const;
    if (left.length !== 1) addLeak(changed, evidence, canary, trial);
  }
  return tally;
}

const countsOf = ({ surface }: Pick<Attempt, "surface">, { tally }: Trial): Counting => {
  const counts = tally.get(surface);
  if (counts === undefined) throw new TypeError(`nothing counts ${surface}`);
  return counts;
};

function addLeak(
  attempt: Pick<Attempt, "surface" | "name">,
  evidence: string,
  { like }: Canary,
  trial: Trial,
): void {
  const { surface, name } = attempt;
  const principal = trial.entitlement.principal.name;
  countsOf(attempt, trial).leaks.push({ principal, surface, attempt: name, like, evidence });
}

/** Tries one way to a canary, and where it is denied the same way to something that is not there. */
async function tryOne(attempt: Attempt, stranger: Attempt, canary: Canary, trial: Trial): Promise<void> {
  const { app, run, entitlement } = trial;
  const can = ruleOf(attempt, entitlement);
  const allowed = attempt.own ? entitlement.principal.kind === "owner" : can(attempt.needs, canary);
  if (allowed && attempt.onlyDenied) return;
  const outcome = await reportOf(attempt, app, run);
  const leaked = gaveAway(outcome, attempt.own && !allowed, trial);
  if (leaked) addLeak(attempt, outcome.said.slice(0, 300), canary, trial);
  if (allowed) {
    if (attempt.certain) checkControl(attempt, outcome, canary, trial);
    return;
  }
  countsOf(attempt, trial).attempts += 1;
  if (leaked || namesNothing(attempt, outcome)) return;
  const evidence =
    !attempt.own && can("read", canary)
      ? whatWasDone(outcome)
      : difference(attempt, outcome, await reportOf(stranger, app, run));
  if (evidence !== null) addLeak(attempt, evidence, canary, trial);
}

function ruleOf({ room, place }: Attempt, { reads, enters, ingests }: Entitlement): Entitlement["reads"] {
  if (room) return enters;
  return place ? ingests : reads;
}

/**
 * A question without a name that was answered: an answer about something that does not exist would be the
 * same.
 */
const namesNothing = ({ compare, certain, place }: Attempt, { failed }: Report): boolean =>
  !compare && !certain && !place && !failed;

/**
 * Whether anything hidden came out; the ids of the owner's runs and jobs are hidden from others (`hidesIds`).
 */
function gaveAway({ text, said }: Report, hidesIds: boolean, { canaries, hidden }: Trial): boolean {
  const ids = hidesIds ? canaries.flatMap(({ asked, job }) => [`"id":"${asked}"`, `"id":"${job}"`]) : [];
  return ids.some((id) => text.includes(id)) || hidden.some((secret) => said.includes(secret));
}

/** An allowed attempt must succeed, else the audit proves nothing. */
function checkControl(attempt: Attempt, { said }: Report, canary: Canary, trial: Trial): void {
  const counts = countsOf(attempt, trial);
  counts.controls += 1;
  if (expectedOf(attempt, canary).some((word) => said.includes(word))) return;
  const where = `${attempt.surface}: ${attempt.name}, under the rules of ${canary.like}`;
  counts.controlsFailed.push(`${where}: ${said.slice(0, 200)}`);
}

function expectedOf({ own, room }: Attempt, canary: Canary): readonly string[] {
  if (own) return [canary.word, canary.secret, canary.collection];
  return room ? [canary.told, canary.room] : [canary.secret, canary.collection];
}

/** What may be read but not changed was changed; null where it was refused. */
const whatWasDone = ({ failed, said }: Report): string | null =>
  failed ? null : `it was done: ${said.slice(0, 200)}`;

/** How a refusal differs from the result for something that does not exist; null for no difference. */
function difference({ compare }: Attempt, outcome: Report, control: Report): string | null {
  const alike = compare ? outcome.said === control.said : outcome.failed === control.failed;
  if (alike) return null;
  return `it answers “${outcome.said.slice(0, 150)}”, and for what is not there “${control.said.slice(0, 150)}”`;
}

const secretsOf = ({ secret, collection, document }: Canary): readonly string[] => [
  secret,
  collection,
  document.id,
];

/** What came of an attempt, and what of it was not typed. */
interface Report extends AttemptOutcome {
  /** The text without the attempt's own input. */
  readonly said: string;
}

async function reportOf(attempt: Attempt, app: AuditedSurface, run: Run): Promise<Report> {
  const outcome = await attempt.work(app, run);
  run.signal.throwIfAborted();
  // The longest first: an id begins with its beginning.
  const typed = attempt.typed.toSorted((one, other) => other.length - one.length);
  return { ...outcome, said: typed.reduce((rest, word) => rest.replaceAll(word, "…"), outcome.text) };
}
