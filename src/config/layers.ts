import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { redactCredentials } from "../core/address.ts";
import { modelIdOf } from "../core/answers/model-names.ts";
import { chunkSizes } from "../core/documents/chunk-sizes.ts";
import { RagctlError } from "../core/errors.ts";
import { environmentNames, type GivenValue } from "./environment.ts";
import { readSettingsFile, unknownKeyError } from "./files.ts";
import { parseSettingText } from "./from-text.ts";
import { isDatabaseFile } from "./setting-kinds.ts";
import { isPathSetting, type Setting, type Settings, settingsSchema, settingTable } from "./settings.ts";

/** Where a value came from; an environment origin names its variable. */
export type SettingOrigin =
  | "flag"
  | `environment:${string}`
  | "project file"
  | "home file"
  | "defaults file"
  | "built-in";

/** A value with the folder that its relative path starts at. */
export type Layer = GivenValue & { readonly origin: SettingOrigin; readonly folder: string };

function preview(setting: Setting, value: unknown): string {
  if (setting.secret === true) return "***";
  return redactCredentials(JSON.stringify(value) ?? String(value)).slice(0, 200);
}

/**
 * The path of a `file://` address; other text unchanged. @throws CONFIG_INVALID for an address of another
 * machine or scheme
 */
function filePath(value: string, origin: SettingOrigin): string {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(value)) return value;
  try {
    return fileURLToPath(value);
  } catch (cause) {
    throw new RagctlError(
      "CONFIG_INVALID",
      `${redactCredentials(value)} (${origin}) is not a file on this machine`,
      {
        hint: "use a path or file:///path/to/model.gguf; `ragctl models pull` downloads models",
        cause,
      },
    );
  }
}

/** Prefix of the path in an SQLAlchemy address; a fourth slash begins an absolute path. */
const sqliteScheme = /^sqlite:\/\/\//i;

/** The value of a layer as its setting has it, a path made absolute. @throws CONFIG_INVALID */
export function checkedValue(layer: Layer, userHome: string): unknown {
  const setting = settingTable.get(layer.key);
  if (setting === undefined) throw unknownKeyError(layer.key, layer.origin);
  const value =
    layer.origin === "flag" || layer.origin.startsWith("environment:")
      ? parseSettingText(setting, layer.value)
      : layer.value;
  if (!setting.check(value)) {
    if (layer.origin === "flag")
      throw new RagctlError(
        "CONFIG_INVALID",
        `${layer.key} cannot be ${preview(setting, layer.value)}: it must be ${setting.range}`,
        {
          hint: "`ragctl config show --effective` prints its value; docs/reference/configuration.md explains it",
        },
      );
    throw new RagctlError(
      "CONFIG_INVALID",
      `${layer.key} is ${preview(setting, layer.value)} (${layer.origin}); it must be ${setting.range}`,
      {
        hint: `correct it there, or set ${environmentNames(layer.key)[0]}`,
      },
    );
  }
  if (typeof value !== "string" || value === "") return value;
  if (!isPathSetting(setting, value)) return setting.path === "model" ? modelIdOf(value) : value;
  const path = setting.path === "model" ? filePath(value, layer.origin) : value.replace(sqliteScheme, "");
  return resolve(
    layer.folder,
    path.replace(/^~(?=[\\/]|$)/, () => userHome),
  );
}

/** The values of a settings file; none where there is no file. */
export function fileLayers(path: string | undefined, origin: SettingOrigin): readonly Layer[] {
  if (path === undefined) return [];
  return [...readSettingsFile(path)].map(([key, value]) => ({ key, value, origin, folder: dirname(path) }));
}

/** Values of variables, which name themselves as their origin. */
export function environmentLayers(values: readonly GivenValue[], folder: string): readonly Layer[] {
  // readEnvironment gives every origin the form `environment:NAME`.
  return values.map((entry) => ({ ...entry, origin: entry.origin as SettingOrigin, folder }));
}

/** The home that the layers name; undefined where they name none. */
export function homeFromLayers(layers: readonly Layer[], userHome: string): string | undefined {
  const home = layers.findLast(
    ({ key, value }) => key === "home" && typeof value === "string" && value !== "",
  );
  return home === undefined ? undefined : String(checkedValue(home, userHome));
}

/** The given values; later layers win. */
export function mergeLayers(layers: readonly Layer[]): ReadonlyMap<string, unknown> {
  return new Map(layers.map(({ key, value }) => [key, value]));
}

/** `{ "a.b": 1 }` → `{ a: { b: 1 } }`. */
function nested(values: ReadonlyMap<string, unknown>): Readonly<Record<string, unknown>> {
  const top: Record<string, unknown> = {};
  const sections = new Map<string, Record<string, unknown>>();
  for (const [key, value] of values) {
    const [section = "", name] = key.split(".");
    if (name === undefined) top[section] = value;
    else {
      const mapping = sections.get(section) ?? {};
      mapping[name] = value;
      sections.set(section, mapping);
      top[section] = mapping;
    }
  }
  return top;
}

function deepFrozen<T extends object>(value: T): T {
  for (const child of Object.values(value))
    if (typeof child === "object" && child !== null) deepFrozen(child);
  return Object.freeze(value);
}

function checkTogether(settings: Settings, origins: ReadonlyMap<string, SettingOrigin>): void {
  const refuse = (message: string, keys: readonly string[]): never => {
    const places = keys.map((key) => `${key} (${origins.get(key) ?? "built-in"})`);
    throw new RagctlError("CONFIG_INVALID", message, {
      hint: `change one of them where it is set: ${places.join(", ")}`,
    });
  };
  const { chunk, retrieve } = settings;
  if (chunk.minTokens > chunk.maxTokens)
    refuse(`chunk.minTokens (${chunk.minTokens}) is greater than chunk.maxTokens (${chunk.maxTokens})`, [
      "chunk.minTokens",
      "chunk.maxTokens",
    ]);
  if (chunk.preset !== "hybrid") {
    const { size, overlap, unit } = chunkSizes(chunk.preset, chunk);
    if (overlap >= size)
      refuse(
        `chunk.overlap (${overlap} ${unit}) must be less than chunk.size (${size} ${unit} in ${chunk.preset})`,
        ["chunk.overlap", "chunk.size", "chunk.preset"],
      );
  } else if (chunk.size > 0 && chunk.size < Math.max(64, chunk.minTokens))
    refuse(`chunk.size (${chunk.size} tokens in hybrid) is less than ${Math.max(64, chunk.minTokens)}`, [
      "chunk.size",
      chunk.minTokens > 64 ? "chunk.minTokens" : "chunk.preset",
    ]);
  if (retrieve.denseWeight + retrieve.lexicalWeight === 0)
    refuse("retrieve.denseWeight and retrieve.lexicalWeight are both 0; at least one must be greater", [
      "retrieve.denseWeight",
      "retrieve.lexicalWeight",
    ]);
}

/**
 * Every layer checked, a later one winning, and the settings held against each other.
 * @throws CONFIG_INVALID
 */
export function resolveLayers(
  layers: readonly Layer[],
  userHome: string,
): { readonly settings: Settings; readonly origins: ReadonlyMap<string, SettingOrigin> } {
  const values = new Map<string, unknown>();
  const origins = new Map<string, SettingOrigin>();
  for (const layer of layers) {
    const value = checkedValue(layer, userHome);
    // An empty home would mean the working folder; it means "the default" instead.
    if (layer.key === "home" && value === "") continue;
    values.set(layer.key, value);
    origins.set(layer.key, layer.origin);
  }
  // The rows about documents stay with their vectors: in another registry they would pass for ingested.
  const database = ["milvus.publicUri", "milvus.privateUri"].find((key) =>
    isDatabaseFile(`${values.get(key)}`),
  );
  if (database !== undefined && values.get("registry.path") === "" && values.get("registry.url") === "") {
    values.set("registry.path", `${values.get(database)}`.replace(/\.db$/i, ".registry.sqlite"));
    origins.set("registry.path", origins.get(database) ?? "built-in");
  }
  const settings = deepFrozen(settingsSchema.parse(nested(values)));
  checkTogether(settings, origins);
  return { settings, origins };
}
