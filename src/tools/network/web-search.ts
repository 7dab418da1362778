import type { Tool, ToolFinding } from "../../core/answers/tool.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { effectiveHosts, toolConfigs } from "../../core/tool-config.ts";
import { readConfig } from "../config.ts";
import type { ToolDrivers, ToolRow } from "../drivers.ts";
import { substituteSecrets } from "../secrets.ts";
import type { Lookup } from "./address.ts";
import { guardedFetch } from "./http.ts";

const text = z.string().catch("");
/** Response of SearXNG and compatible services. */
const answer = z.object({
  results: z.array(z.object({ title: text, url: text, content: text, snippet: text })),
});

type Result = z.infer<typeof answer>["results"][number];

const plain = (html: string, characters: number): string =>
  html
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, characters);

type Settings = z.output<(typeof toolConfigs)["web_search"]>;

const parameters = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 400, description: "words to search the web for" },
  },
  required: ["query"],
  additionalProperties: false,
};

const usualDescription =
  "Searches the public web for current events, news, weather, prices and facts that are in no document of ours.";

const usualExamples = [
  "What is the latest news about the merger?",
  "What is the weather in Hanoi today?",
  "Who won the match yesterday?",
  "What is the current exchange rate of the euro?",
];

/** Queries a JSON search endpoint; off until one is configured. */
export default async function open(
  row: ToolRow,
  drivers: Pick<ToolDrivers, "secret">,
  lookup?: Lookup,
): Promise<Tool> {
  const settings = readConfig(row, toolConfigs.web_search);
  if (settings.endpoint !== "" && !URL.canParse(settings.endpoint)) {
    throw new RagctlError(
      "CONFIG_INVALID",
      `the tool ${row.name}: config.endpoint: "${settings.endpoint}" is not a web address`,
      {
        hint: "use https://host/search?format=json",
      },
    );
  }
  return {
    type: "web_search",
    description: settings.description ?? usualDescription,
    examples: settings.examples ?? usualExamples,
    parameters,
    async call(call, question, run) {
      const { query } = call.arguments;
      const asked = (typeof query === "string" && query.trim() !== "" ? query : question).slice(0, 400);
      const url = addressOf(asked, row.name, settings, drivers);
      const results = await search(url, settings, lookup, run.signal);
      return {
        message: `${results.length} results from ${url.host}`,
        findings: results.map((result) => findingOf(result, url.host)),
        data: {
          query: asked,
          results: results.map(({ title, url: address }) => ({
            title: plain(title, 300),
            url: plain(address, 500),
          })),
        },
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** The address of a query. @throws TOOL_REFUSED if no endpoint is configured */
function addressOf(
  query: string,
  tool: string,
  { endpoint, query_parameter: parameter }: Settings,
  drivers: Pick<ToolDrivers, "secret">,
): URL {
  if (endpoint === "")
    throw new RagctlError("TOOL_REFUSED", `${tool} is not set up: its config has no endpoint`, {
      hint: "set config.endpoint of the tool to a JSON search address",
    });
  const url = new URL(substituteSecrets(endpoint, drivers, { tool, what: "endpoint" }, encodeURIComponent));
  url.searchParams.set(parameter, query);
  return url;
}

async function search(
  url: URL,
  settings: Settings,
  lookup: Lookup | undefined,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const rules = {
    hosts: effectiveHosts(settings.allowed_hosts, [url.href]),
    allowPrivate: settings.allow_private,
    timeoutMs: settings.timeout_ms,
    maxBytes: settings.max_bytes,
    ...(lookup === undefined ? {} : { lookup }),
  };
  const request = { url: url.href, method: "GET", headers: { accept: "application/json" } } as const;
  const reply = await guardedFetch(request, rules, signal);
  if (reply.status >= 400)
    throw new RagctlError("TOOL_FAILED", `${url.host} responded with status ${reply.status}`, {
      hint: "check config.endpoint; SearXNG must allow the format json",
    });
  return read(reply.text, url.host).slice(0, settings.max_results);
}

function findingOf({ title, url, content, snippet }: Result, host: string): ToolFinding {
  return {
    text: `${plain(title, 300)}\n${plain(content === "" ? snippet : content, 1500)}`,
    source: plain(title, 120) || host,
    section: plain(url, 500),
    contentType: "paragraph",
  };
}

function read(body: string, host: string): readonly Result[] {
  try {
    return answer.parse(JSON.parse(body)).results;
  } catch (cause) {
    throw new RagctlError("TOOL_FAILED", `${host} did not return a JSON list of results`, {
      hint: "the endpoint must answer { results: [{ title, url, content }] }",
      cause,
    });
  }
}
