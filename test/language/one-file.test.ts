import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { languages } from "../../src/language/languages.ts";

const root = join(import.meta.dirname, "../../src");

/**
 * Files with words of several languages left: patterns of word order, units, notation and letters. A language
 * that needs another file here belongs in `config/languages/`.
 */
const allowed: readonly string[] = [
  "drivers/parsers/guessed-charset.ts",
  "drivers/parsers/source/latex.ts",
  "language/asking/kinds/contents.ts",
  "language/asking/kinds/defined.ts",
  "language/asking/kinds/mentions.ts",
  "language/asking/messages.ts",
  "language/clauses.ts",
  "language/dependence.ts",
  "language/limits.ts",
  "language/names.ts",
  "language/time/periods.ts",
  "pipeline/retrieve/rescore.ts",
  "tables/names.ts",
  "tools/calculator/arithmetic.ts",
  "tools/calculator/units.ts",
  "tools/network/web-request.ts",
];

test("a language is one file: no other has its code or its letters, but those that are listed", () => {
  const codes = languages.map(({ code }) => code).filter((code) => code !== "en");
  const special = new RegExp(`"(?:${codes.join("|")})"|[äöüßàâçéèêîïôûñ¿¡ăđơưạ-ỹ]`, "iu");
  const found = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".ts"))
    .filter((name) =>
      special.test(
        readFileSync(join(root, name), "utf8")
          .replace(/\/\*[\s\S]*?\*\//g, "")
          .replace(/(^|\s)\/\/.*$/gm, "$1"),
      ),
    );
  assert.deepEqual(found.toSorted(), allowed);
});
