// Writes config/schemas/ from the shapes of the command line's JSON: npm run schemas
import { mkdirSync, writeFileSync } from "node:fs";
import { jsonSchema } from "../src/core/schema.ts";
import { answerDocuments } from "../src/shapes/answer.ts";
import { chatDocuments } from "../src/shapes/chat.ts";
import { documentDocuments } from "../src/shapes/documents.ts";
import { errorDocuments } from "../src/shapes/error.ts";
import { evaluationDocuments } from "../src/shapes/evaluation.ts";
import { machineDocuments } from "../src/shapes/machine.ts";
import { permissionDocuments } from "../src/shapes/permissions.ts";
import { registryDocuments } from "../src/shapes/registry.ts";
import { replayDocuments } from "../src/shapes/replay.ts";
import { runDocuments } from "../src/shapes/runs.ts";
import { searchDocuments } from "../src/shapes/search.ts";
import { verifyDocuments } from "../src/shapes/verify.ts";

const folder = new URL("../config/schemas/", import.meta.url);
const documents = [
  ...answerDocuments,
  ...chatDocuments,
  ...errorDocuments,
  ...runDocuments,
  ...documentDocuments,
  ...evaluationDocuments,
  ...machineDocuments,
  ...permissionDocuments,
  ...registryDocuments,
  ...replayDocuments,
  ...searchDocuments,
  ...verifyDocuments,
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
