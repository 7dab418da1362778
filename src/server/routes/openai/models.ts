import { embeddingModel } from "../../../app/engines/models.ts";
import { z } from "../../../core/schema.ts";
import { type Call, endpoint } from "../../define-route.ts";
import { json } from "../../reply.ts";
import { anyAgent, noModelError } from "./shared.ts";

const model = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});
const modelList = z.object({ object: z.literal("list"), data: z.array(model) });

/** ragctl itself, each agent that may be used, and the embedding model where there is one. */
async function modelsFor({ server, run }: Call): Promise<readonly z.output<typeof model>[]> {
  const names = (await server.app.registry.agents.list(run)).map(({ name }) => `${anyAgent}/${name}`);
  const embedding = await embeddingModel(server.app.parts.home).catch(() => undefined);
  return [anyAgent, ...names, ...(embedding === undefined ? [] : [embedding])].map((id) => ({
    id,
    object: "model",
    // When this server started: the models have no date of their own.
    created: Math.floor(performance.timeOrigin / 1000),
    owned_by: "ragctl",
  }));
}

export const modelRoutes = [
  endpoint(
    "GET /v1/models",
    "List ragctl itself, one model per agent you can use, and the embedding model",
    { openAi: true, answers: { 200: { description: "Models", schema: modelList } } },
    async (_, call) => json({ object: "list", data: await modelsFor(call) }),
  ),
  endpoint(
    "GET /v1/models/{model}",
    "One of them",
    { openAi: true, answers: { 200: { description: "The model", schema: model } } },
    async ({ params: { model: wanted = "" } }, call) => {
      const found = (await modelsFor(call)).find(({ id }) => id === wanted);
      if (found === undefined) throw noModelError(wanted);
      return json(found);
    },
  ),
];
