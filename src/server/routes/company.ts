import { documentsShape } from "../../shapes/documents.ts";
import {
  agentsShape,
  agentView,
  collectionListShape,
  collectionShape,
  toolsShape,
  toolView,
} from "../../shapes/registry.ts";
import { type Endpoint, endpoint, tagged } from "../endpoint.ts";
import { json } from "../reply.ts";
import { shows } from "../shapes.ts";

/** Visible collections, agents and tools. */
export const company: readonly Endpoint[] = tagged("Company", [
  endpoint(
    "GET /v1/collections",
    "List collections",
    shows("Collections", "collections"),
    async (_, { server, run }) => json(collectionListShape(await server.app.registry.collections.list(run))),
  ),
  endpoint(
    "GET /v1/collections/{collection}",
    "Show a collection",
    shows("The collection", "collection"),
    async ({ params: { collection = "" } }, { server, run }) =>
      json(collectionShape(await server.app.registry.collections.get(collection, run))),
  ),
  endpoint(
    "DELETE /v1/collections/{collection}",
    "Remove a collection with its documents and uploaded files",
    shows("The removed item", "list"),
    async ({ params: { collection = "" } }, { server, run }) => {
      const removed = await server.app.forgetCollection(collection, run);
      return json(documentsShape(removed));
    },
  ),
  endpoint("GET /v1/agents", "List the agents you can use", shows("Agents", "agents"), (_, { server, run }) =>
    json(agentsShape(server.app.registry.agents.list(run).map(agentView))),
  ),
  endpoint(
    "GET /v1/agents/{agent}",
    "Show an agent",
    shows("The agent", "agents"),
    ({ params: { agent = "" } }, { server, run }) =>
      json(agentsShape([agentView(server.app.registry.agents.get(agent, run))])),
  ),
  endpoint("GET /v1/tools", "List the tools you can use", shows("Tools", "tools"), (_, { server, run }) =>
    json(toolsShape(server.app.registry.tools.list(run).map(toolView))),
  ),
]);
