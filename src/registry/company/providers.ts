import type { components } from "../../core/answers/provider.ts";
import { RagctlError } from "../../core/errors.ts";
import type { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { type JsonObject, objectOf, parseRow } from "../rows.ts";
import { type ProviderInput, providerConfigSchema, providerSchema } from "./definitions.ts";
import { createNamedRepository } from "./named-rows.ts";

/** Parts of the chain that a provider can serve. */
export type ComponentType = (typeof components)[number];

export interface ProviderConfig {
  /** UUID. */
  readonly id: string;
  readonly component: ComponentType;
  /** One of `providerNames`. */
  readonly provider: string;
  readonly config: JsonObject;
  /** At most one of a component is. */
  readonly active: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface Providers {
  /**
   * By component and provider; of one component when named. @throws CONFIG_INVALID for a JSON column that
   * cannot be read
   */
  list(component?: ComponentType): readonly ProviderConfig[];
  /** By id or `component/provider`. @throws NOT_FOUND, CONFIG_INVALID */
  get(reference: string): ProviderConfig;
  /** `component/provider` of all. */
  names(): readonly string[];
  /**
   * An active one takes over from the one that was. @throws USAGE_INVALID that names the field, or where it
   * is there
   */
  add(provider: ProviderInput): void;
  /** Making one active makes the other ones of its component inactive. @throws NOT_FOUND, USAGE_INVALID */
  set(
    reference: string,
    patch: { readonly config?: ProviderInput["config"]; readonly active?: boolean },
  ): void;
  /** @throws NOT_FOUND */
  remove(reference: string): void;
  /**
   * Adds a configuration unless that component has one of that provider, inactive where another is active;
   * true when it was added.
   */
  insertIfAbsent(provider: ProviderInput): boolean;
}

interface ProviderRow {
  readonly id: string;
  readonly component_type: ComponentType;
  readonly provider_name: string;
  readonly config: string;
  readonly is_active: number;
  readonly created_at: string;
}

type CheckedProvider = Omit<z.output<typeof providerSchema>, "config"> & { readonly config: JsonObject };

/**
 * A provider's fields with its `config` checked by the provider's name. @throws USAGE_INVALID that names the
 * field
 */
function checkedProvider(input: ProviderInput): CheckedProvider {
  const what = `provider ${String(input.component)}/${String(input.provider)}`;
  const provider = parseRow(providerSchema, input, what);
  return {
    ...provider,
    config: parseRow<JsonObject>(
      providerConfigSchema(provider.component, provider.provider),
      provider.config,
      `${what}, config,`,
    ),
  };
}

function providerOf({
  id,
  component_type,
  provider_name,
  config,
  is_active,
  created_at,
}: ProviderRow): ProviderConfig {
  const row = `${component_type}/${provider_name}`;
  const repair = `ragctl providers set ${row} --config '{ … }'`;
  return {
    id,
    component: component_type,
    provider: provider_name,
    config: objectOf(config, { table: "provider_configs", row, column: "config", repair }),
    active: is_active === 1,
    createdAt: created_at,
  };
}

const kind = {
  kind: "provider",
  table: "provider_configs",
  name: "component_type || '/' || provider_name",
  order: "component_type, lower(provider_name)",
};

/** Access to the provider configurations of a registry. */
export function createProviderRepository(database: Database, now: () => Date = () => new Date()): Providers {
  const rows = createNamedRepository<ProviderRow>(database, kind, now);
  const activate = (id: string, component: ComponentType): void => {
    database
      .statement("UPDATE provider_configs SET is_active = (id = ?) WHERE component_type = ?")
      .run(id, component);
  };
  const insert = ({ component, provider, config, active }: CheckedProvider): string | undefined =>
    rows.insert({
      component_type: component,
      provider_name: provider,
      config: JSON.stringify(config),
      is_active: Number(active),
    });
  return {
    names: rows.names,
    list(component) {
      const every = rows.all();
      return every
        .filter(({ component_type }) => component === undefined || component_type === component)
        .map(providerOf);
    },
    get: (reference) => providerOf(rows.get(reference)),
    add(input) {
      const provider = checkedProvider(input);
      database.write(() => {
        const id = insert(provider);
        if (id === undefined) throw taken(`${provider.component}/${provider.provider}`);
        if (provider.active) activate(id, provider.component);
      });
    },
    set(reference, { config, active }) {
      database.write(() => {
        const row = rows.get(reference);
        rows.update(row.id, {
          config: config === undefined ? row.config : changedConfig(row, config),
          is_active: active === undefined ? row.is_active : Number(active),
        });
        if (active === true) activate(row.id, row.component_type);
      });
    },
    remove: rows.remove,
    insertIfAbsent(input) {
      const provider = checkedProvider(input);
      return database.write(() => {
        const hasActive = rows
          .all()
          .some((row) => row.component_type === provider.component && row.is_active === 1);
        return insert({ ...provider, active: provider.active && !hasActive }) !== undefined;
      });
    },
  };
}

function changedConfig(row: ProviderRow, config: ProviderInput["config"]): string {
  // The row's own two words pass through the check too, so that an old provider name is refused with its
  // field.
  const words = { component: row.component_type, provider: row.provider_name } as Pick<
    ProviderInput,
    "component" | "provider"
  >;
  return JSON.stringify(checkedProvider({ ...words, config }).config);
}

function taken(name: string): RagctlError {
  return new RagctlError("USAGE_INVALID", `there is already a provider ${name}`, {
    hint: `change it with: ragctl providers set ${name} …`,
  });
}
