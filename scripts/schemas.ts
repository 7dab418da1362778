// Writes config/schemas/ from the shapes of the command line's JSON: npm run schemas
import { mkdirSync, writeFileSync } from "node:fs";
import { jsonSchema } from "../src/core/schema.ts";
import { nameOf, publishedSchemas } from "../src/operations/json-schemas.ts";

const folder = new URL("../config/schemas/", import.meta.url);
/** File name → text of every published schema. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(
    publishedSchemas.map((document) => [
      `${nameOf(document)}.schema.json`,
      `${JSON.stringify(jsonSchema(document), null, 2)}\n`,
    ]),
  );
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of schemaFiles()) writeFileSync(new URL(name, folder), text);
}
