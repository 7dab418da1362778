import { jsonSchema, z } from "../core/schema.ts";
import { documentNamed, nameOf } from "../operations/json-schemas.ts";
import type { Described, RouteResponse } from "./define-route.ts";

type Json = Readonly<Record<string, unknown>>;

/** Schemas by their name, gathered while routes are described. */
type Components = Map<string, Json>;

/** A schema as OpenAPI 3.1 has it: JSON Schema of 2020-12, in place or by reference to a component. */
function schemaOf(schema: z.ZodType, io: "input" | "output", components: Components): Json {
  const name = nameOf(schema);
  return name === undefined ? plain(schema, io, components) : reference(name, components);
}

/** A document of the command line's JSON, described once. */
function reference(name: string, components: Components): Json {
  if (!components.has(name)) {
    components.set(name, {});
    components.set(name, plain(documentNamed(name), "output", components));
  }
  return { $ref: `#/components/schemas/${name}` };
}

function plain(schema: z.ZodType, io: "input" | "output", components: Components): Json {
  const {
    $schema: _,
    $id: __,
    ...rest
  } = jsonSchema(schema, io, ({ zodSchema, jsonSchema: member, path }) => {
    const name = path.length === 0 ? undefined : nameOf(zodSchema);
    if (name === undefined) return;
    for (const key of Object.keys(member)) Reflect.deleteProperty(member, key);
    Object.assign(member, reference(name, components));
  });
  return rest;
}

function contentOf({ schema, events, mediaType }: RouteResponse, components: Components): Json {
  const content: Record<string, unknown> = {};
  if (schema !== undefined) content["application/json"] = { schema: schemaOf(schema, "output", components) };
  if (mediaType !== undefined) content[mediaType] = {};
  if (events !== undefined)
    // OpenAPI has no word for events: their data is described by name.
    content["text/event-stream"] = {
      schema: { type: "string" },
      "x-events": Object.fromEntries(
        Object.entries(events).map(([name, each]) => [name, schemaOf(each, "output", components)]),
      ),
    };
  return content;
}

function parametersOf({ path, query }: Described, components: Components): readonly Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, member]) => {
    // A shape holds full zod types; zod's own declaration says only "core type".
    const schema = member as z.ZodType;
    const required = !(schema instanceof z.ZodOptional || schema instanceof z.ZodDefault);
    return { name, in: "query", required, schema: schemaOf(schema, "input", components) };
  });
  return [...inPath, ...inQuery];
}

function bodyOf({ body, upload }: Described, components: Components): Json {
  if (body !== undefined)
    return {
      requestBody: {
        required: true,
        content: { "application/json": { schema: schemaOf(body, "input", components) } },
      },
    };
  if (upload === undefined) return {};
  const content = Object.fromEntries(upload.map((type) => [type, uploadContent[type] ?? {}]));
  return { requestBody: { required: true, content } };
}

/** Media type of an upload → its content, where it can be described. */
const uploadContent: Readonly<Record<string, Json>> = {
  "multipart/form-data": {
    schema: {
      type: "object",
      properties: { file: { type: "array", items: { contentMediaType: "application/octet-stream" } } },
      required: ["file"],
    },
  },
};

/** OpenAPI has no word for the messages of a WebSocket either. */
function messagesOf({ messages }: Described, components: Components): Json {
  if (messages === undefined) return {};
  const received = Object.entries(messages.received).map(([type, data]) => [
    type,
    schemaOf(data, "output", components),
  ]);
  return {
    "x-messages": {
      sent: schemaOf(messages.sent, "input", components),
      received: Object.fromEntries(received),
    },
  };
}

function operationOf(endpoint: Described, components: Components): Json {
  const { tag, summary, open = false, answers } = endpoint;
  const error = {
    description: "The error; docs/reference/errors.md lists the codes with their statuses",
    content: contentOf(
      endpoint.openAi === true ? { description: "", schema: openAiErrorSchema } : errorAnswer,
      components,
    ),
  };
  const responses = Object.entries(answers).map(([status, answer]) => {
    const content = contentOf(answer, components);
    const described = { description: answer.description };
    return [status, Object.keys(content).length === 0 ? described : { ...described, content }];
  });
  return {
    tags: [tag],
    summary,
    ...(open ? { security: [] } : {}),
    parameters: parametersOf(endpoint, components),
    ...bodyOf(endpoint, components),
    ...messagesOf(endpoint, components),
    responses: { ...Object.fromEntries(responses), default: error },
  };
}

const errorAnswer: RouteResponse = { description: "", schema: documentNamed("error") };

/** An error as clients of OpenAI's API read it. */
const openAiErrorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.null(),
    code: z.string(),
  }),
});

/** The description of all routes, made from the schemas that check them. */
export function openApi(endpoints: readonly Described[], programVersion: string, cookieName: string): Json {
  const components: Components = new Map();
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method]: operationOf(endpoint, components),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "ragctl",
      version: programVersion,
      description:
        "Questions, documents and chats of a ragctl home. docs/reference/server.md explains how to sign in.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ key: [] }, { session: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(components),
      securitySchemes: {
        key: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: cookieName },
      },
    },
  };
}
