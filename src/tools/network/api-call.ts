import type { Tool } from "../../core/answers/tool.ts";
import { RagctlError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { z } from "../../core/schema.ts";
import { type endpointConfig, toolConfigs } from "../../core/tool-config.ts";
import { readConfig } from "../config.ts";
import type { ToolDrivers, ToolRow } from "../drivers.ts";
import { checkedArguments, checkSchema } from "../schema.ts";
import { withSecrets } from "../secrets.ts";
import type { Lookup } from "./address.ts";
import { checkUrl, guardedFetch } from "./http.ts";

const jsonObject = z.record(z.string(), z.unknown());

type Endpoint = z.infer<typeof endpointConfig>;

/** Characters of an answer that a finding holds. */
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

/** The template with its arguments, each encoded so that it cannot leave its place; `.` and `..` are refused as parts of a path. */
export function filledUrl(template: string, given: JsonObject): string {
  const filled = template.replaceAll(placeholder, (_, name: string) => {
    const text = scalar(given[name], name);
    if (/^\.{1,2}$/.test(text) || text === "")
      throw new RagctlError("TOOL_REFUSED", `the argument ${name} may not be "${text}"`, {
        hint: "name the thing that is meant",
      });
    return encodeURIComponent(text);
  });
  return filled;
}

/** Schema of one endpoint with the member that says which endpoint is meant. */
function branch({ name, description, parameters }: Endpoint): JsonObject {
  const properties = { endpoint: { const: name }, ...jsonObject.catch({}).parse(parameters["properties"]) };
  const required = ["endpoint", ...z.array(z.string()).catch([]).parse(parameters["required"])];
  return { type: "object", description, properties, required, additionalProperties: false };
}

/** Calls web endpoints that the operator declared; off until hosts and endpoints are configured. */
export default async function open(row: ToolRow, drivers: ToolDrivers, lookup?: Lookup): Promise<Tool> {
  const settings = readConfig(row, toolConfigs.api_call);
  const byName = new Map(settings.endpoints.map((entry) => [entry.name, entry]));
  if (byName.size !== settings.endpoints.length) {
    throw new RagctlError(
      "CONFIG_INVALID",
      `the tool ${row.name}: config.endpoints: two endpoints have the same name`,
      {
        hint: "give each its own name",
      },
    );
  }
  for (const { name, url, parameters } of settings.endpoints) {
    checkSchema(parameters, row.name);
    const [origin = ""] = /^[a-z]+:\/\/[^/?#]*/i.exec(url) ?? [];
    if (origin.includes("{"))
      throw new RagctlError(
        "CONFIG_INVALID",
        `the tool ${row.name}: the endpoint ${name} has an argument in its host`,
        {
          hint: "arguments may stand in the path and the query only",
        },
      );
    if ("endpoint" in jsonObject.catch({}).parse(parameters["properties"])) {
      throw new RagctlError(
        "CONFIG_INVALID",
        `the tool ${row.name}: the endpoint ${name} has a parameter called endpoint`,
        {
          hint: "rename it",
        },
      );
    }
    checkUrl(url.replaceAll(placeholder, "x"), settings.allowed_hosts);
  }
  const rules = {
    hosts: settings.allowed_hosts,
    allowPrivate: settings.allow_private,
    timeoutMs: settings.timeout_ms,
    maxBytes: settings.max_bytes,
    ...(lookup === undefined ? {} : { lookup }),
  };
  const branches = settings.endpoints.map(branch);
  const parameters: JsonObject = branches.length === 1 ? (branches[0] ?? {}) : { oneOf: branches };

  return {
    type: "api_call",
    description:
      settings.description ??
      (settings.endpoints.map(({ description }) => description).join(" ") ||
        "Calls web endpoints; none is configured."),
    examples: settings.examples ?? settings.endpoints.flatMap(({ examples }) => examples),
    parameters,
    async call(call, _question, run) {
      if (byName.size === 0)
        throw new RagctlError("TOOL_REFUSED", `the tool ${row.name} has no endpoint`, {
          hint: "declare config.endpoints and config.allowed_hosts",
        });
      const wanted = String(
        call.arguments["endpoint"] ?? (byName.size === 1 ? settings.endpoints[0]?.name : ""),
      );
      const target = byName.get(wanted);
      if (target === undefined)
        throw new RagctlError(
          "TOOL_INVALID",
          `the tool ${row.name} has no endpoint "${wanted.slice(0, 64)}"`,
          {
            hint: `there are ${[...byName.keys()].join(", ")}`,
          },
        );
      const { endpoint: _, ...given } = call.arguments;
      const checked = checkedArguments(target.parameters, given, row.name);
      const inPath = names(target.url);
      // Arguments first, so that none of them can name a secret.
      const address = withSecrets(
        filledUrl(target.url, checked),
        drivers,
        { tool: row.name, what: "address" },
        encodeURIComponent,
      );
      const url = new URL(address);
      const rest = Object.entries(checked).filter(([name]) => !inPath.includes(name));
      if (target.method === "GET")
        for (const [name, value] of rest) url.searchParams.append(name, scalar(value, name));
      const headers = {
        ...(target.method === "POST" ? { "content-type": "application/json" } : {}),
        ...Object.fromEntries(
          Object.entries(target.headers).map(([name, value]) => [
            name.toLowerCase(),
            withSecrets(value, drivers, { tool: row.name, what: `header ${name}` }),
          ]),
        ),
      };
      const body = target.method === "POST" ? { body: JSON.stringify(Object.fromEntries(rest)) } : {};
      const reply = await guardedFetch(
        { url: url.href, method: target.method, headers, ...body },
        rules,
        run.signal,
      );
      if (reply.status >= 400)
        throw new RagctlError("TOOL_FAILED", `${url.host} answered with status ${reply.status}`, {
          hint: "check the arguments and the credentials of the endpoint",
        });
      const value = /json/i.test(reply.contentType) ? parsed(reply.text, url.host) : null;
      const text = value === null ? reply.text : JSON.stringify(value, null, 1);
      const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
      return {
        message: `${target.name} answered ${reply.status} with ${text.length} characters`,
        findings: [
          {
            text: shown,
            source: `${row.name}: ${target.name}`,
            section: `${target.method} ${url.origin}${url.pathname}`,
            contentType: "code",
          },
        ],
        data: {
          endpoint: target.name,
          url: `${url.origin}${url.pathname}`,
          status: reply.status,
          body: value ?? reply.text,
          cut: text.length > shownCharacters,
        },
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}

function parsed(text: string, host: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RagctlError("TOOL_FAILED", `${host} answered malformed JSON`, {
      hint: "ask its operator",
      cause,
    });
  }
}
