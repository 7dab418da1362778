import { generalDepartment } from "../../core/decide.ts";
import { accessLevels, ownerName } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import {
  agentSchema,
  priority,
  providerConfigSchema,
  providerSchema,
  roomName,
  rowName,
  strictRow,
  toolSchema,
  word,
} from "../company/definitions.ts";
import { departmentsOf, principalSchema } from "../company/principals.ts";
import { profileSchema } from "../company/profiles.ts";
import { toolConfigSchemas } from "../company/tool-config.ts";

/**
 * A name in the form used for comparison: the case of A to Z is ignored, as in the registry's NOCASE columns.
 */
export const keyOf = (name: string): string =>
  name.normalize("NFC").replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Whether one of `names` is the same name. */
export function among(names: readonly string[]): (name: string) => boolean {
  const keys = new Set(names.map(keyOf));
  return (name) => keys.has(keyOf(name));
}

const on = z.boolean().default(true);

/**
 * Checks `config` by a schema, which also fills in what a row states, that another member of the item
 * chooses.
 */
function withConfig<Value extends { readonly config: Readonly<Record<string, unknown>> }>(
  item: z.ZodType<Value>,
  schemaOf: (item: Value) => z.ZodType,
): z.ZodType<Value> {
  return item.transform((value, context) => {
    const result = schemaOf(value).safeParse(value.config);
    for (const { path, message } of result.error?.issues ?? [])
      context.addIssue({ code: "custom", path: ["config", ...path], message });
    // Every schema of a config is one of objects of JSON.
    return result.success ? { ...value, config: result.data as Value["config"] } : value;
  });
}

const providerItem = withConfig(providerSchema, ({ component, provider }) =>
  providerConfigSchema(component, provider),
);
const toolItem = withConfig(toolSchema, ({ type }) => toolConfigSchemas[type]);

/**
 * A tool given to an agent; a bare name means an enabled tool with a priority by its position in the list.
 */
const givenTool = z.preprocess(
  (value) => (typeof value === "string" ? { tool: value } : value),
  strictRow({ tool: rowName, priority: priority.optional(), enabled: on }),
);

const { capabilities, providerConfig, ...agentFields } = agentSchema.shape;
const agentItem = strictRow({
  ...agentFields,
  capabilities,
  provider_config: providerConfig,
  tools: z
    .array(givenTool)
    .default([])
    .transform((tools) =>
      tools.map((given, index) => ({ ...given, priority: given.priority ?? (tools.length - index) * 10 })),
    ),
});

const principalItem = strictRow({
  ...principalSchema.shape,
  kind: z.enum(["owner", "person", "service"]).default("person"),
  departments: departmentsOf(
    word.refine((name) => name !== generalDepartment, `everyone already belongs to ${generalDepartment}`),
  ),
})
  .refine(({ kind, roots }) => kind !== "owner" || roots.length === 0, {
    path: ["roots"],
    message: "the owner may ingest from every folder and takes no folders",
  })
  .refine(({ kind, name }) => (kind === "owner") === (keyOf(name) === ownerName), {
    path: ["kind"],
    message: `only the principal ${ownerName} can have the kind owner`,
  })
  .refine(({ kind, enabled }) => kind !== "owner" || enabled, {
    path: ["enabled"],
    message: "the owner cannot be disabled",
  });

const resourceKinds = ["collection", "agent", "tool", "room"] as const;
const resourceName = z.union([z.literal("*"), rowName]);
const level = z.enum(accessLevels);

const permissionItem = strictRow({
  department: word.optional(),
  principal: rowName.optional(),
  allow: level.optional(),
  deny: level.optional(),
  collection: resourceName.optional(),
  agent: resourceName.optional(),
  tool: resourceName.optional(),
  room: z.union([z.literal("*"), roomName]).optional(),
  instance: z.enum(["public", "private"]).optional(),
}).transform((item, context) => {
  const one = <Name extends keyof typeof item>(names: readonly Name[]): Name | undefined => {
    const given = names.filter((name) => item[name] !== undefined);
    if (given.length !== 1)
      context.addIssue({ code: "custom", message: `set exactly one of ${names.join(", ")}` });
    return given[0];
  };
  const [who, effect, what] = [one(["department", "principal"]), one(["allow", "deny"]), one(resourceKinds)];
  if (who === undefined || effect === undefined || what === undefined) return z.NEVER;
  if (what !== "collection" && item.instance !== undefined)
    context.addIssue({
      code: "custom",
      path: ["instance"],
      message: "only collections have an instance",
    });
  return {
    subjectKind: who,
    subject: item[who] ?? "",
    effect,
    level: item[effect] ?? ("read" as const),
    resourceKind: what,
    resource: item[what] ?? "",
    instance: item.instance ?? ("" as const),
  };
});

/** A registry as a file states it. A section that is missing says nothing about its rows. */
export const fileSchema = strictRow({
  version: z.literal(1, "must be the format version, 1"),
  providers: z.array(providerItem).optional(),
  tools: z.array(toolItem).optional(),
  agents: z.array(agentItem).optional(),
  collections: z.array(profileSchema).optional(),
  principals: z.array(principalItem).optional(),
  permissions: z.array(permissionItem).optional(),
});

type Sections = Omit<z.output<typeof fileSchema>, "version">;
export type Section = keyof Sections;
type ItemTypes = { readonly [S in Section]: NonNullable<Sections[S]>[number] };
export type ExchangeItem<S extends Section = Section> = ItemTypes[S];
export type Items = { readonly [S in Section]: readonly ExchangeItem<S>[] };

/** The contents of a file; an omitted section is undefined. */
export type RegistryFile = { readonly [S in Section]?: readonly ExchangeItem<S>[] | undefined };

/** Sections in the order of writing: those that others refer to come first. */
export const sections = [
  "providers",
  "tools",
  "agents",
  "collections",
  "principals",
  "permissions",
] as const satisfies readonly Section[];

/** What identifies an item within its section, in readable form; case does not matter. */
export const nameOf: { readonly [S in Section]: (item: ExchangeItem<S>) => string } = {
  providers: ({ component, provider }) => `${component}/${provider}`,
  tools: ({ name }) => name,
  agents: ({ name }) => name,
  collections: ({ name }) => name,
  principals: ({ name }) => name,
  permissions: ({ subjectKind, subject, effect, resourceKind, resource, instance }) =>
    `${effect} ${subjectKind} ${subject} on ${resourceKind} ${resource}${instance === "" ? "" : ` (${instance})`}`,
};
