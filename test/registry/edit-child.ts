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
  await tools.add({ name: `${mark} ${index}`, type: "calculator" });
  await given.give(await agents.idOf("HR Assistant"), await tools.idOf(`${mark} ${index}`));
  await database.write(async () => {
    const { topics } = (await agents.get("HR Assistant")).capabilities;
    await agents.set("HR Assistant", {
      capabilities: { topics: [...topics.filter((topic) => /^[ab]\d/.test(topic)), `${mark}${index}`] },
    });
  });
}
database.close();
