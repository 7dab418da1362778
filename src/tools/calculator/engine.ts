import { createRequire } from "node:module";
import type { ConfigOptions, MathJsInstance } from "mathjs";
import { lazy } from "../../core/lazy.ts";

/** Two evaluators of one grammar: `exact` computes with fractions, `decimal` with 64 digits and units. */
export interface Engines {
  readonly exact: MathJsInstance;
  readonly decimal: MathJsInstance;
}

/**
 * The package's single-file build: the same functions, loaded in a tenth of the time of its modules; its
 * `create` takes only the settings.
 */
function load(): Engines {
  // The file has no type declarations; an instance with these settings has the type the package declares.
  const { create } = createRequire(import.meta.url)("mathjs/lib/browser/math.js") as {
    create(config: ConfigOptions): MathJsInstance;
  };
  return { exact: create({ number: "Fraction" }), decimal: create({ number: "BigNumber", precision: 64 }) };
}

/** The arithmetic library, loaded on first use. */
export const loadMathEngines: () => Engines = lazy(load);
