import { openRegistry } from "../../src/registry/registry.ts";
import { fakeEmbedder } from "../pipeline/fakes.ts";
import { openCore, openWorld } from "./world.ts";

/*
 * Ingests a file or asks a question in the registry of another home and never comes to its end:
 * `node unfinished-child.ts REGISTRY ingest|ask FILE|QUESTION`. Prints the folder of its own home once the work is under way.
 */

const [registry = "", what, subject = ""] = process.argv.slice(2);
const stuck = async (): Promise<never> => {
  process.stdout.write(`${world.parts.settings.home}\n`);
  return new Promise(() => setInterval(() => undefined, 1000));
};
const world = await openWorld({ after: () => undefined }, { ...fakeEmbedder(), embed: stuck });
const { app } = openCore({ ...world.parts, registry: await openRegistry(registry) });
const run = { ...world.run("owner"), id: `stuck-${what}` };
if (what === "ingest") {
  const request = { collection: "general_knowledge", instance: "public", department: "" } as const;
  await Array.fromAsync(app.ingest({ paths: [subject], ...request }, run));
} else await Array.fromAsync(app.ask({ query: subject, topK: 3, collections: [] }, run));
