import { documentsShape } from "../../shapes/documents.ts";
import {
  agentsShape,
  agentView,
  collectionListShape,
  collectionShape,
  toolsShape,
  toolView,
} from "../../shapes/registry.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { json } from "../reply.ts";
import { documentNamed } from "../shapes.ts";

const tag = "Company";

/** Collections, agents and tools, as far as they may be seen. */
export const company: readonly Endpoint[] = [
  endpoint(
    {
      method: "get",
      path: "/v1/collections",
      tag,
      summary: "List collections",
      answers: { 200: { description: "Collections", schema: documentNamed("collections") } },
    },
    async (_, { server, run }) => json(collectionListShape(await server.app.registry.collections.list(run))),
  ),
  endpoint(
    {
      method: "get",
      path: "/v1/collections/{collection}",
      tag,
      summary: "Show a collection",
      answers: { 200: { description: "The collection", schema: documentNamed("collection") } },
    },
    async ({ params: { collection = "" } }, { server, run }) =>
      json(collectionShape(await server.app.registry.collections.get(collection, run))),
  ),
  endpoint(
    {
      method: "delete",
      path: "/v1/collections/{collection}",
      tag,
      summary: "Remove a collection with its documents and their uploads",
      answers: { 200: { description: "What was removed", schema: documentNamed("list") } },
    },
    async ({ params: { collection = "" } }, { server, run }) => {
      const removed = await server.app.forgetCollection(collection, run);
      await server.uploads.remove(removed);
      return json(documentsShape(removed));
    },
  ),
  endpoint(
    {
      method: "get",
      path: "/v1/agents",
      tag,
      summary: "List agents that may be used",
      answers: { 200: { description: "Agents", schema: documentNamed("agents") } },
    },
    (_, { server, run }) => json(agentsShape(server.app.registry.agents.list(run).map(agentView))),
  ),
  endpoint(
    {
      method: "get",
      path: "/v1/agents/{agent}",
      tag,
      summary: "Show an agent",
      answers: { 200: { description: "The agent", schema: documentNamed("agents") } },
    },
    ({ params: { agent = "" } }, { server, run }) =>
      json(agentsShape([agentView(server.app.registry.agents.get(agent, run))])),
  ),
  endpoint(
    {
      method: "get",
      path: "/v1/tools",
      tag,
      summary: "List tools that may be used",
      answers: { 200: { description: "Tools", schema: documentNamed("tools") } },
    },
    (_, { server, run }) => json(toolsShape(server.app.registry.tools.list(run).map(toolView))),
  ),
];
