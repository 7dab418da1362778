import { resolve } from "node:path";
import { RagctlError } from "../core/errors.ts";
import { type Environment, isKnownVariable } from "./environment.ts";
import { readRegularFile } from "./read-file.ts";

const ending = "_FILE";
/** Longest value of a variable that a file holds, bytes. */
const longestValue = 65_536;

/**
 * The environment with `NAME=value` for each `NAME_FILE=path` of a ragctl variable, as container systems pass
 * secrets. A single newline at the end of the file is not part of the value.
 * @param cwd folder that a relative path starts at
 * @throws CONFIG_INVALID for a file that cannot be read, or when `NAME` is set too
 */
export function withVariableFiles(environment: Environment, cwd: string): Environment {
  const named = Object.entries(environment).filter(
    ([name, path]) =>
      path !== undefined && path !== "" && !isKnownVariable(name) && isKnownVariable(valueName(name)),
  );
  if (named.length === 0) return environment;
  const names = new Set(named.map(([name]) => name));
  const values = named.map(([name]) => [valueName(name), variableValue(valueName(name), environment, cwd)]);
  return {
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name))),
    ...Object.fromEntries(values),
  };
}

/** `MILVUS_TOKEN_FILE` → `MILVUS_TOKEN`; "" for a name without the ending. */
const valueName = (name: string): string => (name.endsWith(ending) ? name.slice(0, -ending.length) : "");

/**
 * The value of a variable, its own or that of the file which `NAME_FILE` names; undefined where neither is
 * set. @throws CONFIG_INVALID
 */
export function variableValue(name: string, environment: Environment, cwd: string): string | undefined {
  const [value, path] = [environment[name], environment[`${name}${ending}`]];
  if (path === undefined || path === "") return value;
  if (value !== undefined && value !== "") {
    throw new RagctlError("CONFIG_INVALID", `${name} and ${name}${ending} are both set`, {
      hint: "unset one of them",
    });
  }
  try {
    return readRegularFile(resolve(cwd, path), longestValue).replace(/\r?\n$/, "");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError(
      "CONFIG_INVALID",
      `${name}${ending} points to ${path}, which cannot be read: ${reason}`,
      {
        hint: "correct the path, or set the variable directly",
        cause,
      },
    );
  }
}
