// Writes config/schemas/ from the shapes of the command line's JSON: npm run schemas
import { mkdirSync, writeFileSync } from "node:fs";
import { answerDocuments } from "../src/cli/shapes/answer.ts";
import { chatDocuments } from "../src/cli/shapes/chat.ts";
import { documentDocuments } from "../src/cli/shapes/documents.ts";
import { evaluationDocuments } from "../src/cli/shapes/evaluation.ts";
import { machineDocuments } from "../src/cli/shapes/machine.ts";
import { permissionDocuments } from "../src/cli/shapes/permissions.ts";
import { registryDocuments } from "../src/cli/shapes/registry.ts";
import { replayDocuments } from "../src/cli/shapes/replay.ts";
import { searchDocuments } from "../src/cli/shapes/search.ts";
import { jsonSchema } from "../src/cli/shapes/shape.ts";
import { commonDocuments } from "../src/cli/shapes/shapes.ts";

const folder = new URL("../config/schemas/", import.meta.url);
const documents = [
  ...answerDocuments,
  ...chatDocuments,
  ...commonDocuments,
  ...documentDocuments,
  ...evaluationDocuments,
  ...machineDocuments,
  ...permissionDocuments,
  ...registryDocuments,
  ...replayDocuments,
  ...searchDocuments,
];

/** File name → text of every published schema. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(
    documents.map((document) => {
      const name = String(document.meta()?.["$id"]).split(":").at(-2);
      return [`${name}.schema.json`, `${JSON.stringify(jsonSchema(document), null, 2)}\n`];
    }),
  );
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of schemaFiles()) writeFileSync(new URL(name, folder), text);
}
