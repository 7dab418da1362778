import { z } from "../core/schema.ts";
import { answerDocuments } from "../shapes/answer.ts";
import { chatDocuments } from "../shapes/chat.ts";
import { documentDocuments } from "../shapes/documents.ts";
import { errorDocuments } from "../shapes/error.ts";
import { evaluationDocuments } from "../shapes/evaluation.ts";
import { machineDocuments } from "../shapes/machine.ts";
import { permissionDocuments } from "../shapes/permissions.ts";
import { registryDocuments } from "../shapes/registry.ts";
import { replayDocuments } from "../shapes/replay.ts";
import { runDocuments } from "../shapes/runs.ts";
import { searchDocuments } from "../shapes/search.ts";
import { verifyDocuments } from "../shapes/verify.ts";
import { operations } from "./all.ts";
import type { Operation } from "./operation.ts";

/** Every JSON document of the command line, in config/schemas/. */
export const publishedSchemas: readonly z.ZodObject[] = [
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
  ...operations.flatMap(({ document }) => (typeof document === "string" ? [] : [document])),
];

/** Name of a published schema: `search` for search.schema.json; undefined for one that is not published. */
export function nameOf(schema: z.core.$ZodType): string | undefined {
  const id = z.globalRegistry.get(schema)?.["$id"];
  return typeof id === "string" ? id.split(":").at(-2) : undefined;
}

/** The schema of the command line's JSON document of that name. */
export function documentNamed(name: string): z.ZodObject {
  const found = publishedSchemas.find((each) => nameOf(each) === name);
  if (found === undefined) throw new TypeError(`there is no document ${name}`);
  return found;
}

/** The schema of an operation's JSON document. */
export const documentOf = ({ document }: Pick<Operation, "document">): z.ZodObject =>
  typeof document === "string" ? documentNamed(document) : document;
