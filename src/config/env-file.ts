import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { RagctlError } from "../core/errors.ts";
import { type Environment, type GivenValue, type Notice, readEnvironment } from "./environment.ts";
import { parseSettingText } from "./from-text.ts";
import { isOwnedBy } from "./project-file.ts";
import { readRegularFile } from "./read-file.ts";
import { settingTable } from "./settings.ts";
import { checkTrust, untrustedKeys } from "./trust.ts";
import { variableValue, withVariableFiles } from "./variable-files.ts";

const maxFileBytes = 1_000_000;

/** The contents of a `.env`: values like those of the environment, the weakest first. */
export interface EnvFile {
  readonly values: readonly GivenValue[];
  readonly notices: readonly Notice[];
}

const nothing: EnvFile = { values: [], notices: [] };
const pathIn = (folder: string): string => join(folder, ".env");

/** The variables of a `.env`; none where there is no such file. @throws CONFIG_INVALID */
function readVariables(path: string): Environment {
  if (!existsSync(path)) return {};
  try {
    return parseEnv(readRegularFile(path, maxFileBytes));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError("CONFIG_INVALID", `cannot read ${path}: ${reason}`, {
      hint: "correct the file, or move it elsewhere",
      cause,
    });
  }
}

/**
 * The value of a variable in the `.env` of a home, or of the file that it names there.
 * @throws CONFIG_INVALID
 */
export const homeVariable = (name: string, home: string): string | undefined =>
  variableValue(name, readVariables(pathIn(home)), home);

const sourced = (path: string, values: readonly GivenValue[]): readonly GivenValue[] =>
  values.map((value) => ({ ...value, origin: `${value.origin} (${path})` }));

/**
 * The `.env` of a home, which is its owner's own. @throws CONFIG_INVALID for a name of ours that is no
 * setting, or a file that cannot be read
 */
export function readHomeEnv(home: string): EnvFile {
  const path = pathIn(home);
  const { values, notices } = readEnvironment(withVariableFiles(readVariables(path), home));
  return { values: sourced(path, values), notices };
}

/**
 * The `.env` of a working folder. Such a file is often there for other programs, and may be a stranger's:
 * unless it is trusted, what a project file may not set is refused under a name of ours (`RAGCTL_…`), left
 * out with a notice under any other, and no file that it names is read. `uid` as for project files.
 * @param without what holds without the file
 * @throws CONFIG_UNTRUSTED, CONFIG_INVALID
 */
export function readWorkingEnv(
  cwd: string,
  { isTrusted, uid }: { readonly isTrusted: boolean; readonly uid: number | undefined },
  without: (key: string) => unknown,
): EnvFile {
  const path = pathIn(resolve(cwd));
  if (!existsSync(path)) return nothing;
  if (!isTrusted && !isOwnedBy(path, uid)) {
    const reason = "it belongs to another user";
    const message = `${path} ignored: ${reason}; to read it, pass --trust`;
    return { values: [], notices: [{ name: path, reason, surprising: true, message }] };
  }
  const variables = readVariables(path);
  if (isTrusted) {
    const { values, notices } = readEnvironment(withVariableFiles(variables, cwd));
    return { values: sourced(path, values), notices };
  }
  const { values, notices } = readEnvironment(withoutFiles(variables));
  const isOwn = ({ origin }: GivenValue): boolean => origin.startsWith("environment:RAGCTL_");
  const byKey = (list: readonly GivenValue[]) =>
    new Map(list.map(({ key, value }) => [key, typed(key, value)]));
  checkTrust(byKey(values.filter(isOwn)), path, without);
  const refused = new Set(untrustedKeys(byKey(values.filter((value) => !isOwn(value))), without));
  const isRefused = (value: GivenValue): boolean => !isOwn(value) && refused.has(value.key);
  return {
    values: sourced(
      path,
      values.filter((value) => !isRefused(value)),
    ),
    notices: [...notices, ...values.filter(isRefused).map((value) => untrustedNotice(value, path))],
  };
}

function typed(key: string, value: unknown): unknown {
  const setting = settingTable.get(key);
  return setting === undefined ? value : parseSettingText(setting, value);
}

/** A stranger's file could name any file of this user as the value of a variable. */
const withoutFiles = (variables: Environment): Environment =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => !name.endsWith("_FILE") || name.startsWith("RAGCTL_")),
  );

function untrustedNotice({ origin, key }: GivenValue, path: string): Notice {
  const name = origin.slice("environment:".length);
  const reason = `it sets ${key}, which requires trust in a file from the working folder`;
  return {
    name,
    reason,
    surprising: true,
    message: `${name} in ${path} ignored: ${reason}; to read it, pass --trust`,
  };
}
