import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { openAgents } from "../company/agents.ts";
import { openPermissions } from "../company/permissions.ts";
import { openPrincipals } from "../company/principals.ts";
import { openProfiles } from "../company/profiles.ts";
import { openProviders } from "../company/providers.ts";
import { openTools } from "../company/tools.ts";
import type { Database } from "../database.ts";
import { applyChanges } from "./apply.ts";
import { type Item, type Items, keyOf, nameOf, type RegistryFile, type Section, sections } from "./format.ts";
import { type ReadFile, readRegistryFile, unknownReferences } from "./read.ts";

/** One difference between the registry and a file. */
export interface Change {
  readonly section: Section;
  /** Name as people know it, e.g. `HR Assistant`, `llm/local`, `allow department hr on collection hr_docs (private)`. */
  readonly name: string;
  /** `add`: in the file alone; `change`: in both, unlike; `remove`: in the registry alone, and the file is to replace it; `keep`: in the registry alone. */
  readonly kind: "add" | "change" | "remove" | "keep";
  /** What is unlike; empty unless `change`. */
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  /** As the file states it; where it does not, as it is in the registry. */
  readonly item: unknown;
}

export interface ExchangeOptions {
  /** What messages call the file. */
  readonly name: string;
  /** Rows of the file's sections that the file lacks are removed. Default false: they stay. */
  readonly prune?: boolean;
}

/** The registry as a file states it; ids and times are not part of it. @throws CONFIG_INVALID for a JSON column that cannot be read */
function currentItems(database: Database): Items {
  return database.read(() => ({
    providers: openProviders(database)
      .list()
      // The check of a file says what a row of another provider or with strange members is lacking.
      .map(
        ({ component, provider, active, config }) =>
          ({ component, provider, enabled: active, config }) as Item<"providers">,
      ),
    tools: openTools(database)
      .list()
      .map(
        ({ name, type, enabled, config, permissions }) =>
          ({ name, type, enabled, config, permissions }) as Item<"tools">,
      ),
    agents: openAgents(database)
      .list()
      .map(({ name, department, description, enabled, capabilities, providerConfig, tools }) => ({
        name,
        department,
        description,
        enabled,
        capabilities,
        provider_config: providerConfig,
        tools: tools.map((tool) => ({ tool: tool.name, priority: tool.priority, enabled: tool.enabled })),
      })),
    collections: openProfiles(database).list(),
    principals: openPrincipals(database)
      .list()
      .map(({ name, kind, enabled, departments, roots }) => ({
        name,
        kind,
        enabled,
        departments: [...departments],
        roots: [...roots],
      })),
    permissions: openPermissions(database)
      .list()
      .map((grant) => ({
        subject_kind: grant.subjectKind,
        subject: grant.subject,
        effect: grant.effect,
        level: grant.level,
        resource_kind: grant.resourceKind,
        resource: grant.resource,
        instance: grant.instance,
      })),
  }));
}

/** The whole registry as YAML that `importRegistry` reads back to the same rows. */
export function exportRegistry(database: Database): string {
  const { permissions, ...items } = currentItems(database);
  const rules = permissions.map((rule) => ({
    [rule.subject_kind]: rule.subject,
    [rule.effect]: rule.level,
    [rule.resource_kind]: rule.resource,
    ...(rule.instance === "" ? {} : { instance: rule.instance }),
  }));
  return stringify(
    { version: 1, ...items, permissions: rules },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

/** What importing the file would do, and the rows that are in the registry alone. @throws CONFIG_INVALID for a bad file, with every place */
export function diffRegistry(database: Database, text: string, options: ExchangeOptions): readonly Change[] {
  const read = readRegistryFile(text, options.name);
  return database.read(() => planned(database, read, options.prune));
}

/**
 * Writes what the file states, all of it or nothing: rows that are new are added, rows that differ become as the file states them whole
 * (a field it leaves out takes its default), the others stay. The order of the file does not matter.
 * @throws CONFIG_INVALID for a bad file, with every place
 */
export function importRegistry(
  database: Database,
  text: string,
  options: ExchangeOptions,
): readonly Change[] {
  const read = readRegistryFile(text, options.name);
  return database.write(() => {
    const changes = planned(database, read, options.prune).filter(({ kind }) => kind !== "keep");
    applyChanges(database, changes);
    return changes;
  });
}

function planned(database: Database, { file, fail }: ReadFile, prune = false): readonly Change[] {
  const current = currentItems(database);
  const stays = <S extends Section>(section: S): Items[S] =>
    prune && file[section] !== undefined ? ([] as unknown as Items[S]) : current[section];
  const faults = unknownReferences(file, {
    tools: stays("tools"),
    agents: stays("agents"),
    providers: stays("providers"),
    permissions: current.permissions,
    principals: current.principals.filter(
      ({ kind }) => kind === "owner" || !prune || file.principals === undefined,
    ),
  });
  if (faults.length > 0) throw fail(faults);
  const changes = sections.flatMap((section) => sectionChanges(section, file, current, prune));
  const before = displaced(file, changes, current);
  const named = new Set(before.map(({ name }) => name));
  return [...before, ...changes.filter(({ section, name }) => section !== "providers" || !named.has(name))];
}

/** The provider that was active before one of the file takes over, where the file does not speak of it. */
function displaced(file: RegistryFile, changes: readonly Change[], current: Items): readonly Change[] {
  const said = new Set((file.providers ?? []).map((item) => keyOf(nameOf.providers(item))));
  const takenOver = new Set(
    (file.providers ?? []).filter(({ enabled }) => enabled).map(({ component }) => component),
  );
  const removed = new Set(
    changes
      .filter(({ kind, section }) => kind === "remove" && section === "providers")
      .map(({ name }) => name),
  );
  return current.providers
    .filter(
      (item) => item.enabled && takenOver.has(item.component) && !said.has(keyOf(nameOf.providers(item))),
    )
    .filter((item) => !removed.has(nameOf.providers(item)))
    .map((item) => ({
      section: "providers",
      name: nameOf.providers(item),
      kind: "change",
      fields: [{ field: "enabled", before: true, after: false }],
      item: { ...item, enabled: false },
    }));
}

function sectionChanges<S extends Section>(
  section: S,
  file: RegistryFile,
  current: Items,
  prune: boolean,
): readonly Change[] {
  if (file[section] === undefined) return [];
  // A section's items are those its own `nameOf` takes; TypeScript does not follow the pair.
  const [stated, held, name] = [file[section], current[section], nameOf[section]] as unknown as [
    readonly Item<S>[],
    readonly Item<S>[],
    (item: Item<S>) => string,
  ];
  const before = new Map(held.map((item) => [keyOf(name(item)), item]));
  const wanted = new Set(stated.map((item) => keyOf(name(item))));
  const changes = stated.flatMap((item): readonly Change[] => {
    const known = before.get(keyOf(name(item)));
    if (known === undefined) return [{ section, name: name(item), kind: "add", fields: [], item }];
    const fields = unlike(comparable(known, section), comparable(item, section));
    return fields.length === 0 ? [] : [{ section, name: name(known), kind: "change", fields, item }];
  });
  const others = held
    .filter((item) => !wanted.has(keyOf(name(item))) && !isOwner(section, item))
    .map(
      (item): Change => ({ section, name: name(item), kind: prune ? "remove" : "keep", fields: [], item }),
    );
  return [...changes, ...others];
}

/** The owner is in every registry, whether a file says so or not. */
function isOwner(section: Section, item: object): boolean {
  return section === "principals" && "kind" in item && item.kind === "owner";
}

/** What tells an item apart; the rest is compared. */
const identity = new Set([
  "name",
  "component",
  "provider",
  "subject_kind",
  "subject",
  "effect",
  "resource_kind",
  "resource",
]);

/** An item's members by their path: of an object its own members, of an agent's tools each by its name. */
function comparable(item: object, section: Section): Readonly<Record<string, unknown>> {
  // What JSON cannot hold is gone on both sides.
  const members: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(item));
  const flat = new Map<string, unknown>();
  for (const [name, value] of Object.entries(members)) {
    if (identity.has(name)) continue;
    if (section === "agents" && name === "tools") {
      for (const { tool, ...given } of value as Item<"agents">["tools"])
        flat.set(`tools.${keyOf(tool)}`, given);
    } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) flat.set(`${name}.${key}`, inner);
    } else flat.set(name, value);
  }
  return Object.fromEntries(flat);
}

function unlike(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Change["fields"] {
  return Object.keys({ ...before, ...after })
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }));
}
