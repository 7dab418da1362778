import { createRequire } from "node:module";
import type { ConfigOptions, MathJsInstance } from "mathjs";
import { lazy } from "../../core/lazy.ts";

/**
 * Two evaluators of one grammar: `exact` computes with fractions of whole numbers, `decimal` with 64 digits
 * and units.
 */
export interface Engines {
  readonly exact: MathJsInstance;
  readonly decimal: MathJsInstance;
}

/**
 * The package's single-file build: the same functions, read in a tenth of the time of its modules; its
 * `create` takes the settings alone.
 */
function load(): Engines {
  // A file without declarations of its own; the build made with those settings is an instance as the package
  // declares it.
  const { create } = createRequire(import.meta.url)("mathjs/lib/browser/math.js") as {
    create(config: ConfigOptions): MathJsInstance;
  };
  return { exact: create({ number: "Fraction" }), decimal: create({ number: "BigNumber", precision: 64 }) };
}

/** The arithmetic library, loaded on first use. */
export const engines: () => Engines = lazy(load);
