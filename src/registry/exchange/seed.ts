import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RagctlError } from "../../core/errors.ts";
import { openAgentTools } from "../company/agent-tools.ts";
import { openAgents } from "../company/agents.ts";
import { openPermissions } from "../company/permissions.ts";
import { openPrincipals } from "../company/principals.ts";
import { openProfiles } from "../company/profiles.ts";
import { openProviders } from "../company/providers.ts";
import { openTools } from "../company/tools.ts";
import type { Database } from "../database.ts";
import { keyOf, nameOf, type RegistryFile } from "./format.ts";
import { readRegistryFile, unknownReferences } from "./read.ts";

/** Rows added, per table; 0 everywhere when the registry had them all. */
export interface SeedCounts {
  readonly agents: number;
  readonly tools: number;
  readonly agentTools: number;
  readonly providers: number;
  readonly collections: number;
  readonly principals: number;
  readonly permissions: number;
}

export interface SeedReport {
  readonly added: SeedCounts;
  /** What an earlier seeding brought and somebody removed since: `agents IT Support`. It stayed away. */
  readonly leftOut: readonly string[];
}

export interface SeedOptions {
  /** Default: the company that comes with the program. */
  readonly file?: string;
  /** Brings back what was removed; what is there still stays as it is. Default false. */
  readonly force?: boolean;
  readonly now?: () => Date;
}

const company = fileURLToPath(new URL("../../../config/seed.yaml", import.meta.url));

/**
 * Fills the registry with a company, in one transaction. What is there stays as it is, told apart by its name, and what an earlier
 * seeding brought and is gone stays gone unless `force`; an agent that no seeding brought keeps the tools it has.
 * @throws CONFIG_INVALID for a bad seed file
 */
export function seed(
  database: Database,
  { file: path = company, force = false, now = () => new Date() }: SeedOptions = {},
): SeedReport {
  const { file, fail } = readRegistryFile(textOf(path), path);
  return database.write(() => {
    const known = {
      tools: [],
      agents: [],
      providers: [],
      permissions: [],
      principals: openPrincipals(database)
        .list()
        .map(({ name, kind, enabled, departments, roots }) => ({
          name,
          kind,
          enabled,
          departments: [...departments],
          roots: [...roots],
        })),
    };
    const faults = unknownReferences(file, known);
    if (faults.length > 0) throw fail(faults);
    return sow(database, file, openLedger(database, force, now));
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError("CONFIG_INVALID", `the seed file ${path} cannot be read: ${reason}`, {
      hint: "name another file",
      cause,
    });
  }
}

/** Whether one of `names` is the same name. */
function among(names: readonly string[]): (name: string) => boolean {
  const keys = new Set(names.map(keyOf));
  return (name) => keys.has(keyOf(name));
}

const namesOf = (rows: readonly { readonly name: string }[]): readonly string[] =>
  rows.map(({ name }) => name);

/** Rows that others name come first. */
function sow(database: Database, file: RegistryFile, ledger: Ledger): SeedReport {
  const counts = {
    providers: sowProviders(database, file, ledger),
    tools: sowTools(database, file, ledger),
    ...sowAgents(database, file, ledger),
    collections: sowCollections(database, file, ledger),
    principals: sowPrincipals(database, file, ledger),
    permissions: sowPermissions(database, file, ledger),
  };
  const { agents, tools, agentTools, ...others } = counts;
  return { added: { agents, tools, agentTools, ...others }, leftOut: ledger.leftOut };
}

function sowProviders(database: Database, file: RegistryFile, ledger: Ledger): number {
  const providers = openProviders(database);
  const known = among(providers.names());
  const wanted = (file.providers ?? []).filter((item) =>
    ledger.wants("providers", nameOf.providers(item), known(nameOf.providers(item))),
  );
  for (const { enabled, ...provider } of wanted) providers.insertIfAbsent({ ...provider, active: enabled });
  return wanted.length;
}

function sowTools(database: Database, file: RegistryFile, ledger: Ledger): number {
  const tools = openTools(database);
  const known = among(tools.names());
  const wanted = (file.tools ?? []).filter(({ name }) => ledger.wants("tools", name, known(name)));
  for (const tool of wanted) tools.add(tool);
  return wanted.length;
}

function sowAgents(
  database: Database,
  file: RegistryFile,
  ledger: Ledger,
): Pick<SeedCounts, "agents" | "agentTools"> {
  const [agents, tools, mappings] = [openAgents(database), openTools(database), openAgentTools(database)];
  const [known, hasTool] = [among(agents.names()), among(tools.names())];
  const added = { agents: 0, agentTools: 0 };
  for (const { tools: given, provider_config, ...agent } of file.agents ?? []) {
    const ours = ledger.brought("agents", agent.name) || !known(agent.name);
    const wanted = ledger.wants("agents", agent.name, known(agent.name));
    if (wanted) agents.add({ ...agent, providerConfig: provider_config });
    else if (!known(agent.name)) continue;
    added.agents += Number(wanted);
    const id = agents.idOf(agent.name);
    const held = among(namesOf(mappings.of(id)));
    for (const { tool, priority, enabled } of given) {
      if (!hasTool(tool) || !ledger.wants("agent_tools", `${agent.name}/${tool}`, held(tool) || !ours))
        continue;
      mappings.give(id, tools.idOf(tool), { priority, enabled });
      added.agentTools += 1;
    }
  }
  return added;
}

function sowCollections(database: Database, file: RegistryFile, ledger: Ledger): number {
  const profiles = openProfiles(database);
  const known = among(namesOf(profiles.list()));
  const wanted = (file.collections ?? []).filter(({ name }) =>
    ledger.wants("collections", name, known(name)),
  );
  for (const profile of wanted) profiles.put(profile);
  return wanted.length;
}

function sowPrincipals(database: Database, file: RegistryFile, ledger: Ledger): number {
  const principals = openPrincipals(database);
  const known = among(namesOf(principals.list()));
  const wanted = (file.principals ?? []).filter(({ name }) => ledger.wants("principals", name, known(name)));
  for (const { kind, ...principal } of wanted) if (kind !== "owner") principals.add({ ...principal, kind });
  return wanted.length;
}

function sowPermissions(database: Database, file: RegistryFile, ledger: Ledger): number {
  const permissions = openPermissions(database);
  const known = among(permissions.list().map(ruleName));
  const is = {
    principal: among(namesOf(openPrincipals(database).list())),
    agent: among(openAgents(database).names()),
    tool: among(openTools(database).names()),
  };
  const wanted = (file.permissions ?? []).filter((rule) => {
    const { subject_kind, subject, resource_kind, resource } = rule;
    if (subject_kind === "principal" && !is.principal(subject)) return false;
    if (
      (resource_kind === "agent" || resource_kind === "tool") &&
      resource !== "*" &&
      !is[resource_kind](resource)
    )
      return false;
    return ledger.wants("permissions", nameOf.permissions(rule), known(nameOf.permissions(rule)));
  });
  for (const { subject_kind: subjectKind, resource_kind: resourceKind, ...rule } of wanted) {
    permissions.addIfAbsent({ ...rule, subjectKind, resourceKind });
  }
  return wanted.length;
}

function ruleName(grant: ReturnType<ReturnType<typeof openPermissions>["list"]>[number]): string {
  const {
    subjectKind: subject_kind,
    subject,
    effect,
    level,
    resourceKind: resource_kind,
    resource,
    instance,
  } = grant;
  return nameOf.permissions({ subject_kind, subject, effect, level, resource_kind, resource, instance });
}

/** Remembers what seeding has brought or found, so that it comes once. */
interface Ledger {
  /** Whether an earlier seeding brought or found it. */
  brought(section: string, name: string): boolean;
  /** Whether to add it now; notes it either way, and what is missing though it was brought once. */
  wants(section: string, name: string, isThere: boolean): boolean;
  readonly leftOut: readonly string[];
}

function openLedger(database: Database, force: boolean, now: () => Date): Ledger {
  const leftOut: string[] = [];
  const select = database.statement<{ name: string }>(
    "SELECT name FROM seeded WHERE section = ? AND name = ?",
  );
  const insert = database.statement(
    "INSERT INTO seeded (section, name, seeded_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const brought = (section: string, name: string): boolean => select.get(section, name) !== undefined;
  return {
    leftOut,
    brought,
    wants(section, name, isThere) {
      const before = brought(section, name);
      insert.run(section, name, now().toISOString());
      if (!isThere && before && !force) leftOut.push(`${section} ${name}`);
      return !isThere && (!before || force);
    },
  };
}
