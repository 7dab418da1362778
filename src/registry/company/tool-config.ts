import type { ToolType } from "../../core/answers/tool.ts";
import { z } from "../../core/schema.ts";
import {
  allowsHost,
  effectiveHosts,
  endpointConfig,
  namesOneDatabase,
  oneDatabaseMessage,
  toolConfigs,
} from "../../core/tool-config.ts";
import { prose, strictRow, withoutDefaults } from "./definitions.ts";
import { credentialInUrl, isPasswordFree, isSecretHeader } from "./tool-secrets.ts";

/** A web address without credentials: rows are shown and exported unchanged. */
const address = z.string().superRefine((value, context) => {
  const message = credentialInUrl(value);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const databaseUrl = toolConfigs.database_query.shape.url
  .unwrap()
  .refine(
    isPasswordFree,
    "no password in the address: set url_secret to the environment variable that holds the whole address",
  )
  .optional();

const headers = endpointConfig.shape.headers
  .unwrap()
  .superRefine((fields, context) => {
    for (const [name, value] of Object.entries(fields))
      if (isSecretHeader(name, value))
        context.addIssue({
          code: "custom",
          path: [name],
          message:
            "no keys in the configuration: write {secret:NAME} instead, where NAME is the environment variable that holds the key",
        });
  })
  .optional();

const line = prose.min(1, "it is empty");

/** An object of only these fields, without their defaults: fields that a row omits remain omitted. */
const rowOf = (fields: z.ZodRawShape, stricter: z.ZodRawShape = {}) =>
  strictRow({ ...withoutDefaults(fields), ...stricter });

/** Refuses a row with an address that its tool would not ask. */
const withinHosts =
  (addressesOf: (row: Record<string, unknown>) => readonly unknown[]) =>
  (row: Record<string, unknown>, context: z.RefinementCtx): void => {
    const hosts = z.array(z.string()).catch([]).parse(row["allowed_hosts"]);
    for (const each of z.array(z.string()).catch([]).parse(addressesOf(row)))
      if (URL.canParse(each) && !allowsHost(effectiveHosts(hosts, [each]), new URL(each)))
        context.addIssue({
          code: "custom",
          path: ["allowed_hosts"],
          message: `it lacks ${new URL(each).host}, which this tool calls`,
        });
  };
const endpointUrls = (row: Record<string, unknown>): readonly unknown[] =>
  z
    .array(z.looseObject({ url: z.string() }))
    .catch([])
    .parse(row["endpoints"])
    .map(({ url }) => url);

const common = { description: line.optional(), examples: z.array(line).optional() };
const endpoint = rowOf(endpointConfig.shape, { url: address.min(1, "it is empty"), headers });

/** `config` of a tool row that is written, by its type; the driver checks what it opens. */
export const toolConfigSchemas: Readonly<Record<ToolType, z.ZodType<Record<string, unknown>>>> = {
  rag: rowOf(toolConfigs.rag.shape, common),
  calculator: rowOf(toolConfigs.calculator.shape, common),
  database_query: rowOf(toolConfigs.database_query.shape, { ...common, url: databaseUrl }).refine(
    namesOneDatabase,
    oneDatabaseMessage,
  ),
  api_call: rowOf(toolConfigs.api_call.shape, {
    ...common,
    endpoints: z.array(endpoint).optional(),
  }).superRefine(withinHosts(endpointUrls)),
  web_search: rowOf(toolConfigs.web_search.shape, { ...common, endpoint: address.optional() }).superRefine(
    withinHosts(({ endpoint: url }) => (typeof url === "string" ? [url] : [])),
  ),
  generic: rowOf(toolConfigs.generic.shape, { ...common, description: line }),
};
