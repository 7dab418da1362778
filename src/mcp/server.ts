import { randomUUID } from "node:crypto";
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Company } from "../app/company.ts";
import { asRagctlError, type RagctlError } from "../core/errors.ts";
import type { Logger } from "../core/run.ts";
import { z } from "../core/schema.ts";
import { errorText } from "./hints.ts";
import { promptFor, prompts } from "./prompts.ts";
import { readTools } from "./read-tools.ts";
import { listResources, readResource, resourceTemplates } from "./resources.ts";
import { dataNotice } from "./text.ts";
import type { Call } from "./tool.ts";
import { writeTools } from "./write-tools.ts";

/** The parts of a server. */
export interface McpParts {
  readonly app: Company;
  readonly programVersion: string;
  /** Passages where a call names no number. */
  readonly topK: number;
  /** Whether `ingest` and `forget` are there; the principal needs the rights besides. */
  readonly allowWrite: boolean;
  readonly log: Logger;
}

/** A request while it is worked on; disposed when it has been answered. */
export interface Ongoing extends Disposable {
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Who calls, and how long each request is worked on. */
export interface McpCaller {
  readonly principal: string;
  begin(context: ServerContext): Ongoing;
}

const instructions = `Search, read and ask the user's own documents. Start with search, or ask for a cited answer; read_document shows a whole page, outline and read_section find the way in a long document. ${dataNotice}`;

/** A server of the protocol for one principal; what it may not see does not exist for its client. */
export function createMcpServer(parts: McpParts, caller: McpCaller): Server {
  const { allowWrite, programVersion: version } = parts;
  const tools = allowWrite ? [...readTools, ...writeTools] : readTools;
  const server = new Server(
    { name: "ragctl", version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions },
  );
  server.setRequestHandler("tools/list", ({ params }) => {
    requireNoCursor(params?.cursor);
    return { tools: tools.map(({ listing }) => listing) };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools.find(({ listing }) => listing.name === params.name);
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `there is no tool "${params.name}"; tools/list lists the tools`,
      );
    using ongoing = caller.begin(context);
    const call = callOf(parts, caller, ongoing, context);
    try {
      const { text, data } = await tool.call(params.arguments, call);
      return { content: [{ type: "text", text }], structuredContent: { ...data } };
    } catch (error) {
      return toolError(asRagctlError(error));
    }
  });
  server.setRequestHandler("prompts/list", ({ params }) => {
    requireNoCursor(params?.cursor);
    return { prompts };
  });
  server.setRequestHandler("prompts/get", ({ params }) => promptFor(params.name, params.arguments));
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    requireNoCursor(params?.cursor);
    return { resourceTemplates };
  });
  server.setRequestHandler("resources/list", async ({ params }, context) => {
    using ongoing = caller.begin(context);
    return await listResources(params?.cursor, callOf(parts, caller, ongoing, context)).catch(protocolError);
  });
  // Checked here: the library would answer a wrong address with the faults of its schema as JSON.
  server.setRequestHandler("resources/read", { params: z.looseObject({}) }, async ({ uri }, context) => {
    if (typeof uri !== "string")
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'resources/read needs the URI of a resource as "uri", a string; resources/list lists the resources',
      );
    using ongoing = caller.begin(context);
    return await readResource(uri, callOf(parts, caller, ongoing, context)).catch((error: unknown) =>
      protocolError(error, uri),
    );
  });
  return server;
}

/** A list of one page returns no cursor, so any cursor is invalid. @throws ProtocolError */
function requireNoCursor(cursor: string | undefined): void {
  if (cursor === undefined) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "the cursor does not belong to this list; omit it, the list has one page",
  );
}

function callOf(
  { app, topK, log }: McpParts,
  { principal }: McpCaller,
  { signal }: Ongoing,
  { mcpReq }: ServerContext,
): Call {
  const progressToken = mcpReq._meta?.progressToken;
  return {
    app,
    topK,
    run: { id: randomUUID(), principal, signal, log },
    progress(progress, total, message) {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
      // A client that has gone needs no progress; its request is aborted elsewhere.
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    },
  };
}

/** An error as a tool reports it, so that the model reads what happened and what to do. */
function toolError(error: RagctlError): CallToolResult {
  return { content: [{ type: "text", text: errorText(error) }], isError: true };
}

/** An error of a resource, which the protocol has no results for. */
function protocolError(thrown: unknown, uri = ""): never {
  const error = asRagctlError(thrown);
  if (error.code === "NOT_FOUND" && uri !== "") throw new ResourceNotFoundError(uri, errorText(error));
  const isInput = error.code === "USAGE_INVALID" || error.code === "NOT_FOUND";
  throw new ProtocolError(
    isInput ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    errorText(error),
  );
}
