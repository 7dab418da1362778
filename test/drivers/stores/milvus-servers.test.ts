import { after, before, describe } from "node:test";
import type { MilvusServer } from "../../../scripts/servers/milvus.ts";
import openStore from "../../../src/drivers/stores/milvus.ts";
import { storeContract } from "../../contracts/store.ts";
import { milvusFixture, skipMilvus } from "../../helpers/milvus-servers.ts";

for (const kind of ["standalone", "lite"] as const) {
  describe(`a real ${kind} Milvus`, { skip: skipMilvus(kind) }, () => {
    const fixture = milvusFixture(kind);
    let server: MilvusServer | undefined;
    before(async () => {
      server = await fixture.start();
    });
    after(() => fixture.dispose());
    const lexicalIndex = async () => (await fixture.lexicalIndexes()).of("server");
    const open = () => openStore({ id: "server", uri: server?.uri ?? "", lexicalIndex });
    for (const lexical of ["bm25", "sparse"] as const) {
      const searchedBy = kind === "standalone" ? "bm25" : lexical;
      storeContract(`${kind} Milvus with ${lexical}`, lexical, open, false, searchedBy);
    }
  });
}
