import type { Settings } from "../../config/settings.ts";
import { withoutCredentials } from "../../core/address.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ProviderConfig } from "../../registry/company/providers.ts";
import type { Tool } from "../../registry/company/tools.ts";

/** An address that a command could call, and what would. */
export interface Endpoint {
  readonly of: string;
  readonly address: string;
}

export interface EndpointParts {
  readonly settings: Settings;
  readonly providers: readonly Pick<ProviderConfig, "component" | "provider" | "config" | "active">[];
  readonly tools: readonly Pick<Tool, "name" | "type" | "config" | "enabled">[];
  readonly agents: readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly providerConfig: JsonObject;
  }[];
}

/** Every address that ingesting, searching and asking could call; whatever is not here, nothing but setup and the pulls of models calls. */
export function endpoints({ settings, providers, tools, agents }: EndpointParts): readonly Endpoint[] {
  const { milvus, parse } = settings;
  const of = (name: string, addresses: readonly unknown[]): readonly Endpoint[] =>
    addresses
      .filter((address) => typeof address === "string" && address !== "")
      .map((address) => ({ of: name, address: withoutCredentials(`${address}`) }));
  return [
    ...of("the public store", [milvus.publicUri]),
    ...of("the private store", [milvus.privateUri]),
    ...of("docling", parse.parser === "docling" ? [parse.doclingUrl] : []),
    ...providers
      .filter(({ active }) => active)
      .flatMap(({ component, provider, config }) =>
        of(`provider ${component}/${provider}`, provider === "local" ? [] : [config["base_url"]]),
      ),
    ...agents
      .filter(({ enabled }) => enabled)
      .flatMap(({ name, providerConfig }) => of(`agent ${name}`, [providerConfig["base_url"]])),
    ...tools
      .filter(({ enabled }) => enabled)
      .flatMap(({ name, type, config }) => of(`tool ${name}`, addressesOf(type, config))),
  ];
}

/** What a tool's row lets it call. A database named by a secret shows the secret's name. */
function addressesOf(type: Tool["type"], config: JsonObject): readonly unknown[] {
  if (type === "web_search") return [config["endpoint"]];
  if (type === "api_call") {
    const listed = Array.isArray(config["endpoints"]) ? config["endpoints"] : [];
    return listed.map((each: unknown) =>
      typeof each === "object" && each !== null && "url" in each ? each.url : "",
    );
  }
  if (type !== "database_query") return [];
  const secret = config["url_secret"];
  return [config["url"], typeof secret === "string" ? `the address in ${secret}` : ""];
}
