import { isLocalStore } from "../../../config/setting-kinds.ts";
import { plural } from "../../../core/plural.ts";
import type { Check } from "../../../shapes/machine.ts";
import type { Home } from "../../home.ts";

/**
 * Chunks with which a collection outgrows the Milvus Lite of the home: it compares a question with every
 * chunk, in 9 ms of one core for 100 000 (docs/decisions/0022-when-to-leave-milvus-lite.md), and a wait is
 * felt beyond 0.1 s (Nielsen, Usability Engineering, 1993, 5.5).
 */
export const largestLocalCollection = 1_000_000;

/** Names the collections that have outgrown the Milvus Lite of the home. */
export async function checkSize({
  collections,
  settings: { milvus },
}: Pick<Home, "collections" | "settings">): Promise<Omit<Check, "name">> {
  const addresses = { public: milvus.publicUri, private: milvus.privateUri };
  const list = await collections.list();
  const outgrown = list.filter(
    ({ instance, chunks }) => isLocalStore(addresses[instance]) && chunks > largestLocalCollection,
  );
  if (outgrown.length === 0) {
    const largest = Math.max(0, ...list.map(({ chunks }) => chunks));
    return { status: "ok", message: `the largest collection has ${plural(largest, "chunk")}`, hint: "" };
  }
  const sizes = outgrown.map(({ name, chunks }) => `${name} has ${chunks} chunks`);
  const addressNames = [...new Set(outgrown.map(({ instance }) => `milvus.${instance}Uri`))];
  const migrate = outgrown.map(({ name }) => `ragctl collections migrate ${name} --from local`);
  return {
    status: "warning",
    message: `${sizes.join(", ")}: the home's Milvus Lite compares a question with every chunk, which takes more than 0.1 s above ${largestLocalCollection} chunks`,
    hint: `start a Milvus server, set ${addressNames.join(" and ")} to its address, then: ${migrate.join("; ")}`,
  };
}
