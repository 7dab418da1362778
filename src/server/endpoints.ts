import type { Endpoint } from "./endpoint.ts";
import { documents } from "./routes/documents.ts";
import { jobs } from "./routes/jobs.ts";
import { questions } from "./routes/questions.ts";
import { sessions } from "./routes/session.ts";
import { state } from "./routes/state.ts";

/** Every route, in the order of /openapi.json. */
export const endpoints: readonly Endpoint[] = [...sessions, ...questions, ...documents, ...jobs, ...state];
