import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RagctlError } from "../../core/errors.ts";
import { createAgentToolRepository } from "../company/agent-tools.ts";
import { createAgentRepository } from "../company/agents.ts";
import { createToolRepository } from "../company/tools.ts";
import type { Database } from "../database.ts";
import { among, type ExchangeItem, keyOf, nameOf, type RegistryFile, type Section } from "./format.ts";
import { readRegistryFile, unknownReferences } from "./read.ts";
import { createExchangeSections, type SectionRows, type Sections } from "./sections.ts";

/** Rows added, per table; 0 everywhere when the registry had them all. */
export type SeedCounts = Readonly<Record<Section | "agentTools", number>>;

export interface SeedReport {
  readonly added: SeedCounts;
  /** Items of an earlier seeding that were removed since: `agents IT Support`. They were not added. */
  readonly leftOut: readonly string[];
  /** Collections that were there without a description: they keep having none. */
  readonly undescribed: readonly string[];
}

export interface SeedOptions {
  /** Default: the company that comes with the program. */
  readonly file?: string;
  /** Restores items that were removed; existing ones are unchanged. Default false. */
  readonly force?: boolean;
}

const company = fileURLToPath(new URL("../../../config/seed.yaml", import.meta.url));

/**
 * Fills the registry with a company, in one transaction. Existing items, identified by name, are unchanged,
 * and items of an earlier seeding that were removed remain removed unless `force`; an agent that no seeding
 * added keeps its tools.
 * @throws CONFIG_INVALID for a bad seed file
 */
export async function seed(
  database: Database,
  { file: path = company, force = false }: SeedOptions = {},
): Promise<SeedReport> {
  const { file, fail } = readRegistryFile(textOf(path), path);
  return database.write(async () => {
    const rows = createExchangeSections(database);
    const standing = {
      tools: [],
      agents: [],
      providers: [],
      permissions: [],
      principals: await rows.principals.items(),
    };
    const faults = unknownReferences(file, standing);
    if (faults.length > 0) throw fail(faults);
    const ledger = await openLedger(database, force);
    const undescribed = await othersCollections(database, file, rows, ledger);
    const collections = file.collections?.filter(({ name }) => !undescribed.includes(name));
    const added = await addRows(database, { ...file, collections }, rows, ledger);
    await ledger.save();
    return { added, leftOut: ledger.leftOut, undescribed };
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError("CONFIG_INVALID", `cannot read the seed file ${path}: ${reason}`, {
      hint: "use another file",
      cause,
    });
  }
}

/**
 * Collections of a file that exist and that nobody described. They may hold anything: a description that
 * somebody else wrote for their name is not true of them.
 */
async function othersCollections(
  database: Database,
  { collections = [] }: RegistryFile,
  rows: Sections,
  ledger: Ledger,
): Promise<readonly string[]> {
  const existing = await database.statement<{ name: string }>("SELECT name FROM collections").all();
  const isThere = among(existing.map(({ name }) => name));
  const isDescribed = among(await rows.collections.names());
  return collections
    .map(({ name }) => name)
    .filter((name) => isThere(name) && !isDescribed(name) && !ledger.brought("collections", name));
}

/** Rows that others name come first. */
async function addRows(
  database: Database,
  file: RegistryFile,
  rows: Sections,
  ledger: Ledger,
): Promise<SeedCounts> {
  const providers = await addMissing("providers", file.providers, rows, ledger);
  const tools = await addMissing("tools", file.tools, rows, ledger);
  const { agents, agentTools } = await addAgents(database, file, rows, ledger);
  const collections = await addMissing("collections", file.collections, rows, ledger);
  const principals = await addMissing("principals", file.principals, rows, ledger);
  const rules = file.permissions?.filter(await namesStandingRows(rows));
  const permissions = await addMissing("permissions", rules, rows, ledger);
  return { agents, tools, agentTools, providers, collections, principals, permissions };
}

/** Adds the items that are not there and that the ledger wants; their number. */
async function addMissing<S extends Section>(
  section: S,
  items: readonly ExchangeItem<S>[] = [],
  rows: Sections,
  ledger: Ledger,
): Promise<number> {
  const sectionRows: SectionRows<S> = rows[section];
  const isThere = among(await sectionRows.names());
  const missing = items.filter((item) => {
    const name = nameOf[section](item);
    return ledger.wants(section, name, isThere(name));
  });
  for (const item of missing) await sectionRows.insertIfAbsent(item);
  return missing.length;
}

async function addAgents(
  database: Database,
  file: RegistryFile,
  rows: Sections,
  ledger: Ledger,
): Promise<Pick<SeedCounts, "agents" | "agentTools">> {
  const agents = createAgentRepository(database);
  const tools = createToolRepository(database);
  const mappings = createAgentToolRepository(database);
  const isAgent = among(await agents.names());
  const isTool = among(await tools.names());
  const added = { agents: 0, agentTools: 0 };
  for (const agent of file.agents ?? []) {
    const isThere = isAgent(agent.name);
    const isOurs = ledger.brought("agents", agent.name) || !isThere;
    const isWanted = ledger.wants("agents", agent.name, isThere);
    if (!isWanted && !isThere) continue;
    if (isWanted) await rows.agents.insertIfAbsent(agent);
    added.agents += Number(isWanted);
    const id = await agents.idOf(agent.name);
    const given = await mappings.of(id);
    const hasTool = among(given.map(({ name }) => name));
    for (const { tool, priority, enabled } of agent.tools.filter((each) => isTool(each.tool))) {
      if (!ledger.wants("agent_tools", `${agent.name}/${tool}`, hasTool(tool) || !isOurs)) continue;
      await mappings.give(id, await tools.idOf(tool), { priority, enabled });
      added.agentTools += 1;
    }
  }
  return added;
}

/** Whether a rule names existing rows: a rule about a removed one is not added either. */
async function namesStandingRows(rows: Sections): Promise<(rule: ExchangeItem<"permissions">) => boolean> {
  const is = {
    principal: among(await rows.principals.names()),
    agent: among(await rows.agents.names()),
    tool: among(await rows.tools.names()),
  };
  return ({ subjectKind, subject, resourceKind, resource }) => {
    if (subjectKind === "principal" && !is.principal(subject)) return false;
    const isNamed = (resourceKind === "agent" || resourceKind === "tool") && resource !== "*";
    return !isNamed || is[resourceKind](resource);
  };
}

/** Remembers what seeding has brought or found, so that it comes once. */
interface Ledger {
  /** Whether an earlier seeding brought or found it. */
  brought(section: string, name: string): boolean;
  /** Whether to add it now; notes it either way, and reports one that was seeded once and is missing. */
  wants(section: string, name: string, isThere: boolean): boolean;
  /** Writes down what was noted. */
  save(): Promise<void>;
  readonly leftOut: readonly string[];
}

async function openLedger(database: Database, force: boolean): Promise<Ledger> {
  const leftOut: string[] = [];
  const noted: (readonly [section: string, name: string])[] = [];
  const seeded = await database
    .statement<{ section: string; name: string }>("SELECT section, name FROM seeded")
    .all();
  const before = new Set(seeded.map(({ section, name }) => `${section} ${keyOf(name)}`));
  const brought = (section: string, name: string): boolean => before.has(`${section} ${keyOf(name)}`);
  return {
    leftOut,
    brought,
    wants(section, name, isThere) {
      const isKnown = brought(section, name);
      if (!isKnown) noted.push([section, name]);
      if (!isThere && isKnown && !force) leftOut.push(`${section} ${name}`);
      return !isThere && (!isKnown || force);
    },
    async save() {
      const time = new Date(await database.now()).toISOString();
      const insert = database.statement(
        "INSERT INTO seeded (section, name, seeded_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      );
      for (const [section, name] of noted) await insert.run(section, name, time);
    },
  };
}
