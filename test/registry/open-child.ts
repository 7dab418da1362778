import { openRegistry } from "../../src/registry/registry.ts";
import { seed } from "../../src/registry/seed.ts";

const database = await openRegistry(process.argv[2] ?? "");
const counts = seed(database);
database.close();
process.stdout.write(JSON.stringify(counts));
