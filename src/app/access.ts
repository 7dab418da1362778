import type { AllowedResources } from "../core/answers/agent.ts";
import { decide } from "../core/decide.ts";
import { RagctlError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { didYouMean } from "../core/nearest.ts";
import {
  type AccessLevel,
  type ActingAgent,
  type Decision,
  type DecisionRecord,
  explainCommand,
  type Grant,
  type Resource,
} from "../core/permission.ts";
import type { Hit, Instance } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import { createDecisionRecorder, type Decisions, type Recorder } from "../registry/company/decisions.ts";
import type { Permissions } from "../registry/company/permissions.ts";
import type { PrincipalRecord, Principals } from "../registry/company/principals.ts";
import type { Database } from "../registry/database.ts";
import type { Collections } from "../registry/documents/collections.ts";
import { sanitizeForMessage } from "../registry/rows.ts";
import { folderResource, forbiddenPathError } from "./roots.ts";

type Collection = Awaited<ReturnType<Collections["list"]>>[number];

/**
 * What a principal may read by the rules at one moment. It finds and chooses; results of a store are checked
 * by newer rules.
 */
export interface Sight {
  /** Collections that the principal, through the agent, may read; null for the principal by itself. */
  readableBy(agent: ActingAgent | null): Promise<readonly string[]>;
}

/** A collection, and where it is kept. */
interface NamedCollection {
  readonly name: string;
  readonly instance: Instance;
}

/**
 * The only place that checks permissions. Rules are read again at each call, so that a change applies from
 * the next one on.
 */
export interface Access {
  /** Who asks. @throws NOT_FOUND for an unknown one, PERMISSION_DENIED for a disabled one */
  principal(run: Run): Promise<PrincipalRecord>;
  /** Reads the rules once, for a question that compares many agents; the next question takes another. */
  sight(run: Run): Promise<Sight>;
  /** The decision itself, recorded. */
  decide(run: Run, agent: ActingAgent | null, action: AccessLevel, resource: Resource): Promise<Decision>;
  /** As `decide` for each of the resources, in their order, by one state of the rules. */
  decideAll(
    run: Run,
    agent: ActingAgent | null,
    action: AccessLevel,
    resources: readonly Resource[],
  ): Promise<readonly Decision[]>;
  /**
   * The collections that the principal, through the agent, may use so; none means nothing, never everything.
   */
  allowed(run: Run, agent: ActingAgent | null, action: AccessLevel): Promise<AllowedResources>;
  /**
   * The collections to search: those named, or every readable one. @throws NOT_FOUND, COLLECTION_EMPTY when
   * none is left
   */
  chosen(run: Run, agent: ActingAgent | null, names: readonly string[]): Promise<readonly Collection[]>;
  /** A collection by name. @throws NOT_FOUND when it is not there or may not be read, PERMISSION_DENIED */
  collection(run: Run, action: AccessLevel, name: string): Promise<NamedCollection>;
  /**
   * Whether documents may be put into a collection that is there or would be made. @throws as `collection`
   */
  writable(run: Run, target: NamedCollection): Promise<void>;
  /** Whether files at a path, or matching it as a pattern, may be ingested. @throws PERMISSION_DENIED */
  source(run: Run, path: string): Promise<void>;
  /**
   * Why something that is come across below such a path may not be read after all; undefined where it may.
   * Asked often, not recorded.
   */
  refusal(run: Run): Promise<(path: string, name: string) => RagctlError | undefined>;
  /**
   * @throws NOT_FOUND (suggesting among `visible`) when it may not be read, PERMISSION_DENIED when it may,
   *   but not this
   */
  require(
    run: Run,
    agent: ActingAgent | null,
    action: AccessLevel,
    resource: Resource,
    visible?: readonly string[],
  ): Promise<void>;
  /** Of these agents, those the principal may use. */
  agents<T extends ActingAgent>(run: Run, agents: readonly T[]): Promise<readonly T[]>;
  /** Whether the principal, through the agent, may use a tool. */
  tool(run: Run, agent: ActingAgent | null, tool: ToolAccess): Promise<Decision>;
  /** As `tool`, by the rules of this moment: to be asked before each call of it. */
  toolNow(run: Run, agent: ActingAgent | null, tool: ToolAccess): Promise<Decision>;
  /** Drops hits that may not (or no longer) be read: the check after the store has answered. */
  keep<T extends Pick<Hit, "chunk">>(
    hits: readonly T[],
    run: Run,
    agent: ActingAgent | null,
  ): Promise<readonly T[]>;
  /** For what only the owner may do, e.g. change rules. @throws PERMISSION_DENIED */
  owner(run: Run, what: string): Promise<void>;
}

/** The parts of a tool's row that a decision needs. */
export interface ToolAccess {
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
  readonly registry: Pick<Database, "read" | "refresh" | "kind">;
  /** ragctl's own folder. */
  readonly home: string;
}

/** Its parts, and where its decisions are written down. */
interface Context extends AccessParts {
  readonly record: Recorder;
}

/** Creates the access control that every read goes through. */
export function createAccessControl(parts: AccessParts): Access {
  const context: Context = { ...parts, record: createDecisionRecorder(parts.decisions, parts.registry) };
  const { collections, home } = parts;
  const tool: Access["tool"] = async (run, agent, row) => {
    await using judgement = await judge(context, run, agent);
    return judgement.decide("read", toolResource(row, judgement.principal.departments));
  };
  return {
    principal: (run) => principalOf(run, context),
    sight: (run) => openSight(run, context),
    async decide(run, agent, action, resource) {
      await using judgement = await judge(context, run, agent);
      return judgement.decide(action, resource);
    },
    async decideAll(run, agent, action, resources) {
      if (resources.length === 0) return [];
      await using judgement = await judge(context, run, agent);
      return resources.map((resource) => judgement.decide(action, resource));
    },
    async allowed(run, agent, action) {
      const names = await readable(context, run, agent, action);
      // Counts only what the principal may see without the agent, so that the number reveals no other
      // collection.
      const own = agent === null ? names : await readable(context, run, null, action);
      return { collections: names, withheld: own.length - names.length };
    },
    async chosen(run, agent, names) {
      const visible = new Set(await readable(context, run, agent));
      for (const name of names) if (!visible.has(name)) throw await noCollection(context, run, agent, name);
      const chosen = names.length === 0 ? visible : new Set(names);
      if (chosen.size > 0) return (await collections.list()).filter(({ name }) => chosen.has(name));
      throw new RagctlError("COLLECTION_EMPTY", "no documents have been ingested yet", {
        hint: "run: ragctl ingest PATH",
      });
    },
    collection: (run, action, name) => checkCollection(context, run, action, name),
    writable: (run, target) => checkWritable(context, run, target),
    async source(run, path) {
      await using judgement = await judge(context, run, null);
      const decision = judgement.decide("read", folderResource(path, home));
      if (decision.effect === "deny")
        throw forbiddenPathError("PERMISSION_DENIED", path, decision, judgement.principal);
    },
    refusal: async (run) => refusalOf(await rulesOf(context, run), home),
    async require(run, agent, action, resource, visible = []) {
      await using judgement = await judge(context, run, agent);
      const decision = judgement.decide(action, resource);
      if (decision.effect === "allow") return;
      throw action !== "read" && judgement.may("read", resource)
        ? denied(decision)
        : notFoundError(resource.kind, resource.name, visible);
    },
    async agents(run, agents) {
      await using judgement = await judge(context, run, null);
      return agents.filter(
        (agent) => agent.enabled && judgement.decide("read", agentResource(agent)).effect === "allow",
      );
    },
    tool,
    toolNow: (...call) => context.registry.refresh().then(() => tool(...call)),
    keep: (hits, run, agent) => keepReadable(context, hits, run, agent),
    owner: async (run, what) => requireOwner(await principalOf(run, context), what),
  };
}

/** Who asks. @throws NOT_FOUND, PERMISSION_DENIED */
async function principalOf(run: Run, { principals }: Pick<Context, "principals">): Promise<PrincipalRecord> {
  const principal = await principals.find(run.principal);
  // Without a principal no other name is suggested.
  if (principal === undefined)
    throw new RagctlError("NOT_FOUND", `there is no principal "${sanitizeForMessage(run.principal)}"`, {
      hint: "the owner can list principals: ragctl principals list",
    });
  if (principal.enabled) return principal;
  throw new RagctlError("PERMISSION_DENIED", `principal ${principal.name} is disabled`, {
    hint: `the owner can enable it: ragctl principals enable "${principal.name}"`,
  });
}

/** The principal of a run and the rules of one moment. */
interface Rules {
  readonly principal: PrincipalRecord;
  readonly grants: readonly Grant[];
}

const rulesOf = (context: Context, run: Run): Promise<Rules> =>
  context.registry.read(async () => ({
    principal: await principalOf(run, context),
    grants: await context.permissions.list(),
  }));

/** Decides by one state of the rules, and records its decisions at the end. */
async function judge(context: Context, run: Run, agent: ActingAgent | null, rules?: Rules) {
  const { principal, grants } = rules ?? (await rulesOf(context, run));
  const made: DecisionRecord[] = [];
  return {
    principal,
    decide(action: AccessLevel, resource: Resource): DecisionRecord {
      const decision = decide({ principal, agent, action, resource, grants });
      const record = { ...decision, principal: principal.name, agent: agent?.name ?? "", action, resource };
      made.push(record);
      return record;
    },
    may: (action: AccessLevel, resource: Resource): boolean =>
      decide({ principal, agent, action, resource, grants }).effect === "allow",
    [Symbol.asyncDispose]: () => context.record(run, made),
  };
}

/** Names of the collections that the principal, through the agent, may use so. */
async function readable(
  context: Context,
  run: Run,
  agent: ActingAgent | null,
  action: AccessLevel = "read",
  rules?: Rules,
): Promise<readonly string[]> {
  await using judgement = await judge(context, run, agent, rules);
  return Array.from(await context.collections.instances())
    .filter(
      ([name, instance]) =>
        judgement.decide(action, collectionResource({ name, instance })).effect === "allow",
    )
    .map(([name]) => name);
}

async function openSight(run: Run, context: Context): Promise<Sight> {
  const rules = await rulesOf(context, run);
  const byAgent = new Map<string | null, readonly string[]>();
  return {
    async readableBy(agent) {
      const key = agent?.name ?? null;
      const names = byAgent.get(key) ?? (await readable(context, run, agent, "read", rules));
      byAgent.set(key, names);
      return names;
    },
  };
}

const noCollection = async (context: Context, run: Run, agent: ActingAgent | null, name: string) =>
  notFoundError("collection", name, await readable(context, run, agent));

async function checkCollection(context: Context, run: Run, action: AccessLevel, name: string) {
  await using judgement = await judge(context, run, null);
  const instance = (await context.collections.instances()).get(name);
  if (instance === undefined) throw await noCollection(context, run, null, name);
  const resource = collectionResource({ name, instance });
  const decision = judgement.decide(action, resource);
  if (decision.effect === "allow") return { name, instance };
  throw judgement.may("read", resource) ? denied(decision) : await noCollection(context, run, null, name);
}

async function checkWritable(context: Context, run: Run, target: NamedCollection): Promise<void> {
  await using judgement = await judge(context, run, null);
  const existing = (await context.collections.instances()).get(target.name);
  const resource = collectionResource({ name: target.name, instance: existing ?? target.instance });
  const decision = judgement.decide("write", resource);
  if (decision.effect === "allow") return;
  throw existing !== undefined && judgement.may("read", resource)
    ? denied(decision)
    : await noCollection(context, run, null, target.name);
}

function refusalOf({ principal, grants }: Rules, home: string): Awaited<ReturnType<Access["refusal"]>> {
  return (path, name) => {
    const resource = folderResource(path, home);
    const decision = decide({ principal, agent: null, action: "read", resource, grants });
    return decision.effect === "deny"
      ? forbiddenPathError("SOURCE_OUTSIDE", name, decision, principal)
      : undefined;
  };
}

async function keepReadable<T extends Pick<Hit, "chunk">>(
  context: Context,
  hits: readonly T[],
  run: Run,
  agent: ActingAgent | null,
): Promise<readonly T[]> {
  if (hits.length === 0) return hits;
  // A right that was revoked while the store searched counts.
  await context.registry.refresh();
  const names = new Set(await readable(context, run, agent));
  const visible = hits.filter(({ chunk }) => names.has(chunk.collection));
  if (visible.length < hits.length) run.log.event("hits_withheld", { hits: hits.length - visible.length });
  return visible;
}

function requireOwner({ kind, name }: PrincipalRecord, what: string): void {
  if (kind === "owner") return;
  throw new RagctlError("PERMISSION_DENIED", `${name} may not ${what}; only the owner may`, {
    hint: "remove --as to act as the owner of this home",
  });
}

/** A collection as decisions know it. */
export function collectionResource({ name, instance }: NamedCollection): Resource {
  return { kind: "collection", name, instance, department: "" };
}

/** An agent as decisions know it. */
export function agentResource({ name, department }: Pick<ActingAgent, "name" | "department">): Resource {
  return { kind: "agent", name, instance: "", department };
}

/** Types of tools that reach the network, unless their row says `network: false`. */
const reachNetwork: readonly string[] = ["web_search", "api_call"];

/**
 * A tool as decisions know it: with a grant only when it reaches the network, says so, or is kept for
 * departments the principal is not of.
 */
export function toolResource(
  { name, type, permissions }: ToolAccess,
  departments: readonly string[] = [],
): Resource {
  const reserved = permissions["departments"];
  const foreign =
    Array.isArray(reserved) &&
    !reserved.some((department) => typeof department === "string" && departments.includes(department));
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

function denied(decision: DecisionRecord): RagctlError {
  return new RagctlError("PERMISSION_DENIED", decision.reason, {
    hint: `the owner can see why: ${explainCommand(decision)}`,
  });
}

/**
 * The same words whether there is no such thing or it may not be seen; only what may be seen is suggested.
 */
export function notFoundError(kind: Resource["kind"] | "passage", name: string, visible: readonly string[]) {
  const noun = kind === "room" ? "chat" : kind;
  const typed = name.slice(0, 100).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
  return new RagctlError("NOT_FOUND", `there is no ${noun} "${typed}"${didYouMean(name, visible)}`, {
    hint: hintFor(noun, visible),
  });
}

function hintFor(kind: string, visible: readonly string[]): string {
  const names = `${visible.slice(0, 20).join(", ")}${visible.length > 20 ? " …" : ""}`;
  if (visible.length === 0) return firstOne[kind] ?? "check the name";
  // One that was only described is listed too, but nothing can be done with it.
  return `${kind === "collection" ? "collections with documents" : "available"}: ${names}`;
}

/** Kind → how the first of it is made. */
const firstOne: Readonly<Record<string, string>> = {
  collection: "ragctl ingest <folder> creates the first one",
  chat: "ragctl chat --chat NAME creates one",
};
