import { existsSync } from "node:fs";
import { decide, generalDepartment } from "../../core/decide.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import type { AccessLevel, Decision, Grant, Principal, Resource } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { DecisionFilter, RecordedDecision } from "../../registry/company/decisions.ts";
import type { RuleFilter, RuleInput } from "../../registry/company/permissions.ts";
import type { PrincipalChanges, PrincipalInput, PrincipalRecord } from "../../registry/company/principals.ts";
import { placementByName } from "../../registry/company/profiles.ts";
import { agentResource, collectionResource, toolResource } from "../access.ts";
import type { ServeCopy } from "../audit/attempt.ts";
import type { AuditEvent } from "../audit/audit.ts";
import type { Home } from "../home.ts";
import { folderResource, rootFolder } from "../roots.ts";
import { withOwnerCheck } from "./guarded.ts";

/** What `explain` is asked: names as typed. */
export interface ExplainRequest {
  readonly principal: string;
  readonly action: AccessLevel;
  readonly resourceKind: Resource["kind"];
  readonly resource: string;
  /** Agent that acts; null: the principal without an agent. */
  readonly agent: string | null;
  /** Where a collection that is not there yet would be; default private. */
  readonly instance?: Instance;
}

/** A decision with the deciding rule of the registry. */
export interface Explanation extends Decision {
  readonly principal: PrincipalRecord;
  readonly agent: string | null;
  readonly action: AccessLevel;
  readonly resource: Resource;
  /** Whether the registry knows the resource. */
  readonly exists: boolean;
  readonly grant: Grant | null;
}

/** What each principal may do with every collection; `effects` are in the order of the collections. */
export interface PermissionMatrix {
  readonly collections: readonly string[];
  readonly principals: readonly (Principal & { readonly effects: readonly Decision["effect"][] })[];
}

/** What only the owner may do with principals and rules; every member raises PERMISSION_DENIED for others. */
export interface PermissionsApi {
  /** Checks who asks. @throws NOT_FOUND for an unknown principal, PERMISSION_DENIED for a disabled one */
  principal(run: Run): Promise<PrincipalRecord>;
  principals(run: Run): Promise<readonly PrincipalRecord[]>;
  /** @throws NOT_FOUND */
  getPrincipal(reference: string, run: Run): Promise<PrincipalRecord>;
  /** Folders are kept by their real paths. @throws SOURCE_MISSING, USAGE_INVALID */
  addPrincipal(principal: PrincipalInput, run: Run): Promise<PrincipalRecord>;
  /** Folders are kept by their real paths. @throws NOT_FOUND, SOURCE_MISSING, USAGE_INVALID */
  setPrincipal(reference: string, changes: PrincipalChanges, run: Run): Promise<PrincipalRecord>;
  removePrincipal(reference: string, run: Run): Promise<PrincipalRecord>;
  rules(filter: RuleFilter, run: Run): Promise<readonly Grant[]>;
  /**
   * Principals, agents and tools must exist; a collection keeps its instance unless one is named. The notes
   * name likely slips.
   * @throws NOT_FOUND, USAGE_INVALID
   */
  putRule(rule: RuleInput, run: Run): Promise<{ readonly rule: Grant; readonly notes: readonly string[] }>;
  /** @throws NOT_FOUND */
  removeRules(filter: RuleFilter | { readonly id: string }, run: Run): Promise<readonly Grant[]>;
  explain(request: ExplainRequest, run: Run): Promise<Explanation>;
  /** Of `limit` principals from `offset` on. */
  matrix(action: AccessLevel, offset: number, limit: number, run: Run): Promise<PermissionMatrix>;
  decisions(filter: DecisionFilter, run: Run): Promise<readonly RecordedDecision[]>;
  /** Searches for leaks: in the library alone, or with `serve` in everything that is served too. */
  audit(serve: ServeCopy | null, run: Run): AsyncIterable<AuditEvent>;
}

/**
 * Folders by their real paths, which ingested paths are compared with. @throws SOURCE_MISSING, USAGE_INVALID
 * for anything but a folder
 */
function withRealRoots<T extends { readonly roots?: readonly string[] | undefined }>(input: T): T {
  if (input.roots === undefined) return input;
  return { ...input, roots: input.roots.map(rootFolder) };
}

/** Creates the owner's side of the permissions. */
export function createPermissionsApi(home: Home): PermissionsApi {
  const { access, principals, permissions, decisions } = home;
  const requireOwner = (run: Run) => access.owner(run, "manage principals and permissions");
  return {
    principal: access.principal,
    async *audit(serve: ServeCopy | null, run: Run) {
      await requireOwner(run);
      const { audit } = await import("../audit/audit.ts");
      yield* audit(home, serve, run);
    },
    ...withOwnerCheck(requireOwner, {
      principals: () => principals.list(),
      getPrincipal: (reference: string) => principals.get(reference),
      addPrincipal: (principal: PrincipalInput) => principals.add(withRealRoots(principal)),
      setPrincipal: (reference: string, changes: PrincipalChanges) =>
        principals.set(reference, withRealRoots(changes)),
      removePrincipal: (reference: string) => principals.remove(reference),
      rules: (filter: RuleFilter) => permissions.list(filter),
      putRule: (input: RuleInput) =>
        home.registry.write(async () => {
          const [rule, notes] = await settledRule(input, home);
          return { rule: await permissions.put(rule), notes };
        }),
      removeRules: (filter: RuleFilter | { readonly id: string }) => permissions.remove(filter),
      explain: (request: ExplainRequest) => explain(request, home),
      matrix: (action: AccessLevel, offset: number, limit: number) => matrix(action, offset, limit, home),
      decisions: (filter: DecisionFilter) => decisions.list(filter),
    }),
  };
}

async function explain(request: ExplainRequest, home: Home): Promise<Explanation> {
  const { principals, agents, permissions } = home;
  const { action } = request;
  const principal = await principals.get(request.principal);
  const agent = request.agent === null ? null : await agents.get(request.agent);
  const { resource, exists } = await resourceOf(request, principal.departments, home);
  const decision = decide({ principal, agent, action, resource, grants: await permissions.list() });
  const grant = decision.grantId === null ? null : await permissions.get(decision.grantId);
  return { ...decision, principal, agent: agent?.name ?? null, action, resource, exists, grant };
}

async function matrix(
  action: AccessLevel,
  offset: number,
  limit: number,
  { principals, permissions, collections, profiles }: Home,
): Promise<PermissionMatrix> {
  const subjects = (await principals.list()).slice(offset, offset + limit);
  const grants = await permissions.list();
  const planned = (await profiles.list()).map(({ name, instance }) => [name, instance] as const);
  const instances = new Map([...planned, ...(await collections.instances())]);
  const names = [...instances.keys()].sort();
  const resources = names.map((name) =>
    collectionResource({ name, instance: instances.get(name) ?? "private" }),
  );
  return {
    collections: names,
    principals: subjects.map((principal) => ({
      ...principal,
      effects: resources.map(
        (resource) => decide({ principal, agent: null, action, resource, grants }).effect,
      ),
    })),
  };
}

async function resourceOf(
  { resourceKind, resource: name, instance = "private" }: ExplainRequest,
  departments: readonly string[],
  { agents, tools, collections, settings }: Home,
): Promise<Pick<Explanation, "resource" | "exists">> {
  switch (resourceKind) {
    case "agent":
      return { resource: agentResource(await agents.get(name)), exists: true };
    case "tool":
      return { resource: toolResource(await tools.get(name), departments), exists: true };
    case "folder":
      return { resource: folderResource(name, settings.home), exists: existsSync(name) };
    case "room":
      return { resource: { kind: "room", name, instance: "", department: "" }, exists: false };
    case "collection": {
      const record = await collections.find(name);
      return { resource: collectionResource(record ?? { name, instance }), exists: record !== undefined };
    }
  }
}

/** A rule with names spelt as in the registry and the instance filled in, and notes on likely slips. */
async function settledRule(input: RuleInput, home: Home): Promise<readonly [RuleInput, readonly string[]]> {
  const { principals, agents, tools } = home;
  const notes: string[] = [];
  const { resourceKind = "collection", subjectKind } = input;
  let { subject, resource, instance } = input;
  if (subjectKind === "principal") subject = (await principals.get(subject)).name;
  else notes.push(...(await departmentNotes(subject, home)));
  if (resource !== "*") {
    if (resourceKind === "agent") resource = (await agents.get(resource)).name;
    if (resourceKind === "tool") resource = (await tools.get(resource)).name;
    if (resourceKind === "collection") {
      const placement = await placedRule(input, home);
      instance = placement.instance;
      notes.push(...placement.notes);
    }
  }
  return [{ ...input, resourceKind, subject, resource, instance: instance ?? "" }, notes];
}

async function departmentNotes(subject: string, { agents, principals }: Home): Promise<readonly string[]> {
  const departments = new Set([
    generalDepartment,
    ...(await agents.list()).map(({ department }) => department),
    ...(await principals.list()).flatMap((principal) => principal.departments),
  ]);
  if (departments.has(subject)) return [];
  return [slipOf("principal or agent of the department", subject, departments)];
}

/**
 * The instance of the collection in a rule. A denial of one that is not planned covers both.
 * @throws USAGE_INVALID for a rule that allows where the instance is ambiguous
 */
async function placedRule(
  { resource, instance: named, effect, level }: RuleInput,
  { collections, profiles }: Home,
): Promise<{ readonly instance: RuleInput["instance"]; readonly notes: readonly string[] }> {
  const instances = await collections.instances();
  const described = await profiles.list();
  const existing = instances.get(resource);
  const planned = named ?? existing ?? described.find(({ name }) => name === resource)?.instance;
  const isPrivate = effect === "allow" && placementByName(resource).instance === "private";
  const instance = planned ?? (isPrivate ? "private" : undefined);
  if (instance === undefined && effect === "allow")
    throw new RagctlError(
      "USAGE_INVALID",
      `collection ${resource} does not exist yet, so the rule must name its instance`,
      {
        hint: "add --instance public or --instance private",
      },
    );
  const names = [...instances.keys(), ...described.map(({ name }) => name)];
  const notes: string[] = [];
  if (existing === undefined)
    notes.push(...(names.includes(resource) ? [] : [slipOf("collection", resource, names)]));
  else if (instance !== existing)
    notes.push(
      `collection ${resource} is ${existing}; a rule for the ${instance} instance does not apply to it`,
    );
  if (effect === "allow" && level === "read" && instance === "public")
    notes.push(
      `every principal can read ${resource} without this rule because it is public; to restrict it, ${
        existing === undefined
          ? "grant it, and ingest into it, with --instance private"
          : `run \`ragctl collections migrate ${resource} --instance private\`, then grant again`
      }`,
    );
  return { instance, notes };
}

function slipOf(kind: string, name: string, names: Iterable<string>): string {
  return `there is no ${kind} ${name} yet${didYouMean(name, names, "")}`;
}
