import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";

/** Which files below a folder are meant: its globs, and the ignore files found on the way down. */
export interface Scope {
  /** The scope inside a folder, whose own ignore files now count too. `name` is relative to where the walk began, "" for there. */
  enter(path: string, name: string): Promise<Scope>;
  /** Whether a file, or anything below a folder, is meant. `name` is relative to where the walk began, `/` between parts. */
  takes(name: string, isFolder: boolean): boolean;
}

export interface ScopeRules {
  /** Patterns as in .gitignore; a file must match one. Empty: every file. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

interface Layer {
  /** Folder of the ignore file, relative to where the walk began. */
  readonly base: string;
  readonly rules: Ignore;
}

/** Read in this order: the later one wins. */
const ignoreFiles = [".gitignore", ".ragctlignore"];

/** The scope of a walk that starts now. Ignore files are read where the walk passes; those above its start do not count. */
export function openScope({ include, exclude }: ScopeRules): Scope {
  const included = include.length === 0 ? undefined : ignore().add([...include]);
  const excluded = exclude.length === 0 ? undefined : ignore().add([...exclude]);
  const within = (layers: readonly Layer[]): Scope => ({
    async enter(path, base) {
      const texts = await Promise.all(ignoreFiles.map((file) => readFile(join(path, file), "utf8").catch(() => "")));
      const text = texts.join("\n");
      return text.trim() === "" ? within(layers) : within([...layers, { base, rules: ignore().add(text) }]);
    },
    takes(name, isFolder) {
      const shown = isFolder ? `${name}/` : name;
      if (excluded?.ignores(shown) === true) return false;
      if (!isFolder && included?.ignores(shown) === false) return false;
      let ignored = false;
      for (const { base, rules } of layers) {
        const verdict = rules.test(base === "" ? shown : shown.slice(base.length + 1));
        if (verdict.ignored) ignored = true;
        if (verdict.unignored) ignored = false;
      }
      return !ignored;
    },
  });
  return within([]);
}
