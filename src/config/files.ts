import { Document, parse, parseDocument } from "yaml";
import { RagctlError } from "../core/errors.ts";
import { didYouMean } from "../core/nearest.ts";
import { readRegularFile } from "./read-file.ts";
import { settingTable } from "./settings.ts";

const maxFileBytes = 1_000_000;

const faulty = (path: string, cause: unknown): RagctlError => {
  const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
  return new RagctlError("CONFIG_INVALID", `cannot read the settings file ${path}: ${reason}`, {
    hint: "correct the file, or move it elsewhere to use the defaults",
    cause,
  });
};

function readMapping(path: string): unknown {
  try {
    return parse(readRegularFile(path, maxFileBytes));
  } catch (cause) {
    throw faulty(path, cause);
  }
}

/**
 * A settings file with its comments, to be changed; an empty one where the file is missing. @throws
 * CONFIG_INVALID
 */
export function parseSettingsDocument(path: string | undefined): Document {
  try {
    const document = parseDocument(path === undefined ? "" : readRegularFile(path, maxFileBytes));
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document;
  } catch (cause) {
    throw faulty(path ?? "", cause);
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error for a key that is no setting, with the nearest that is. */
export function unknownKeyError(key: string, where: string): RagctlError {
  return new RagctlError(
    "CONFIG_INVALID",
    `"${key}" (${where}) is not a setting${didYouMean(key, settingTable.keys())}`,
    {
      hint: "`ragctl config show --effective` lists every setting",
    },
  );
}

/**
 * Settings of a YAML file as key path → value.
 * @throws CONFIG_INVALID for a file that cannot be read and for a key that is no setting
 */
export function readSettingsFile(path: string): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  const sections = new Set(
    [...settingTable.keys()].filter((key) => key.includes(".")).map((key) => key.slice(0, key.indexOf("."))),
  );
  const visit = (mapping: Readonly<Record<string, unknown>>, prefix: string): void => {
    for (const [name, value] of Object.entries(mapping)) {
      const key = prefix + name;
      if (settingTable.has(key)) values.set(key, value);
      else if (!sections.has(key)) throw unknownKeyError(key, path);
      else if (isMapping(value)) visit(value, `${key}.`);
      else if (value !== null) {
        throw new RagctlError(
          "CONFIG_INVALID",
          `"${key}" (${path}) is a section: it must hold settings, not ${JSON.stringify(value)}`,
        );
      }
    }
  };
  const content = readMapping(path);
  if (content !== null && !isMapping(content)) {
    throw new RagctlError(
      "CONFIG_INVALID",
      `the settings file ${path} must be a mapping of sections, such as "chunk:" with "maxTokens: 512" under it`,
    );
  }
  if (content !== null) visit(content, "");
  return values;
}

/** A settings file with these values, by key path. */
export function settingsText(values: ReadonlyMap<string, unknown>): string {
  const document = new Document({});
  for (const [key, value] of values) document.setIn(key.split("."), value);
  return document.toString();
}
