import { createDocumentRepository } from "../../src/registry/documents/documents.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { sourceFile } from "./support.ts";

/** Ingests the same ten files as another machine does meanwhile. */
const [, , place = "", machine = ""] = process.argv;
const database = await openRegistry(place);
const documents = createDocumentRepository(database, { owner: `1@${machine}/x`, isAlive: () => true });
const facts = { title: "", pages: 1, chunks: 1, tokens: 1 };
for (let index = 0; index < 10; index++) {
  const file = sourceFile(`/srv/${index}.txt`, "a");
  const begun = await documents.begin(file, { collection: "c", instance: "public", department: "" }, "f");
  if (begun.state !== "unchanged" && !begun.shared) await documents.ready(begun.versionId, facts);
  else if (begun.shared) await documents.share(begun.versionId);
}
database.close();
