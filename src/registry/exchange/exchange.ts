import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import type { Database } from "../database.ts";
import {
  among,
  type ExchangeItem,
  type Items,
  keyOf,
  nameOf,
  type RegistryFile,
  type Section,
  sections,
} from "./format.ts";
import { type ReadFile, readRegistryFile, unknownReferences } from "./read.ts";
import { createExchangeSections, type Sections } from "./sections.ts";

/** One difference between the registry and a file. */
export interface ExchangeChange<S extends Section = Section> {
  readonly section: S;
  /**
   * Display name, e.g. `HR Assistant`, `llm/local`, `allow department hr on collection hr_docs (private)`.
   */
  readonly name: string;
  /**
   * `add`: in the file alone; `change`: in both, unlike; `remove`: in the registry alone, and the file is to
   * replace it; `keep`: in the registry alone.
   */
  readonly kind: "add" | "change" | "remove" | "keep";
  /** The differing fields; empty unless `change`. */
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  /** As the file states it; where it does not, as the registry has it. */
  readonly item: ExchangeItem<S>;
}

export interface ExchangeOptions {
  /** Name of the file in messages. */
  readonly name: string;
  /** Rows of the file's sections that the file lacks are removed. Default false: they stay. */
  readonly prune?: boolean;
}

/**
 * The registry as a file states it; ids and times are not part of it. @throws CONFIG_INVALID for a JSON
 * column that cannot be read
 */
async function currentItems(database: Database): Promise<Items> {
  const rows = createExchangeSections(database);
  return database.read(async () => ({
    providers: await rows.providers.items(),
    tools: await rows.tools.items(),
    agents: await rows.agents.items(),
    collections: await rows.collections.items(),
    principals: await rows.principals.items(),
    permissions: await rows.permissions.items(),
  }));
}

/** The whole registry as YAML that `importRegistry` reads back to the same rows. */
export async function exportRegistry(database: Database): Promise<string> {
  const { permissions, ...items } = await currentItems(database);
  const rules = permissions.map((rule) => ({
    [rule.subjectKind]: rule.subject,
    [rule.effect]: rule.level,
    [rule.resourceKind]: rule.resource,
    ...(rule.instance === "" ? {} : { instance: rule.instance }),
  }));
  return stringify(
    { version: 1, ...items, permissions: rules },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

/**
 * What importing the file would do, and the rows that are in the registry alone. @throws CONFIG_INVALID for a
 * bad file, with every place
 */
export async function diffRegistry(
  database: Database,
  text: string,
  options: ExchangeOptions,
): Promise<readonly ExchangeChange[]> {
  const read = readRegistryFile(text, options.name);
  return database.read(() => planned(database, read, options.prune));
}

/**
 * Writes the contents of the file, all or nothing: new rows are added, differing rows take every field from
 * the file (an omitted field takes its default), and other rows are unchanged. The order of the file does not
 * matter.
 * @throws CONFIG_INVALID for a bad file, with every place
 */
export async function importRegistry(
  database: Database,
  text: string,
  options: ExchangeOptions,
): Promise<readonly ExchangeChange[]> {
  const read = readRegistryFile(text, options.name);
  return database.write(async () => {
    const changes = (await planned(database, read, options.prune)).filter(({ kind }) => kind !== "keep");
    await applyChanges(database, changes);
    return changes;
  });
}

/** Writes checked changes. Rows that others name come first and go last. */
async function applyChanges(database: Database, changes: readonly ExchangeChange[]): Promise<void> {
  const rows = createExchangeSections(database);
  for (const change of changes) if (change.kind !== "remove") await applyChange(rows, change);
  for (const change of changes.toReversed()) if (change.kind === "remove") await applyChange(rows, change);
}

async function applyChange<S extends Section>(rows: Sections, change: ExchangeChange<S>): Promise<void> {
  const { section, name, kind, item } = change;
  await (kind === "remove" ? rows[section].remove(name, item) : rows[section].put(item));
}

async function planned(
  database: Database,
  { file, fail }: ReadFile,
  prune = false,
): Promise<readonly ExchangeChange[]> {
  const current = await currentItems(database);
  const standing = <S extends Section>(section: S): readonly ExchangeItem<S>[] =>
    prune && file[section] !== undefined ? [] : current[section];
  const faults = unknownReferences(file, {
    tools: standing("tools"),
    agents: standing("agents"),
    providers: standing("providers"),
    permissions: current.permissions,
    principals: current.principals.filter(
      ({ kind }) => kind === "owner" || !prune || file.principals === undefined,
    ),
  });
  if (faults.length > 0) throw fail(faults);
  const changes = sections.flatMap((section) => sectionChanges(section, file, current, prune));
  // One that is removed needs no other change.
  const before = prune ? [] : displaced(file, current);
  const names = new Set(before.map(({ name }) => name));
  return [...before, ...changes.filter(({ section, name }) => section !== "providers" || !names.has(name))];
}

/** The provider that was enabled before one of the file takes over, where the file does not mention it. */
function displaced({ providers = [] }: RegistryFile, current: Items): readonly ExchangeChange<"providers">[] {
  const isStated = among(providers.map(nameOf.providers));
  const takenOver = new Set(providers.filter(({ enabled }) => enabled).map(({ component }) => component));
  return current.providers
    .filter((item) => item.enabled && takenOver.has(item.component) && !isStated(nameOf.providers(item)))
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
): readonly ExchangeChange<S>[] {
  const stated: readonly ExchangeItem<S>[] | undefined = file[section];
  if (stated === undefined) return [];
  const rows: readonly ExchangeItem<S>[] = current[section];
  const name = (item: ExchangeItem<S>): string => nameOf[section](item);
  const before = new Map(rows.map((item) => [keyOf(name(item)), item]));
  const isStated = among(stated.map(name));
  const changes = stated.flatMap((item): readonly ExchangeChange<S>[] => {
    const row = before.get(keyOf(name(item)));
    if (row === undefined) return [{ section, name: name(item), kind: "add", fields: [], item }];
    const fields = unlike(comparable(row, section), comparable(item, section));
    return fields.length === 0 ? [] : [{ section, name: name(row), kind: "change", fields, item }];
  });
  const others = rows
    .filter((item) => !isStated(name(item)) && !isOwner(section, item))
    .map(
      (item): ExchangeChange<S> => ({
        section,
        name: name(item),
        kind: prune ? "remove" : "keep",
        fields: [],
        item,
      }),
    );
  return [...changes, ...others];
}

/** The owner is in every registry, whether a file says so or not. */
function isOwner(section: Section, item: object): boolean {
  return section === "principals" && "kind" in item && item.kind === "owner";
}

/** Members that identify an item; the others are compared. */
const identity = new Set([
  "name",
  "component",
  "provider",
  "subjectKind",
  "subject",
  "effect",
  "resourceKind",
  "resource",
]);

/** An item's members by their path: of an object its own members, of an agent's tools each by its name. */
function comparable(item: object, section: Section): Readonly<Record<string, unknown>> {
  // What JSON cannot hold is gone on both sides.
  const members: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(item));
  const paths = Object.entries(members)
    .filter(([name]) => !identity.has(name))
    .flatMap(([name, value]) =>
      section === "agents" && name === "tools"
        ? toolPaths(value as ExchangeItem<"agents">["tools"])
        : memberPaths(name, value),
    );
  return Object.fromEntries(paths);
}

type Paths = readonly (readonly [string, unknown])[];

const toolPaths = (tools: ExchangeItem<"agents">["tools"]): Paths =>
  tools.map(({ tool, ...given }) => [`tools.${keyOf(tool)}`, given]);

const memberPaths = (name: string, value: unknown): Paths =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([key, inner]) => [`${name}.${key}`, inner])
    : [[name, value]];

function unlike(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ExchangeChange["fields"] {
  return Object.keys({ ...before, ...after })
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }));
}
