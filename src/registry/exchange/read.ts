import { isNode, LineCounter, parseDocument } from "yaml";
import { vendorDefaults } from "../../core/answers/provider.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { sanitizeForMessage } from "../rows.ts";
import {
  among,
  type ExchangeItem,
  fileSchema,
  type Items,
  keyOf,
  nameOf,
  type RegistryFile,
  type Section,
  sections,
} from "./format.ts";

/** One fault of a file: where, and what. */
export interface ExchangeFault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A file that fits the format; `fail` turns faults found later into an error with their lines. */
export interface ReadFile {
  readonly file: RegistryFile;
  fail(faults: readonly ExchangeFault[]): RagctlError;
}

/** Largest file that is read, in UTF-16 units; 10 000 rows need about 5 million. */
const longestText = 64 * 1024 * 1024;

/** Faults that one error names. */
const shownFaults = 10;

/** `agents[3].tools[0].tool`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) =>
      typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${sanitizeForMessage(String(key))}`,
    )
    .join("");
}

/** Finds an alias that refers to one of its own ancestors. */
function cycle(
  value: unknown,
  path: readonly PropertyKey[] = [],
  above: readonly unknown[] = [],
): readonly PropertyKey[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (above.includes(value)) return path;
  const inside: readonly [PropertyKey, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  for (const [key, child] of inside) {
    const place = cycle(child, [...path, key], [...above, value]);
    if (place !== undefined) return place;
  }
  return undefined;
}

/**
 * Parses a registry file and checks its format and duplicates. `name` is its name in messages. @throws
 * CONFIG_INVALID with every place
 */
export function readRegistryFile(text: string, name: string): ReadFile {
  const error = (detail: string, cause?: unknown) =>
    new RagctlError("CONFIG_INVALID", `${name} is not valid: ${detail}`, {
      hint: "correct it (docs/reference/registry.md shows the format); nothing was changed",
      cause,
    });
  if (text.length > longestText) throw error("it is longer than 64 MiB");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): string => `line ${lines.linePos(offset).line}`;
  const [broken] = document.errors;
  if (broken !== undefined) throw error(`${lineAt(broken.pos[0])}: ${broken.message.split("\n")[0]}`, broken);
  const fail = (faults: readonly ExchangeFault[]): RagctlError => {
    const shown = faults.slice(0, shownFaults).map(({ path, message }) => {
      const node = nodeAt(document, path);
      return `${path.length === 0 ? "the file" : pathText(path)}${node === undefined ? "" : ` (${lineAt(node)})`}: ${message}`;
    });
    const more = faults.length - shown.length;
    return error(`${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`);
  };
  let content: unknown;
  try {
    content = document.toJS();
  } catch (cause) {
    throw error(cause instanceof Error ? cause.message : String(cause), cause);
  }
  const looped = cycle(content);
  if (looped !== undefined) throw fail([{ path: looped, message: "an alias refers to itself (a cycle)" }]);
  const checked = fileSchema.safeParse(content);
  if (!checked.success) throw fail(checked.error.issues);
  const faults = twice(checked.data);
  if (faults.length > 0) throw fail(faults);
  return { file: checked.data, fail };
}

/** Offset of the nearest node on the path. */
function nodeAt(
  document: ReturnType<typeof parseDocument>,
  path: readonly PropertyKey[],
): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return undefined;
}

function twice(file: RegistryFile): readonly ExchangeFault[] {
  const faults = sections.flatMap((section) => repeated(namesOf(file, section), (index) => [section, index]));
  for (const [index, { tools }] of (file.agents ?? []).entries()) {
    const names = tools.map(({ tool }) => tool);
    faults.push(...repeated(names, (place) => ["agents", index, "tools", place]));
  }
  return [...faults, ...secondActive(file.providers ?? [])];
}

/** Names that are there again; `path` says where each of them is. */
function repeated(
  names: readonly string[],
  path: (index: number) => readonly PropertyKey[],
): ExchangeFault[] {
  const firstAt = new Map<string, number>();
  return names.flatMap((name, index) => {
    const first = firstAt.get(keyOf(name));
    if (first === undefined) firstAt.set(keyOf(name), index);
    return first === undefined
      ? []
      : [{ path: path(index), message: `duplicate "${name}", first at ${pathText(path(first))}` }];
  });
}

function secondActive(providers: readonly ExchangeItem<"providers">[]): readonly ExchangeFault[] {
  const active = new Set<string>();
  const faults: ExchangeFault[] = [];
  for (const [index, { component, enabled }] of providers.entries()) {
    if (!enabled) continue;
    if (active.has(component))
      faults.push({
        path: ["providers", index, "enabled"],
        message: `a second provider for ${component} is enabled; only one may be`,
      });
    active.add(component);
  }
  return faults;
}

function namesOf<S extends Section>(file: RegistryFile, section: S): readonly string[] {
  return (file[section] ?? []).map((item: ExchangeItem<S>) => nameOf[section](item));
}

/** Rows that stay in the registry, which a file may name. */
export type StandingRows = Pick<Items, "tools" | "agents" | "principals" | "providers" | "permissions">;

/**
 * Names in the file that neither it nor the remaining rows define. An existing rule may refer to a missing
 * row.
 */
export function unknownReferences(file: RegistryFile, standing: StandingRows): readonly ExchangeFault[] {
  const faults: ExchangeFault[] = [];
  const lookup = (kind: string, names: readonly string[]): Lookup => {
    const isThere = among(names);
    return (name, path) => {
      if (name === "*" || isThere(name)) return;
      // Looking for the nearest name costs time, and only the first faults are shown.
      const suggestion = faults.length < shownFaults ? didYouMean(name, names) : "";
      faults.push({ path, message: `there is no ${kind} "${name}"${suggestion}` });
    };
  };
  const all = (section: "tools" | "agents" | "principals"): readonly string[] =>
    [...(file[section] ?? []), ...standing[section]].map(({ name }) => name);
  const llms = [...(file.providers ?? []), ...standing.providers].filter(
    ({ component }) => component === "llm",
  );
  const lookups = {
    tool: lookup("tool", all("tools")),
    agent: lookup("agent", all("agents")),
    principal: lookup("principal", all("principals")),
    endpoint: lookup(
      "llm provider",
      llms.map(({ provider }) => provider),
    ),
  };
  for (const [index, agent] of (file.agents ?? []).entries()) checkAgent(agent, index, lookups);
  const isStanding = among(standing.permissions.map(nameOf.permissions));
  for (const [index, rule] of (file.permissions ?? []).entries())
    if (!isStanding(nameOf.permissions(rule))) checkRule(rule, index, lookups);
  return faults;
}

/** Notes a fault at `path` where nothing of that name is there. */
type Lookup = (name: string, path: readonly PropertyKey[]) => void;
type Lookups = Readonly<Record<"tool" | "agent" | "principal" | "endpoint", Lookup>>;

function checkAgent(
  { tools, provider_config }: ExchangeItem<"agents">,
  index: number,
  lookups: Lookups,
): void {
  for (const [place, { tool }] of tools.entries()) lookups.tool(tool, ["agents", index, "tools", place]);
  const { provider } = provider_config;
  const { base_url } = { ...vendorDefaults(provider), ...provider_config };
  if (provider !== undefined && provider !== "local" && base_url === undefined)
    lookups.endpoint(provider, ["agents", index, "provider_config", "provider"]);
}

function checkRule(rule: ExchangeItem<"permissions">, index: number, lookups: Lookups): void {
  const { subjectKind, subject, resourceKind, resource } = rule;
  if (subjectKind === "principal") lookups.principal(subject, ["permissions", index, "principal"]);
  if (resourceKind === "agent" || resourceKind === "tool")
    lookups[resourceKind](resource, ["permissions", index, resourceKind]);
}
