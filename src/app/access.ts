import type { AllowedResources } from "../core/answers/agent.ts";
import { decide } from "../core/decide.ts";
import { RagctlError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { didYouMean } from "../core/nearest.ts";
import type { AccessLevel, ActingAgent, Decision, DecisionRecord, Resource } from "../core/permission.ts";
import type { Hit, Instance } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import type { Decisions } from "../registry/company/decisions.ts";
import type { Permissions } from "../registry/company/permissions.ts";
import type { PrincipalRecord, Principals } from "../registry/company/principals.ts";
import type { Collections } from "../registry/documents/collections.ts";
import { printable } from "../registry/rows.ts";
import { closedPlace, folderResource } from "./roots.ts";

type Collection = ReturnType<Collections["list"]>[number];

/** The only place where a permission is asked for. Rules are read anew at each call, so that a change holds from the next one on. */
export interface Access {
  /** Who asks. @throws NOT_FOUND for an unknown one, PERMISSION_DENIED for a disabled one */
  principal(run: Run): PrincipalRecord;
  /** The decision itself, recorded. */
  decide(run: Run, agent: ActingAgent | null, action: AccessLevel, resource: Resource): Decision;
  /** The collections that the principal, through the agent, may use so; none means nothing, never everything. */
  allowed(run: Run, agent: ActingAgent | null, action: AccessLevel): AllowedResources;
  /** The collections to search: those named, or every one that may be read. @throws NOT_FOUND, COLLECTION_EMPTY when none is left */
  chosen(run: Run, agent: ActingAgent | null, names: readonly string[]): readonly Collection[];
  /** A collection by name. @throws NOT_FOUND when it is not there or may not be read, PERMISSION_DENIED */
  collection(
    run: Run,
    action: AccessLevel,
    name: string,
  ): { readonly name: string; readonly instance: Instance };
  /** Whether documents may be put into a collection that is there or would be made. @throws as `collection` */
  writable(run: Run, target: { readonly name: string; readonly instance: Instance }): void;
  /** Whether what is at a path, or would match it as a pattern, may be ingested. @throws PERMISSION_DENIED */
  source(run: Run, path: string): void;
  /** Why something that is come across below such a path may not be read after all; undefined where it may. Asked often, not recorded. */
  refusal(run: Run): (path: string, name: string) => RagctlError | undefined;
  /** @throws NOT_FOUND (suggesting among `visible`) when it may not be read, PERMISSION_DENIED when it may, but not this */
  require(
    run: Run,
    agent: ActingAgent | null,
    action: AccessLevel,
    resource: Resource,
    visible?: readonly string[],
  ): void;
  /** Of these agents, those the principal may use. */
  agents<T extends ActingAgent>(run: Run, agents: readonly T[]): readonly T[];
  /** Whether the principal, through the agent, may use a tool; to be asked before each call of it. */
  tool(run: Run, agent: ActingAgent | null, tool: ToolRow): Decision;
  /** Drops what may not be read (any more): the check after the store has answered. */
  keep<T extends Pick<Hit, "chunk">>(hits: readonly T[], run: Run, agent: ActingAgent | null): readonly T[];
  /** For what only the owner may do, e.g. change rules. @throws PERMISSION_DENIED */
  owner(run: Run, what: string): void;
}

/** What a decision needs of a tool's row. */
export interface ToolRow {
  readonly name: string;
  /** One of `toolTypes`. */
  readonly type: string;
  readonly permissions: JsonObject;
}

/** Where rules, names and collections come from, and where decisions go. */
export interface AccessParts {
  readonly principals: Pick<Principals, "find">;
  readonly permissions: Pick<Permissions, "list">;
  readonly decisions: Pick<Decisions, "record">;
  readonly collections: Pick<Collections, "list" | "instances">;
  /** ragctl's own folder. */
  readonly home: string;
}

/** Opens the door that everything readable goes through. */
export function openAccess({ principals, permissions, decisions, collections, home }: AccessParts): Access {
  const recorded = { run: "", keys: new Set<string>() };
  /** A run that decides the same many times (a batch) records it once. */
  const record = (run: Run, made: readonly DecisionRecord[]): void => {
    if (recorded.run !== run.id) Object.assign(recorded, { run: run.id, keys: new Set<string>() });
    const fresh = made.filter(({ principal, agent, action, resource, effect, rule, grantId }) => {
      const key = JSON.stringify([
        principal,
        agent,
        action,
        resource.kind,
        resource.name,
        resource.instance,
        effect,
        rule,
        grantId,
      ]);
      return recorded.keys.size !== recorded.keys.add(key).size;
    });
    try {
      decisions.record(run.id, fresh);
    } catch (error) {
      run.log.warn(
        `decisions could not be recorded: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  const principalOf = (run: Run): PrincipalRecord => {
    const principal = principals.find(run.principal);
    // Nobody in particular asks, so that no other name is suggested.
    if (principal === undefined)
      throw new RagctlError("NOT_FOUND", `there is no principal "${printable(run.principal)}"`, {
        hint: "the owner sees who there is: ragctl principals list",
      });
    if (principal.enabled) return principal;
    throw new RagctlError("PERMISSION_DENIED", `the principal ${principal.name} is disabled`, {
      hint: `the owner enables it: ragctl principals enable "${principal.name}"`,
    });
  };
  /** One state of the rules, for one call. */
  const judge = (run: Run, agent: ActingAgent | null) => {
    const principal = principalOf(run);
    const grants = permissions.list();
    const made: DecisionRecord[] = [];
    return {
      principal,
      decide(action: AccessLevel, resource: Resource, through = agent): Decision {
        const decision = decide({ principal, agent: through, action, resource, grants });
        made.push({ ...decision, principal: principal.name, agent: through?.name ?? "", action, resource });
        return decision;
      },
      may: (action: AccessLevel, resource: Resource): boolean =>
        decide({ principal, agent, action, resource, grants }).effect === "allow",
      [Symbol.dispose]: () => record(run, made),
    };
  };
  const readable = (run: Run, agent: ActingAgent | null, action: AccessLevel = "read"): readonly string[] => {
    using judgement = judge(run, agent);
    return Array.from(collections.instances())
      .filter(
        ([name, instance]) =>
          judgement.decide(action, collectionResource({ name, instance })).effect === "allow",
      )
      .map(([name]) => name);
  };
  const noCollection = (run: Run, agent: ActingAgent | null, name: string): RagctlError =>
    notFound("collection", name, readable(run, agent));

  return {
    principal: principalOf,
    decide(run, agent, action, resource) {
      using judgement = judge(run, agent);
      return judgement.decide(action, resource);
    },
    allowed(run, agent, action) {
      const names = readable(run, agent, action);
      // Only what the principal may see by itself is counted: the number tells of no collection that it may not know of.
      const withheld = agent === null ? 0 : readable(run, null, action).length - names.length;
      return { collections: names, withheld };
    },
    chosen(run, agent, names) {
      const known = new Set(readable(run, agent));
      for (const name of names) if (!known.has(name)) throw noCollection(run, agent, name);
      const wanted = names.length === 0 ? known : new Set(names);
      if (wanted.size > 0) return collections.list().filter(({ name }) => wanted.has(name));
      throw new RagctlError("COLLECTION_EMPTY", "nothing has been ingested yet", {
        hint: "run: ragctl ingest PATH",
      });
    },
    collection(run, action, name) {
      using judgement = judge(run, null);
      const instance = collections.instances().get(name);
      if (instance === undefined) throw noCollection(run, null, name);
      const resource = collectionResource({ name, instance });
      const decision = judgement.decide(action, resource);
      if (decision.effect === "allow") return { name, instance };
      throw judgement.may("read", resource) ? denied(decision) : noCollection(run, null, name);
    },
    writable(run, target) {
      using judgement = judge(run, null);
      const known = collections.instances().get(target.name);
      const resource = collectionResource({ name: target.name, instance: known ?? target.instance });
      const decision = judgement.decide("write", resource);
      if (decision.effect === "allow") return;
      throw known !== undefined && judgement.may("read", resource)
        ? denied(decision)
        : noCollection(run, null, target.name);
    },
    source(run, path) {
      using judgement = judge(run, null);
      const decision = judgement.decide("read", folderResource(path, home));
      if (decision.effect === "deny")
        throw closedPlace("PERMISSION_DENIED", path, decision, judgement.principal);
    },
    refusal(run) {
      const principal = principalOf(run);
      return (path, name) => {
        const decision = decide({
          principal,
          agent: null,
          action: "read",
          resource: folderResource(path, home),
          grants: [],
        });
        return decision.effect === "deny"
          ? closedPlace("SOURCE_OUTSIDE", name, decision, principal)
          : undefined;
      };
    },
    require(run, agent, action, resource, visible = []) {
      using judgement = judge(run, agent);
      const decision = judgement.decide(action, resource);
      if (decision.effect === "allow") return;
      throw action !== "read" && judgement.may("read", resource)
        ? denied(decision)
        : notFound(resource.kind, resource.name, visible);
    },
    agents(run, agents) {
      using judgement = judge(run, null);
      return agents.filter(
        (agent) => agent.enabled && judgement.decide("read", agentResource(agent)).effect === "allow",
      );
    },
    tool(run, agent, tool) {
      using judgement = judge(run, agent);
      return judgement.decide("read", toolResource(tool, judgement.principal.departments));
    },
    keep(hits, run, agent) {
      if (hits.length === 0) return hits;
      const names = new Set(readable(run, agent));
      const kept = hits.filter(({ chunk }) => names.has(chunk.collection));
      if (kept.length < hits.length) run.log.event("hits_withheld", { hits: hits.length - kept.length });
      return kept;
    },
    owner(run, what) {
      const principal = principalOf(run);
      if (principal.kind === "owner") return;
      throw new RagctlError("PERMISSION_DENIED", `${principal.name} may not ${what}: only the owner may`, {
        hint: "leave out --as to act as the owner of this home",
      });
    },
  };
}

/** A collection as decisions know it. */
export function collectionResource({
  name,
  instance,
}: {
  readonly name: string;
  readonly instance: Instance;
}): Resource {
  return { kind: "collection", name, instance, department: "" };
}

/** An agent as decisions know it. */
export function agentResource({ name, department }: Pick<ActingAgent, "name" | "department">): Resource {
  return { kind: "agent", name, instance: "", department };
}

/** Types of tools that reach the network, unless their row says `network: false`. */
const reachNetwork: readonly string[] = ["web_search", "api_call"];

/** A tool as decisions know it: with a grant only when it reaches the network, says so, or is kept for departments the principal is not of. */
export function toolResource(
  { name, type, permissions }: ToolRow,
  departments: readonly string[] = [],
): Resource {
  const kept = permissions["departments"];
  const foreign =
    Array.isArray(kept) && !kept.some((each) => typeof each === "string" && departments.includes(each));
  return {
    kind: "tool",
    name,
    instance: "",
    department: "",
    restricted:
      permissions["requires_grant"] === true ||
      (permissions["network"] ?? reachNetwork.includes(type)) === true ||
      foreign,
  };
}

function denied({ reason }: Decision): RagctlError {
  return new RagctlError("PERMISSION_DENIED", reason, {
    hint: "the owner sees why with: ragctl permissions explain",
  });
}

/** The same words whether there is no such thing or it may not be seen; only what may be seen is suggested. */
export function notFound(kind: string, name: string, visible: readonly string[]): RagctlError {
  const shown = name.slice(0, 100).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
  const known = `there are: ${visible.slice(0, 20).join(", ")}${visible.length > 20 ? " …" : ""}`;
  const hint =
    visible.length > 0
      ? known
      : kind === "collection"
        ? "ragctl ingest <folder> makes the first one"
        : "check its name";
  return new RagctlError("NOT_FOUND", `there is no ${kind} "${shown}"${didYouMean(name, visible)}`, { hint });
}
