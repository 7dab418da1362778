import type { Described, Endpoint } from "./define-route.ts";
import { assistants } from "./routes/assistants.ts";
import { conversations } from "./routes/conversations.ts";
import { documents } from "./routes/documents.ts";
import { jobs } from "./routes/jobs.ts";
import { matrix } from "./routes/matrix.ts";
import { openAi } from "./routes/openai/openai.ts";
import { operationRoutes } from "./routes/operations.ts";
import { roomSocket, rooms } from "./routes/rooms.ts";
import { runs } from "./routes/runs.ts";
import { sessions } from "./routes/session.ts";
import { shortRoutes } from "./routes/short.ts";
import { state } from "./routes/state.ts";

/** Every route with one request and one response. */
export const endpoints: readonly Endpoint[] = [
  ...sessions,
  ...conversations,
  ...documents,
  ...jobs,
  ...rooms,
  ...operationRoutes,
  ...matrix,
  ...runs,
  ...openAi,
  ...shortRoutes,
  ...state,
];

/** Every route, in the order of /openapi.json; `/mcp` only if the server offers it. */
export const listEndpoints = (hasAssistants: boolean): readonly Described[] => [
  ...endpoints,
  roomSocket,
  ...(hasAssistants ? [assistants] : []),
];
