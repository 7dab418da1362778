import { isLocalStore } from "../../config/setting-kinds.ts";
import { redactCredentials } from "../../core/address.ts";
import { isLocal, vendorDefaults } from "../../core/answers/provider.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ToolDefinition } from "../../registry/company/tools.ts";
import type { Home } from "../home.ts";

/** An address that a command could call, and what would. */
export interface ModelEndpoint {
  readonly of: string;
  readonly address: string;
}

/**
 * Every address that ingesting, searching and asking could call; whatever is not here, nothing but setup and
 * the pulls of models calls.
 */
export async function endpoints({
  settings,
  providers,
  tools,
  agents,
}: Pick<Home, "settings" | "providers" | "tools" | "agents">): Promise<readonly ModelEndpoint[]> {
  const { milvus, parse } = settings;
  const of = (name: string, addresses: readonly unknown[]): readonly ModelEndpoint[] =>
    addresses
      .filter((address) => typeof address === "string" && address !== "")
      .map((address) => ({ of: name, address: redactCredentials(`${address}`) }));
  return [
    ...of("the registry", [settings.registry.url]),
    ...of("the public store", isLocalStore(milvus.publicUri) ? [] : [milvus.publicUri]),
    ...of("the private store", isLocalStore(milvus.privateUri) ? [] : [milvus.privateUri]),
    ...of("docling", parse.parser === "docling" ? [parse.doclingUrl] : []),
    ...(await providers.list())
      .filter(({ enabled }) => enabled)
      .flatMap(({ component, provider, config }) =>
        of(`provider ${component}/${provider}`, isLocal(provider) ? [] : [config["base_url"]]),
      ),
    ...(await agents.list())
      .filter(({ enabled }) => enabled)
      .flatMap(({ name, providerConfig }) =>
        of(`agent ${name}`, [
          { ...vendorDefaults(providerConfig["provider"]), ...providerConfig }["base_url"],
        ]),
      ),
    ...(await tools.list())
      .filter(({ enabled }) => enabled)
      .flatMap(({ name, type, config }) => of(`tool ${name}`, addressesOf(type, config))),
  ];
}

/** The addresses that a tool's row lets it call. A database named by a secret shows the secret's name. */
function addressesOf(type: ToolDefinition["type"], config: JsonObject): readonly unknown[] {
  if (type === "rag") return [config["milvus_public_uri"], config["milvus_private_uri"]];
  if (type === "web_search") return [config["endpoint"]];
  if (type === "api_call") {
    const endpointRows = Array.isArray(config["endpoints"]) ? config["endpoints"] : [];
    return endpointRows.map((each: unknown) =>
      typeof each === "object" && each !== null && "url" in each ? each.url : "",
    );
  }
  if (type !== "database_query") return [];
  const secret = config["url_secret"];
  return [config["url"], typeof secret === "string" ? `the address in ${secret}` : ""];
}
