import { type Endpoint, withTag } from "../../define-route.ts";
import { completions } from "./completions.ts";
import { embeddings } from "./embeddings.ts";
import { modelRoutes } from "./models.ts";
import { responses } from "./responses.ts";

/** Routes for clients of OpenAI's API. */
export const openAi: readonly Endpoint[] = withTag("OpenAI-compatible", [
  ...modelRoutes,
  completions,
  responses,
  embeddings,
]);
