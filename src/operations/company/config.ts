import { readFileSync } from "node:fs";
import { RagctlError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { describeReadError, readSmallText } from "../../files.ts";
import { text, textFlags } from "../fields.ts";
import type { InputOf } from "../operation.ts";

/** Flags that state a JSON column: whole, from a file, or some of its members. */
export const configFields = {
  config: text("--config <json>", "complete configuration as a JSON object"),
  config_file: text("--config-file <file>", "complete configuration from a JSON file, or - for stdin"),
  option: textFlags("--option <key=value>", "set one configuration key; null removes it; may be repeated"),
};
type ConfigInput = InputOf<typeof configFields>;

/** Largest registry or configuration that is read from a file, bytes. */
const maxTextBytes = 64_000_000;

type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type Json = Record<string, JsonValue>;

/** What JSON.parse gives is JSON; only its kind is checked. */
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The configuration `before`, by default an empty one, with the changes of the flags; undefined where none was
 * given. @throws USAGE_INVALID
 */
export async function configFrom(
  { config, config_file: file, option }: ConfigInput,
  before: () => Promise<JsonObject> = async () => ({}),
): Promise<Json | undefined> {
  if (config !== undefined && file !== undefined)
    throw new RagctlError("USAGE_INVALID", "--config cannot be combined with --config-file", {
      hint: "remove one of them",
    });
  const text = file === undefined ? config : readText(file);
  const whole = text === undefined ? undefined : jsonFrom(text, file ?? "--config");
  if (option === undefined) return whole;
  const members = new Map(Object.entries(whole ?? jsonFrom(JSON.stringify(await before()), "--option")));
  for (const pair of option) {
    const at = pair.indexOf("=");
    if (at < 1)
      throw new RagctlError("USAGE_INVALID", `--option ${pair} is not key=value`, {
        hint: "e.g. --option top_k=8",
      });
    const value = parsedValue(pair.slice(at + 1));
    if (value === null) members.delete(pair.slice(0, at));
    else members.set(pair.slice(0, at), value);
  }
  return Object.fromEntries(members);
}

/** JSON where it is some, else the text itself. */
function parsedValue(text: string): Json[string] {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** A flag's JSON object. @throws USAGE_INVALID that names the flag */
export function jsonFrom(text: string, flag: string): Json {
  let fault = "a JSON object";
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    fault = `valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
  throw new RagctlError("USAGE_INVALID", `${flag} is not ${fault}`, {
    hint: 'pass a JSON object such as {"name": "value"}, in single quotes for the shell',
  });
}

/** A file's text; `-` is stdin. @throws USAGE_INVALID */
export function readText(path: string): string {
  try {
    return path === "-" ? readFileSync(0, "utf8") : readSmallText(path, "it", maxTextBytes);
  } catch (cause) {
    throw new RagctlError("USAGE_INVALID", `cannot read ${path}: ${describeReadError(cause)}`, {
      hint: "check the path",
      cause,
    });
  }
}

/** @throws USAGE_INVALID where a command that sets fields, such as `agents set`, was given none */
export function requireAnyOption(patch: object, command: string): void {
  if (Object.keys(patch).length === 0)
    throw new RagctlError("USAGE_INVALID", "nothing to set", {
      hint: `pass at least one option; \`ragctl ${command} --help\` lists them`,
    });
}
