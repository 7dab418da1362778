import { seed } from "../../src/registry/exchange/seed.ts";
import { openRegistry } from "../../src/registry/registry.ts";

const database = await openRegistry(process.argv[2] ?? "");
const { added } = await seed(database);
database.close();
process.stdout.write(JSON.stringify(added));
