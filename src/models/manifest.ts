import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { RagctlError } from "../core/errors.ts";
import { lazyMap } from "../core/lazy.ts";
import { type ModelEntry, manifestSchema } from "./manifest-schema.ts";

/** The models ragctl knows, by id. */
export type Manifest = ReadonlyMap<string, ModelEntry>;

/** Reads and checks a manifest file. @throws CONFIG_INVALID naming the key path of the first faults */
export async function loadManifest(path: string): Promise<Manifest> {
  const source = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new RagctlError("CONFIG_INVALID", `cannot read the model manifest ${path}`, {
      hint: "reinstall ragctl, or use another manifest",
      cause,
    });
  });
  return parsed(path)(source);
}

/** A resident process opens many homes and reads one manifest: the same text is parsed once. */
const parsed = lazyMap((path: string) => lazyMap((source: string) => parseManifest(source, path)));

/** Checks the YAML text of a manifest; `path` only serves the messages. @throws CONFIG_INVALID */
export function parseManifest(source: string, path: string): Manifest {
  const data = parseYaml(source, path);
  const result = manifestSchema.safeParse(data);
  if (!result.success) {
    const faults = result.error.issues
      .slice(0, 5)
      .map((issue) => `${keyPath(issue.path, data)}: ${issue.message}`);
    throw new RagctlError("CONFIG_INVALID", `the model manifest ${path} is not valid: ${faults.join("; ")}`, {
      hint: "correct that key and run the command again",
      cause: result.error,
    });
  }
  const manifest = new Map<string, ModelEntry>();
  for (const [index, entry] of result.data.models.entries()) {
    if (manifest.has(entry.id)) {
      throw new RagctlError(
        "CONFIG_INVALID",
        `the model manifest ${path} is not valid: models[${index}].id: ${entry.id} appears twice`,
        {
          hint: "give every model a unique id",
        },
      );
    }
    manifest.set(entry.id, entry);
  }
  return manifest;
}

function parseYaml(source: string, path: string): unknown {
  try {
    return parse(source);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError("CONFIG_INVALID", `the model manifest ${path} is not YAML: ${detail}`, {
      hint: "correct that line",
      cause,
    });
  }
}

/** `models[3] (bge-m3).files[0].sha256`. */
function keyPath(path: readonly PropertyKey[], data: unknown): string {
  let here: unknown = data;
  let shown = "";
  for (const part of path) {
    here = typeof here === "object" && here !== null ? Reflect.get(here, part) : undefined;
    shown += typeof part === "number" ? `[${part}]` : `${shown === "" ? "" : "."}${String(part)}`;
    if (shown.match(/^models\[\d+\]$/) && typeof here === "object" && here !== null && "id" in here)
      shown += ` (${String(here.id)})`;
  }
  return shown === "" ? "the document" : shown;
}
