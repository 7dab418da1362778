import { existsSync } from "node:fs";
import { decide, generalDepartment } from "../../core/decide.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import type { AccessLevel, Decision, Grant, Resource } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { openAgents } from "../../registry/company/agents.ts";
import type { DecisionFilter, RecordedDecision } from "../../registry/company/decisions.ts";
import type { RuleFilter, RuleInput } from "../../registry/company/permissions.ts";
import type { PrincipalChanges, PrincipalInput, PrincipalRecord } from "../../registry/company/principals.ts";
import { openProfiles } from "../../registry/company/profiles.ts";
import { openTools } from "../../registry/company/tools.ts";
import { agentResource, collectionResource, toolResource } from "../access.ts";
import type { Core, CoreParts } from "../home.ts";
import { folderResource, rootFolder } from "../roots.ts";
import type { AuditEvent } from "./audit.ts";

/** What `explain` is asked: names as typed. */
export interface ExplainRequest {
  readonly principal: string;
  readonly action: AccessLevel;
  readonly resourceKind: Resource["kind"];
  readonly resource: string;
  /** Agent that acts; null: the principal for itself. */
  readonly agent: string | null;
  /** Where a collection that is not there yet would be; default private. */
  readonly instance?: Instance;
}

/** A decision with the rule of the registry behind it. */
export interface Explanation extends Decision {
  readonly principal: PrincipalRecord;
  readonly agent: string | null;
  readonly action: AccessLevel;
  readonly resource: Resource;
  /** Whether the registry knows the resource. */
  readonly exists: boolean;
  readonly grant: Grant | null;
}

/** What only the owner may do with principals and rules; every member raises PERMISSION_DENIED for others. */
export interface Administration {
  /** Checks who asks. @throws NOT_FOUND for an unknown principal, PERMISSION_DENIED for a disabled one */
  principal(run: Run): PrincipalRecord;
  principals(run: Run): readonly PrincipalRecord[];
  /** @throws NOT_FOUND */
  getPrincipal(reference: string, run: Run): PrincipalRecord;
  /** Folders are kept by their real paths. @throws SOURCE_MISSING, USAGE_INVALID */
  addPrincipal(principal: PrincipalInput, run: Run): PrincipalRecord;
  /** Folders are kept by their real paths. @throws NOT_FOUND, SOURCE_MISSING, USAGE_INVALID */
  setPrincipal(reference: string, changes: PrincipalChanges, run: Run): PrincipalRecord;
  removePrincipal(reference: string, run: Run): PrincipalRecord;
  rules(filter: RuleFilter, run: Run): readonly Grant[];
  /**
   * Principals, agents and tools must be there; a collection's instance is the one it has unless named. The notes say what looks like a slip.
   * @throws NOT_FOUND, USAGE_INVALID
   */
  putRule(rule: RuleInput, run: Run): { readonly rule: Grant; readonly notes: readonly string[] };
  /** @throws NOT_FOUND */
  removeRules(filter: RuleFilter | { readonly id: string }, run: Run): readonly Grant[];
  explain(request: ExplainRequest, run: Run): Explanation;
  decisions(filter: DecisionFilter, run: Run): readonly RecordedDecision[];
  audit(run: Run): AsyncIterable<AuditEvent>;
}

/** Folders by their real paths, as what is ingested is compared with them. @throws SOURCE_MISSING, USAGE_INVALID for what is no folder */
function withRealRoots<T extends { readonly roots?: readonly string[] | undefined }>(input: T): T {
  if (input.roots === undefined) return input;
  return { ...input, roots: input.roots.map(rootFolder) };
}

/** Opens the owner's side of the permissions. */
export function openAdministration(core: Core, parts: CoreParts): Administration {
  const { access, principals, permissions, decisions, collections } = core;
  const [agents, tools] = [openAgents(parts.registry), openTools(parts.registry)];
  const owner = (run: Run): void => access.owner(run, "manage principals and permissions");

  const resourceOf = (
    { resourceKind, resource, instance = "private" }: ExplainRequest,
    departments: readonly string[],
  ) => {
    if (resourceKind === "agent") return { resource: agentResource(agents.get(resource)), exists: true };
    if (resourceKind === "tool")
      return { resource: toolResource(tools.get(resource), departments), exists: true };
    if (resourceKind === "folder")
      return { resource: folderResource(resource, parts.settings.home), exists: existsSync(resource) };
    if (resourceKind === "room")
      return {
        resource: { kind: "room", name: resource, instance: "", department: "" } as const,
        exists: false,
      };
    const known = collections.find(resource);
    return {
      resource: collectionResource(known ?? { name: resource, instance }),
      exists: known !== undefined,
    };
  };

  const departments = (): ReadonlySet<string> =>
    new Set([
      generalDepartment,
      ...agents.list().map((each) => each.department),
      ...principals.list().flatMap((each) => each.departments),
    ]);
  const slip = (kind: string, name: string, known: Iterable<string>): string => {
    return `there is no ${kind} ${name} yet${didYouMean(name, known, "")}`;
  };

  /** A rule with names as they are written in the registry and the instance filled in. */
  const settled = (rule: RuleInput): readonly [RuleInput, readonly string[]] => {
    const notes: string[] = [];
    const { resourceKind = "collection", effect } = rule;
    let { subject, resource, instance } = rule;
    if (rule.subjectKind === "principal") subject = principals.get(subject).name;
    else if (!departments().has(subject))
      notes.push(slip("principal or agent of the department", subject, departments()));
    if (resourceKind === "agent" && resource !== "*") resource = agents.get(resource).name;
    if (resourceKind === "tool" && resource !== "*") resource = tools.get(resource).name;
    if (resourceKind === "collection" && resource !== "*") {
      const known = collections.instances().get(resource);
      instance ??= known ?? openProfiles(parts.registry).find(resource)?.instance;
      if (known === undefined) notes.push(slip("collection", resource, collections.instances().keys()));
      else if (instance !== known)
        notes.push(
          `the collection ${resource} is ${known}: a rule for the ${instance} one does not touch it`,
        );
      if (instance === undefined && effect === "allow")
        throw new RagctlError(
          "USAGE_INVALID",
          `there is no collection ${resource} yet, so the rule must say where it will be`,
          {
            hint: "add --instance public or --instance private",
          },
        );
    }
    return [{ ...rule, resourceKind, subject, resource, instance: instance ?? "" }, notes];
  };

  return {
    principal: access.principal,
    principals(run) {
      owner(run);
      return principals.list();
    },
    getPrincipal(reference, run) {
      owner(run);
      return principals.get(reference);
    },
    addPrincipal(principal, run) {
      owner(run);
      return principals.add(withRealRoots(principal));
    },
    setPrincipal(reference, changes, run) {
      owner(run);
      return principals.set(reference, withRealRoots(changes));
    },
    removePrincipal(reference, run) {
      owner(run);
      return principals.remove(reference);
    },
    rules(filter, run) {
      owner(run);
      return permissions.list(filter);
    },
    putRule(rule, run) {
      owner(run);
      const [input, notes] = settled(rule);
      return { rule: permissions.put(input), notes };
    },
    removeRules(filter, run) {
      owner(run);
      return permissions.remove(filter);
    },
    explain(request, run) {
      owner(run);
      const principal = principals.get(request.principal);
      const agent = request.agent === null ? null : agents.get(request.agent);
      const { resource, exists } = resourceOf(request, principal.departments);
      const { action } = request;
      const decision = decide({ principal, agent, action, resource, grants: permissions.list() });
      const grant = decision.grantId === null ? null : permissions.get(decision.grantId);
      return { ...decision, principal, agent: agent?.name ?? null, action, resource, exists, grant };
    },
    decisions(filter, run) {
      owner(run);
      return decisions.list(filter);
    },
    async *audit(run) {
      owner(run);
      const { audit } = await import("./audit.ts");
      yield* audit(core, parts, run);
    },
  };
}
