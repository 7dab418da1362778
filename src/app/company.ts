import type { Run } from "../core/run.ts";
import type { Agent } from "../registry/company/agents.ts";
import type { Home } from "./home.ts";
import { createKeysApi, type KeysApi } from "./owner/keys.ts";
import { createPermissionsApi, type PermissionsApi } from "./owner/permissions.ts";
import { createRegistryApi, type RegistryApi } from "./owner/registry.ts";
import type { Surface } from "./surface.ts";

/** A surface with its company: principals, permissions and agents. */
export interface Company extends Surface {
  /** Principals, their permissions, recorded decisions, and the audit. */
  readonly permissions: PermissionsApi;
  /** Keys that let principals in at a server. */
  readonly keys: KeysApi;
  /** @throws NOT_FOUND, PERMISSION_DENIED for anyone but the owner */
  ownerOnly(run: Run, what: string): Promise<void>;
  /** Agents, tools, providers, collections: shown and changed; seeding, export and import. */
  readonly registry: RegistryApi;
}

/** Access to the company of a home over its surface. */
export function createCompanyApi(home: Home, surface: Surface): Company {
  const { access, agents, registry } = home;
  const visibleAgents = async (run: Run): Promise<readonly Agent[]> =>
    (await access.principal(run)).kind === "owner"
      ? await agents.list()
      : await access.agents(run, await agents.list());
  return {
    ...surface,
    ownerOnly: (run, what) => access.owner(run, what),
    permissions: createPermissionsApi(home),
    keys: createKeysApi(home),
    registry: createRegistryApi({
      registry,
      requireAdmin: access.owner,
      isAdmin: async (run) => (await access.principal(run)).kind === "owner",
      mayUseTool: async (run, tool) => (await access.tool(run, null, tool)).effect === "allow",
      agents: visibleAgents,
      collections: surface.collections,
    }),
  };
}
