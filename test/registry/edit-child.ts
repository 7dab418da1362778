import { createAgentToolRepository } from "../../src/registry/company/agent-tools.ts";
import { createAgentRepository } from "../../src/registry/company/agents.ts";
import { createToolRepository } from "../../src/registry/company/tools.ts";
import { openRegistry } from "../../src/registry/registry.ts";

const [, , path = "", mark = ""] = process.argv;
const database = await openRegistry(path);
const [agents, tools, given] = [
  createAgentRepository(database),
  createToolRepository(database),
  createAgentToolRepository(database),
];
for (let index = 0; index < 25; index += 1) {
  tools.add({ name: `${mark} ${index}`, type: "calculator" });
  given.give(agents.idOf("HR Assistant"), tools.idOf(`${mark} ${index}`));
  database.write(() => {
    const { topics } = agents.get("HR Assistant").capabilities;
    agents.set("HR Assistant", {
      capabilities: { topics: [...topics.filter((topic) => /^[ab]\d/.test(topic)), `${mark}${index}`] },
    });
  });
}
database.close();
