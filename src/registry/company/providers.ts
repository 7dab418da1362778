import type { components } from "../../core/answers/provider.ts";
import type { Database } from "../database.ts";
import { jsonObject, parseRow } from "../rows.ts";
import { type ProviderInput, providerConfigSchema, providerSchema } from "./definitions.ts";
import { createRowRepository, type Repository } from "./repository.ts";
import { defineRow, type RowValue } from "./row.ts";

/** Parts of the chain that a provider can serve. */
export type ComponentType = (typeof components)[number];

/** Who serves a component, at most one of them enabled; `config` is checked by the provider's name. */
const providerRow = defineRow({
  name: "provider",
  table: "provider_configs",
  schema: providerSchema,
  key: ["component", "provider"],
  columns: { component: "component_type", provider: "provider_name", enabled: "is_active" },
  json: { config: { schema: jsonObject, repair: "--config '{ … }'" } },
  order: "component_type, lower(provider_name)",
  settled({ config, ...next }, what, before) {
    if (config === undefined) return next;
    // The row's own two words pass through the check too, so that an old provider name is refused with its
    // field.
    const words = {
      component: next.component ?? before?.("component"),
      provider: next.provider ?? before?.("provider"),
    };
    const { component, provider } = parseRow(providerSchema, { ...words, config }, what);
    return {
      ...next,
      config: parseRow(providerConfigSchema(component, provider), config, `${what}, config,`),
    };
  },
});

export type ProviderConfig = RowValue<typeof providerRow>;
/** By component and provider. One that is enabled takes over from the one that was. */
export type Providers = Repository<typeof providerRow>;

/** Access to the provider configurations of a registry. */
export function createProviderRepository(database: Database): Providers {
  const rows = createRowRepository(database, providerRow);
  const others = "(SELECT component_type FROM provider_configs WHERE id = :of)";
  /** Disables those of a component, or of the component of a row. */
  const disableAll = async (of: string): Promise<void> => {
    await database
      .statement(
        `UPDATE provider_configs SET is_active = FALSE WHERE component_type = :of OR component_type = ${others}`,
      )
      .run({ of });
  };
  const takingOver = <T>({ component, enabled }: ProviderInput, work: () => Promise<T>): Promise<T> =>
    database.write(async () => {
      if (enabled !== false) await disableAll(component);
      return work();
    });
  const enabledOf = (component: string): Promise<{ readonly id: string } | undefined> =>
    database
      .statement<{ id: string }>("SELECT id FROM provider_configs WHERE component_type = ? AND is_active")
      .get(component);
  return {
    ...rows,
    add: (input) => takingOver(input, () => rows.add(input)),
    put: (input) => takingOver(input, () => rows.put(input)),
    set: (reference, patch) =>
      database.write(async () => {
        if (patch.enabled === true) await disableAll(await rows.idOf(reference));
        return rows.set(reference, patch);
      }),
    insertIfAbsent: (input) =>
      database.write(async () => {
        const isFree = (await enabledOf(input.component)) === undefined;
        return rows.insertIfAbsent({ ...input, enabled: input.enabled !== false && isFree });
      }),
  };
}
