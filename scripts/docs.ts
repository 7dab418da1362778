// Writes the parts of docs/ that are generated, plots included: npm run docs
import { writeFileSync } from "node:fs";
import { generatedPages } from "./docs/pages.ts";

for (const [path, text] of await generatedPages())
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
