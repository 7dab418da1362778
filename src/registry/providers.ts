import { randomUUID } from "node:crypto";
import type { Database } from "./database.ts";
import { type JsonObject, objectOf } from "./rows.ts";

/** Parts of the chain that a provider can serve. */
export type ComponentType = "reflection" | "semantic_router" | "llm";

export interface ProviderConfig {
  /** UUID. */
  readonly id: string;
  readonly component: ComponentType;
  /** e.g. `local`. */
  readonly provider: string;
  readonly config: JsonObject;
  readonly active: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface Providers {
  /** By component and provider; of one component when named. */
  list(component?: ComponentType): readonly ProviderConfig[];
  /** Adds a configuration unless that component has one of that provider; true when it was added. */
  insertIfAbsent(provider: Pick<ProviderConfig, "component" | "provider" | "config" | "active">): boolean;
}

interface ProviderRow {
  readonly id: string;
  readonly component_type: ComponentType;
  readonly provider_name: string;
  readonly config: string;
  readonly is_active: number;
  readonly created_at: string;
}

/** Opens the provider configurations of a registry. */
export function openProviders(database: Database, now: () => Date = () => new Date()): Providers {
  return {
    list(component) {
      const rows = database.statement<ProviderRow>(
        "SELECT * FROM provider_configs WHERE :component IS NULL OR component_type = :component ORDER BY component_type, provider_name",
      );
      return database.read(() =>
        rows.all({ component: component ?? null }).map(({ id, component_type, provider_name, config, is_active, created_at }) => ({
          id,
          component: component_type,
          provider: provider_name,
          config: objectOf(config),
          active: is_active === 1,
          createdAt: created_at,
        })),
      );
    },
    insertIfAbsent({ component, provider, config, active }) {
      return database.write(
        () =>
          database
            .statement(
              `INSERT INTO provider_configs (id, component_type, provider_name, config, is_active, created_at) VALUES (?, ?, ?, ?, ?, ?)
               ON CONFLICT (component_type, provider_name) DO NOTHING`,
            )
            .run(randomUUID(), component, provider, JSON.stringify(config), active ? 1 : 0, now().toISOString()).changes > 0,
      );
    },
  };
}
