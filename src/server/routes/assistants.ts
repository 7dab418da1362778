import { z } from "../../core/schema.ts";
import type { Described } from "../define-route.ts";

const message = z.looseObject({ jsonrpc: z.literal("2.0") });

/** The protocol of assistants, which checks its messages itself. */
export const assistants: Described = {
  method: "post",
  path: "/mcp",
  tag: "Assistants",
  summary: "A message of the Model Context Protocol; Accept: application/json, text/event-stream",
  body: message,
  answers: {
    200: { description: "The reply", schema: message, events: { message } },
    202: { description: "The notification was accepted" },
  },
};
