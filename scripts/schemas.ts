// Writes config/schemas/ from the shapes of the command line's JSON: npm run schemas
import { mkdirSync, writeFileSync } from "node:fs";
import { answerDocuments } from "../src/cli/shapes/answer.ts";
import { chatDocuments } from "../src/cli/shapes/chat.ts";
import { documentDocuments } from "../src/cli/shapes/documents.ts";
import { machineDocuments } from "../src/cli/shapes/machine.ts";
import { permissionDocuments } from "../src/cli/shapes/permissions.ts";
import { registryDocuments } from "../src/cli/shapes/registry.ts";
import { searchDocuments } from "../src/cli/shapes/search.ts";
import { commonDocuments } from "../src/cli/shapes/shapes.ts";
import { z } from "../src/core/schema.ts";

const folder = new URL("../config/schemas/", import.meta.url);
const documents = [
  ...answerDocuments,
  ...chatDocuments,
  ...commonDocuments,
  ...documentDocuments,
  ...machineDocuments,
  ...permissionDocuments,
  ...registryDocuments,
  ...searchDocuments,
];

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Leaves out what says nothing: the bounds of a safe integer, and that names are strings. */
function withoutDefaults(schema: JsonSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  delete schema.propertyNames;
}

/** File name → text of every published schema. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(
    documents.map((document) => {
      const name = String(document.meta()?.["$id"]).split(":").at(-2);
      const schema = z.toJSONSchema(document, {
        io: "output",
        override: ({ jsonSchema }) => withoutDefaults(jsonSchema),
      });
      return [`${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`];
    }),
  );
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of schemaFiles()) writeFileSync(new URL(name, folder), text);
}
