import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { RagctlError } from "../../core/errors.ts";
import type { Failure } from "../../core/flow.ts";
import { toNfc } from "../../core/text.ts";
import { readSmallText } from "../../files.ts";

/** Which files below a folder are included: its globs, and the ignore files found on the way down. */
export interface Scope {
  /**
   * The scope inside a folder, including its own ignore files, and a failure for each of these that is not a
   * regular file and so has no effect. `name` is relative to the start of the walk, "" for the start itself.
   * @throws if one cannot be read, as what it excludes is unknown
   */
  enter(path: string, name: string): Promise<{ readonly scope: Scope; readonly faults: readonly Failure[] }>;
  /**
   * Whether a file, or anything below a folder, is included. `name` is relative to the start of the walk, `/`
   * between parts.
   */
  takes(name: string, isFolder: boolean): boolean;
}

export interface ScopeRules {
  /** Patterns as in .gitignore; a file must match at least one. Empty: every file. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

interface Layer {
  /** Folder of the ignore file, relative to the start of the walk. */
  readonly base: string;
  readonly rules: Ignore;
}

/** In this order: the later one wins. */
const ignoreFiles = [".gitignore", ".ragctlignore"];

/** Largest ignore file accepted, in bytes. */
const maxIgnoreBytes = 2 ** 20;

/** The patterns of an ignore file; none if it is missing, a failure if something else has its name. */
function readPatterns(path: string, name: string): string | Failure {
  try {
    return readSmallText(path, name, maxIgnoreBytes);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT") return "";
    if (error instanceof RagctlError && code === "SOURCE_SPECIAL")
      return { failed: true, name, phase: "read", error, path };
    throw error;
  }
}

/** What the ignore files say about a name, the innermost last. */
function isIgnored(name: string, layers: readonly Layer[]): boolean {
  let ignored = false;
  for (const { base, rules } of layers) {
    const verdict = rules.test(base === "" ? name : name.slice(base.length + 1));
    if (verdict.ignored) ignored = true;
    if (verdict.unignored) ignored = false;
  }
  return ignored;
}

/**
 * The scope at the start of a walk. Ignore files are read along the way; those above the start do not count.
 */
export function createIngestScope({ include, exclude }: ScopeRules): Scope {
  const included = include.length === 0 ? undefined : ignore().add(toNfc([...include]));
  const excluded = exclude.length === 0 ? undefined : ignore().add(toNfc([...exclude]));
  const within = (layers: readonly Layer[]): Scope => ({
    async enter(path, base) {
      const read = ignoreFiles.map((file) =>
        readPatterns(join(path, file), base === "" ? file : `${base}/${file}`),
      );
      const faults = read.filter((each) => typeof each !== "string");
      const text = read.filter((each) => typeof each === "string").join("\n");
      return {
        scope:
          text.trim() === ""
            ? within(layers)
            : within([...layers, { base: toNfc(base), rules: ignore().add(toNfc(text)) }]),
        faults,
      };
    },
    takes(name, isFolder) {
      const shown = toNfc(isFolder ? `${name}/` : name);
      if (excluded?.ignores(shown) === true) return false;
      if (!isFolder && included?.ignores(shown) === false) return false;
      return !isIgnored(shown, layers);
    },
  });
  return within([]);
}
