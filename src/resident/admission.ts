import { realpathSync } from "node:fs";
import { Declined } from "../cli/shell/terminal.ts";
import type { Settings } from "../config/settings.ts";
import { localeVariable, processEnvironment, type RemoteRequest, residentCommands } from "../core/remote.ts";
import { programIdentity } from "./address.ts";

/** That of this process as it started: a later build has another one. */
const identity = programIdentity();

/** Whether the request comes from this build. */
export const isOfThisProgram = ({ program }: RemoteRequest): boolean => program === identity;

/** Why a process of this environment may not run the request; undefined where it may. */
export function mismatch(request: RemoteRequest): string | undefined {
  if (!isOfThisProgram(request)) return `the resident process belongs to another installation: ${identity}`;
  const [theirs, ours] = [processEnvironment(request.environment), processEnvironment(process.env)];
  const names = [...Object.keys(theirs), ...Object.keys(ours)].filter((each) => !localeVariable.test(each));
  const name = names.find((each) => theirs[each] !== ours[each]);
  return name === undefined ? undefined : `the environment variable ${name} differs`;
}

const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/** @throws Declined where a command's settings keep it from running in the process of this home */
export function admit(command: string, settings: Settings, home: string): void {
  if (!residentCommands.includes(command)) throw new Declined(`${command} runs in its own process`);
  if (realPath(settings.home) !== realPath(home)) throw new Declined(`its home is ${settings.home}`);
  if (settings.resident.mode === "off") throw new Declined("resident.mode is off");
  if (settings.parse.loaders !== "" || settings.parse.parser !== "builtin")
    throw new Declined("custom commands must run in the caller's environment");
}
