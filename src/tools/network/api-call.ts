import type { Tool } from "../../core/answers/tool.ts";
import { RagctlError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { z } from "../../core/schema.ts";
import { effectiveHosts, type endpointConfig, toolConfigs } from "../../core/tool-config.ts";
import { readConfig } from "../config.ts";
import type { ToolDrivers, ToolRow } from "../drivers.ts";
import { checkedArguments, checkSchema } from "../schema.ts";
import { substituteSecrets } from "../secrets.ts";
import type { Lookup } from "./address.ts";
import { checkUrl, guardedFetch, type HttpReply, type HttpRequest } from "./http.ts";

const jsonObject = z.record(z.string(), z.unknown());

type Endpoint = z.infer<typeof endpointConfig>;

/** Most characters of a response in a finding. */
const shownCharacters = 4000;

const placeholder = /\{([\w-]+)\}/g;
const names = (template: string): readonly string[] =>
  [...template.matchAll(placeholder)].map(([, name = ""]) => name);

function scalar(value: unknown, name: string): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  throw new RagctlError(
    "TOOL_INVALID",
    `the argument ${name} must be text or a number to stand in the address`,
    {
      hint: "correct the endpoint's parameters",
    },
  );
}

/**
 * The template with its arguments, each encoded so that it cannot leave its place; `.` and `..` are refused
 * as path segments.
 */
export function filledUrl(template: string, given: JsonObject): string {
  const filled = template.replaceAll(placeholder, (_, name: string) => {
    const text = scalar(given[name], name);
    if (/^\.{1,2}$/.test(text) || text === "")
      throw new RagctlError("TOOL_REFUSED", `the argument ${name} may not be "${text}"`, {
        hint: "pass a specific value",
      });
    return encodeURIComponent(text);
  });
  return filled;
}

/** Schema of one endpoint, including the member that selects it. */
function branch({ name, description, parameters }: Endpoint): JsonObject {
  const properties = { endpoint: { const: name }, ...jsonObject.catch({}).parse(parameters["properties"]) };
  const required = ["endpoint", ...z.array(z.string()).catch([]).parse(parameters["required"])];
  return { type: "object", description, properties, required, additionalProperties: false };
}

type Settings = z.infer<typeof toolConfigs.api_call>;

/**
 * @throws CONFIG_INVALID for endpoints that cannot be called, TOOL_REFUSED for an address outside the allowed
 * hosts
 */
function checkEndpoints(tool: string, { endpoints }: Settings, hosts: readonly string[]): void {
  const fault = (what: string, hint: string) =>
    new RagctlError("CONFIG_INVALID", `the tool ${tool}: ${what}`, { hint });
  if (new Set(endpoints.map(({ name }) => name)).size !== endpoints.length)
    throw fault("config.endpoints: two endpoints have the same name", "give each its own name");
  for (const { name, url, parameters } of endpoints) {
    checkSchema(parameters, tool);
    const [origin = ""] = /^[a-z]+:\/\/[^/?#]*/i.exec(url) ?? [];
    if (origin.includes("{"))
      throw fault(
        `the endpoint ${name} has an argument in its host`,
        "arguments may stand in the path and the query only",
      );
    if ("endpoint" in jsonObject.catch({}).parse(parameters["properties"]))
      throw fault(`the endpoint ${name} has a parameter called endpoint`, "rename it");
    checkUrl(url.replaceAll(placeholder, "x"), hosts);
  }
}

/** The endpoint that a call names; optional if there is only one. @throws TOOL_REFUSED, TOOL_INVALID */
function endpointOf(tool: string, { endpoints }: Settings, given: JsonObject): Endpoint {
  const [only] = endpoints;
  if (only === undefined)
    throw new RagctlError("TOOL_REFUSED", `the tool ${tool} has no endpoint`, {
      hint: "declare config.endpoints",
    });
  const name = String(given["endpoint"] ?? (endpoints.length === 1 ? only.name : ""));
  const endpoint = endpoints.find((each) => each.name === name);
  if (endpoint !== undefined) return endpoint;
  throw new RagctlError("TOOL_INVALID", `tool ${tool} has no endpoint "${name.slice(0, 64)}"`, {
    hint: `endpoints: ${endpoints.map((each) => each.name).join(", ")}`,
  });
}

/** The request of a call; `given` are its checked arguments. */
function requestOf(tool: string, target: Endpoint, given: JsonObject, drivers: ToolDrivers): HttpRequest {
  // Arguments first, so that none of them can refer to a secret.
  const filled = filledUrl(target.url, given);
  const url = new URL(substituteSecrets(filled, drivers, { tool, what: "address" }, encodeURIComponent));
  const inPath = names(target.url);
  const rest = Object.entries(given).filter(([name]) => !inPath.includes(name));
  const headers = Object.fromEntries(
    Object.entries(target.headers).map(([name, value]) => [
      name.toLowerCase(),
      substituteSecrets(value, drivers, { tool, what: `header ${name}` }),
    ]),
  );
  if (target.method === "POST")
    return {
      url: url.href,
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(Object.fromEntries(rest)),
    };
  for (const [name, value] of rest) url.searchParams.append(name, scalar(value, name));
  return { url: url.href, method: "GET", headers };
}

/** A response as a finding and as data. @throws TOOL_FAILED for an error status or malformed JSON */
function resultOf(tool: string, target: Endpoint, address: URL, reply: HttpReply) {
  if (reply.status >= 400)
    throw new RagctlError("TOOL_FAILED", `${address.host} responded with status ${reply.status}`, {
      hint: "check the arguments and the credentials of the endpoint",
    });
  const place = `${address.origin}${address.pathname}`;
  const value = /json/i.test(reply.contentType) ? parsed(reply.text, address.host) : null;
  const text = value === null ? reply.text : JSON.stringify(value, null, 1);
  const isCut = text.length > shownCharacters;
  return {
    message: `${target.name} answered ${reply.status} with ${text.length} characters`,
    findings: [
      {
        text: isCut ? `${text.slice(0, shownCharacters)}…` : text,
        source: `${tool}: ${target.name}`,
        section: `${target.method} ${place}`,
        contentType: "code" as const,
      },
    ],
    data: {
      endpoint: target.name,
      url: place,
      status: reply.status,
      body: value ?? reply.text,
      cut: isCut,
    },
  };
}

/** Calls web endpoints that the operator declared; off until hosts and endpoints are configured. */
export default async function open(row: ToolRow, drivers: ToolDrivers, lookup?: Lookup): Promise<Tool> {
  const settings = readConfig(row, toolConfigs.api_call);
  const hosts = effectiveHosts(
    settings.allowed_hosts,
    settings.endpoints.map(({ url }) => url),
  );
  checkEndpoints(row.name, settings, hosts);
  const rules = {
    hosts,
    allowPrivate: settings.allow_private,
    timeoutMs: settings.timeout_ms,
    maxBytes: settings.max_bytes,
    ...(lookup === undefined ? {} : { lookup }),
  };
  const branches = settings.endpoints.map(branch);
  const [only = {}] = branches;
  return {
    type: "api_call",
    description:
      settings.description ??
      (settings.endpoints.map(({ description }) => description).join(" ") ||
        "Calls web endpoints; none is configured."),
    examples: settings.examples ?? settings.endpoints.flatMap(({ examples }) => examples),
    parameters: branches.length === 1 ? only : { oneOf: branches },
    async call(call, _question, run) {
      const target = endpointOf(row.name, settings, call.arguments);
      const { endpoint: _, ...given } = call.arguments;
      const checked = checkedArguments(target.parameters, given, row.name);
      const request = requestOf(row.name, target, checked, drivers);
      const reply = await guardedFetch(request, rules, run.signal);
      return resultOf(row.name, target, new URL(request.url), reply);
    },
    async [Symbol.asyncDispose]() {},
  };
}

function parsed(text: string, host: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RagctlError("TOOL_FAILED", `${host} answered malformed JSON`, {
      hint: "correct the url of the endpoint with `ragctl tools set`, or ask who runs the server",
      cause,
    });
  }
}
