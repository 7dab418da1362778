import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { redactCredentials } from "../core/address.ts";
import { RagctlError } from "../core/errors.ts";
import { caller } from "./caller.ts";
import { type EnvFile, homeVariable, readHomeEnv, readWorkingEnv } from "./env-file.ts";
import { type Environment, environmentNames, type Notice, readEnvironment } from "./environment.ts";
import { defaultHome, homePaths, userFolder } from "./home.ts";
import {
  checkedValue,
  environmentLayers,
  fileLayers,
  homeFromLayers,
  type Layer,
  mergeLayers,
  resolveLayers,
  type SettingOrigin,
} from "./layers.ts";
import { findProjectFile, type ProjectFile } from "./project-file.ts";
import { type Settings, settingTable } from "./settings.ts";
import { checkTrust } from "./trust.ts";
import { variableValue, withVariableFiles } from "./variable-files.ts";

export interface SettingsRequest {
  /**
   * Key path → value; undefined is not given. Text is read as the setting's type, so `--set key=value` can be
   * passed on unchanged.
   */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** Default: the environment of the caller. */
  readonly env?: Environment;
  /** Default: the working folder of the caller. */
  readonly cwd?: string;
  /** Default: `ragctl.yaml` in `cwd`, or above it within the same git repository; null: none. */
  readonly projectFile?: string | null;
  /** Default: `config/defaults.yaml` of the installation; null: none. */
  readonly defaultsFile?: string | null;
  /** Accept settings of the project file that widen the effects of a run. Default false. */
  readonly trust?: boolean;
  /** Default: this machine. */
  readonly platform?: NodeJS.Platform;
  /** Default: home folder of the user. */
  readonly userHome?: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly origins: ReadonlyMap<string, SettingOrigin>;
  /** Variables that were recognised and change nothing in this version. */
  readonly notices: readonly Notice[];
  /** The project file that was read, if any. */
  readonly projectFile: string | undefined;
}

/** The files of a home: its `settings.yaml` and, stronger, its `.env`. */
interface HomeFiles {
  readonly layers: readonly Layer[];
  readonly notices: readonly Notice[];
}

/**
 * Settings kept in the home, where there are any. They cannot name another home: they would not be read from
 * there.
 */
function readHomeFiles(home: string | undefined): HomeFiles {
  if (home === undefined) return { layers: [], notices: [] };
  const { settings } = homePaths(home);
  const { values, notices } = readHomeEnv(home);
  const layers = [
    ...fileLayers(existsSync(settings) ? settings : undefined, "home file"),
    ...environmentLayers(values, home),
  ];
  const own = layers.find(({ key }) => key === "home");
  if (own === undefined) return { layers, notices };
  const path = own.origin === "home file" ? settings : join(home, ".env");
  throw new RagctlError("CONFIG_INVALID", `${path} sets "home", which is not allowed in a home's settings`, {
    hint: "remove the line; set the home with RAGCTL_HOME or --home",
  });
}

/** A request with its defaults filled in. */
interface Surroundings {
  readonly environment: Environment;
  readonly cwd: string;
  readonly userHome: string;
  readonly defaultsFile: string | undefined;
  readonly project: ProjectFile;
  readonly isTrusted: boolean;
  /** Whose files of the working folder are read; undefined: anybody's. */
  readonly uid: number | undefined;
  /** Home of this platform when no source names one. */
  readonly platformHome: string;
}

function surroundingsOf(request: SettingsRequest): Surroundings {
  const own = caller();
  const { env: environment = own.environment, cwd = own.cwd, userHome = userFolder() } = request;
  const { platform: name = process.platform, trust: isTrusted = false, projectFile } = request;
  const builtInDefaults = new URL("../../config/defaults.yaml", import.meta.url);
  const { defaultsFile = fileURLToPath(builtInDefaults) } = request;
  const uid = isTrusted ? undefined : process.geteuid?.();
  const project =
    projectFile === undefined
      ? findProjectFile(cwd, userHome, uid)
      : { path: projectFile === null ? undefined : resolve(cwd, projectFile), ignored: undefined };
  return {
    environment,
    cwd,
    userHome,
    defaultsFile: defaultsFile ?? undefined,
    project,
    isTrusted,
    uid,
    platformHome: defaultHome({ name, userHome, environment }),
  };
}

function builtInLayers({ cwd, platformHome }: Surroundings): readonly Layer[] {
  return Array.from(settingTable.values(), ({ key, fallback }) => ({
    key,
    value: key === "home" ? platformHome : fallback,
    origin: "built-in",
    folder: cwd,
  }));
}

function flagLayers(flags: SettingsRequest["flags"], folder: string): readonly Layer[] {
  return Object.entries(flags ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value, origin: "flag", folder }));
}

/**
 * Reads every setting: flag, then environment, then `.env` of the working folder, then project file, then
 * `.env` and `settings.yaml` in the home, then defaults file, then built-in. Every value given is checked,
 * also one that a stronger source overrides.
 * @throws CONFIG_INVALID for an unknown key or a bad value, CONFIG_UNTRUSTED for a project file that reaches
 *   too far
 */
export function loadSettings(request: SettingsRequest = {}): LoadedSettings {
  const surroundings = surroundingsOf(request);
  const { environment, cwd, userHome, defaultsFile, isTrusted, uid } = surroundings;
  const { path: projectFile, ignored } = surroundings.project;
  const project = fileLayers(projectFile, "project file");
  const { values, notices } = readEnvironment(withVariableFiles(environment, cwd));
  const defaults = [...builtInLayers(surroundings), ...fileLayers(defaultsFile, "defaults file")];
  const flags = flagLayers(request.flags, cwd);
  const working = (without: ReadonlyMap<string, unknown>): EnvFile =>
    readWorkingEnv(cwd, { isTrusted, uid }, (key) => without.get(key));

  // An untrusted file that names a home is refused below, so it is not even looked at there.
  // A trusted one is the same whatever holds without it: it is read once.
  const trustedFolder = isTrusted ? working(new Map()) : undefined;
  const trusted =
    trustedFolder === undefined ? [] : [...project, ...environmentLayers(trustedFolder.values, cwd)];
  const above = [...environmentLayers(values, cwd), ...flags];
  const home = readHomeFiles(homeFromLayers([...defaults, ...trusted, ...above], userHome));
  const below = [...defaults, ...home.layers];
  const without = mergeLayers(below);
  if (projectFile !== undefined && !isTrusted)
    checkTrust(mergeLayers(project), projectFile, (key) => without.get(key));
  const folder = trustedFolder ?? working(without);
  const layers = [...below, ...project, ...environmentLayers(folder.values, cwd), ...above];
  const { settings, origins } = resolveLayers(layers, userHome);
  return {
    ...{ settings, origins, projectFile },
    notices: [...home.notices, ...folder.notices, ...notices, ...ignoredNotice(ignored)],
  };
}

function ignoredNotice(path: string | undefined): readonly Notice[] {
  if (path === undefined) return [];
  const reason = "it belongs to another user";
  return [
    { name: path, reason, surprising: true, message: `${path} ignored: ${reason}; to read it, pass --trust` },
  ];
}

/**
 * A setting's value from the command line in the form for a file: a number where it is one, a path made
 * absolute.
 * @throws CONFIG_INVALID for an unknown key, for one that no file of a home may set, and for a value out of
 * range
 */
export function settingValue(key: string, text: string): string | number {
  if (key === "home") {
    throw new RagctlError("CONFIG_INVALID", "a home's settings cannot set the home", {
      hint: "set RAGCTL_HOME or pass --home",
    });
  }
  const value = checkedValue({ key, value: text, origin: "flag", folder: caller().cwd }, userFolder());
  return typeof value === "number" ? value : String(value);
}

/** One line of `config show`. A secret that is set shows as `***`. */
export interface SettingRow {
  readonly key: string;
  readonly value: string | number;
  readonly origin: SettingOrigin;
  readonly unit: string;
  readonly meaning: string;
  /** Variables that set it, the strongest first. */
  readonly variables: readonly string[];
}

/** Every setting with value and origin, in a fixed order, secrets covered. */
export function describeSettings({ settings, origins }: LoadedSettings): readonly SettingRow[] {
  const section = (name: string): unknown => Object.entries(settings).find(([key]) => key === name)?.[1];
  return [...settingTable.values()].map((setting) => {
    const [first = "", name] = setting.key.split(".");
    const holder = section(first);
    const value: unknown =
      name === undefined ? holder : Object.entries(holder ?? {}).find(([key]) => key === name)?.[1];
    const safe = typeof value === "number" ? value : redactCredentials(String(value));
    return {
      key: setting.key,
      value: setting.secret === true && safe !== "" ? "***" : safe,
      origin: origins.get(setting.key) ?? "built-in",
      unit: setting.unit,
      meaning: setting.meaning,
      variables: environmentNames(setting.key),
    };
  });
}

/**
 * The value of a variable that an operator's row names, e.g. of a provider's key: of the environment, of the
 * file that `NAME_FILE` names, or of the `.env` in the home; undefined where it is not set.
 * @throws CONFIG_INVALID for a file that cannot be read
 */
export function environmentValue(name: string, home: string): string | undefined {
  const { environment, cwd } = caller();
  return variableValue(name, environment, cwd) ?? homeVariable(name, home);
}

/** The standard variables of OpenTelemetry. */
export const traceEnvironment = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(caller().environment).filter(([name]) => name.startsWith("OTEL_")));

/** The only variables that an operator's program is given. */
export function programEnvironment(): Readonly<Record<string, string>> {
  const { environment } = caller();
  return Object.fromEntries(
    ["PATH", "LANG", "LC_ALL", "TZ", "SystemRoot"].flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
