import type { AccessLevel, ActingAgent, Decision, Grant, Principal, Resource } from "./permission.ts";
import { accessLevels } from "./permission.ts";
import { toNfc } from "./text.ts";

/** A question to the one function that decides. */
export interface DecisionRequest {
  readonly principal: Principal;
  /** Null: the principal acts without an agent. */
  readonly agent: ActingAgent | null;
  readonly action: AccessLevel;
  readonly resource: Resource;
  /** Every rule of the registry; those about others are passed over. */
  readonly grants: readonly Grant[];
}

/** Department whose agents everyone may use; one of them takes the questions that suit no other. */
export const generalDepartment = "general";

/**
 * Whether two names are equal after NFC, ignoring the case of A to Z, as the registry's NOCASE columns
 * compare.
 */
export const sameName = (left: string, right: string): boolean => fold(left) === fold(right);
const fold = (name: string): string => toNfc(name).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const rank = (level: AccessLevel): number => accessLevels.indexOf(level);

const verbs: Readonly<Record<AccessLevel, string>> = { read: "read", write: "write to", admin: "administer" };

/** The request in words, e.g. `read the collection hr_docs`. */
function wish(action: AccessLevel, { kind, name }: Resource): string {
  if (kind === "folder" && action === "read") return `ingest ${name}`;
  const verb = action === "read" && (kind === "agent" || kind === "tool") ? "use" : verbs[action];
  return `${verb} the ${kind} ${name}`;
}

/** Whether a rule speaks about the resource, whomever it is about. */
function covers(grant: Grant, resource: Resource): boolean {
  return (
    grant.resourceKind === resource.kind &&
    (grant.resource === "*" || sameName(grant.resource, resource.name)) &&
    (grant.instance === "" || grant.instance === resource.instance)
  );
}

/** Whether a rule is about the principal: by its name or by one of its departments. */
function concerns(grant: Grant, principal: Principal): boolean {
  return grant.subjectKind === "principal"
    ? sameName(grant.subject, principal.name)
    : principal.departments.some((department) => sameName(department, grant.subject));
}

const ofDepartment = (grant: Grant, department: string): boolean =>
  grant.subjectKind === "department" && sameName(grant.subject, department);

const openToAll = (action: AccessLevel, { kind, instance }: Resource): boolean =>
  action === "read" && (kind === "collection" || kind === "room") && instance === "public";

/** Whether a path is a folder or below it. Both are absolute, real, and have `/` between parts. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** The principal's own rights, without denials. */
function own(
  { principal, action, resource, grants }: DecisionRequest,
  mayUse: (agent: ActingAgent) => boolean,
): Decision {
  const asked = wish(action, resource);
  if (principal.kind === "owner")
    return { effect: "allow", rule: "owner", reason: "the owner may do everything", grantId: null };
  const root =
    resource.kind === "folder" && action === "read"
      ? principal.roots?.find((each) => isWithin(resource.name, each))
      : undefined;
  if (root !== undefined)
    return {
      effect: "allow",
      rule: "root",
      reason: `${principal.name} may ingest from ${root}`,
      grantId: null,
    };
  if (openToAll(action, resource))
    return { effect: "allow", rule: "public", reason: `everyone may ${asked}: it is public`, grantId: null };
  const grant = grants.find(
    (each) =>
      each.effect === "allow" &&
      covers(each, resource) &&
      concerns(each, principal) &&
      rank(each.level) >= rank(action),
  );
  if (grant !== undefined) {
    const who = grant.subjectKind === "principal" ? principal.name : `department ${grant.subject}`;
    return { effect: "allow", rule: "grant", reason: `${who} was granted ${grant.level}`, grantId: grant.id };
  }
  if (action === "read" && resource.kind === "agent" && mayUse({ ...resource, enabled: true }))
    return {
      effect: "allow",
      rule: "agent-department",
      reason: `${principal.name} may use agents of department ${resource.department}`,
      grantId: null,
    };
  if (action === "read" && resource.kind === "tool" && resource.restricted !== true)
    return {
      effect: "allow",
      rule: "tool-open",
      reason: `everyone who may use the agent may ${asked}`,
      grantId: null,
    };
  return {
    effect: "deny",
    rule: "default-deny",
    reason: `no rule allows ${principal.name} to ${asked}`,
    grantId: null,
  };
}

/** Whether a department was given the right itself. */
const isGrantedTo = (department: string, { action, resource, grants }: DecisionRequest): boolean =>
  grants.some(
    (grant) =>
      grant.effect === "allow" &&
      covers(grant, resource) &&
      ofDepartment(grant, department) &&
      rank(grant.level) >= rank(action),
  );

/** Whether a folder is of ragctl's own home, and none that the owner fetched documents into. */
const isClosed = ({ isHome, isFetched }: Resource, { kind }: Principal): boolean =>
  isHome === true && !(isFetched === true && kind === "owner");

/**
 * Decides whether a principal, by itself or through an agent, may do something. In this order:
 * 1. a disabled principal and a disabled agent may do nothing, and nobody ingests from ragctl's own home,
 *   except what was uploaded (about that the collection it was uploaded into decides, by its level write), and the
 *   owner what it fetched;
 * 2. a denial of the principal, of one of its departments or of the agent's department beats everything; one
 *   of a level denies those above it;
 * 3. the principal needs the right: as the owner, because what it reads is public, by a grant of the level or
 *   one above it, for folders because it was given one that holds them, for agents by department (`general`
 *   is everyone's), for tools that are not restricted by using the agent;
 * 4. through an agent, the principal must be allowed to use that agent, and for collections and rooms the
 *   agent's department needs the right too: because it is public, or by a grant to the department. What may
 *   be done is what both may do.
 * Everything else is denied. Pure: the same request always gives the same decision.
 */
export function decide(request: DecisionRequest): Decision {
  const { principal, agent, action, resource, grants } = request;
  const asked = wish(action, resource);
  const deny = (rule: string, reason: string, grantId: string | null = null): Decision => ({
    effect: "deny",
    rule,
    reason,
    grantId,
  });
  if (!principal.enabled) return deny("principal-disabled", `${principal.name} is disabled`);
  if (agent !== null && !agent.enabled) return deny("agent-disabled", `agent ${agent.name} is disabled`);

  if (resource.uploadedTo !== undefined) {
    const collection: Resource = { kind: "collection", department: "", ...resource.uploadedTo };
    return decide({ ...request, action: "write", resource: collection });
  }
  if (isClosed(resource, principal))
    return deny("home-closed", `${resource.name} is in ragctl's own home, from which nobody may ingest`);

  const denied = (about: Resource, level: AccessLevel): Grant | undefined =>
    grants.find(
      (grant) =>
        grant.effect === "deny" &&
        covers(grant, about) &&
        rank(grant.level) <= rank(level) &&
        (concerns(grant, principal) || (agent !== null && ofDepartment(grant, agent.department))),
    );
  const denial = denied(resource, action);
  if (denial !== undefined) {
    const who = denial.subjectKind === "principal" ? principal.name : `department ${denial.subject}`;
    return deny(
      "deny-beats-grant",
      `${who} is denied permission to ${asked}; a denial overrides every grant`,
      denial.id,
    );
  }

  const mayUse = ({ name, department }: ActingAgent): boolean => {
    const asResource: Resource = { kind: "agent", name, department, instance: "" };
    if (denied(asResource, "read") !== undefined) return false;
    if (principal.kind === "owner" || sameName(department, generalDepartment)) return true;
    if (principal.departments.some((each) => sameName(each, department))) return true;
    return grants.some(
      (grant) => grant.effect === "allow" && covers(grant, asResource) && concerns(grant, principal),
    );
  };
  const decision = own(request, mayUse);
  if (decision.effect === "deny" || agent === null) return decision;
  if (!mayUse(agent)) return deny("agent-not-allowed", `${principal.name} may not use agent ${agent.name}`);
  if (resource.kind !== "collection" && resource.kind !== "room") return decision;
  if (openToAll(action, resource)) return decision;
  return isGrantedTo(agent.department, request)
    ? decision
    : deny(
        "agent-not-granted",
        `department ${agent.department} of agent ${agent.name} has no permission to ${asked}`,
      );
}
