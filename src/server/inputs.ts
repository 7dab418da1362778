import { groundedModes } from "../core/answers/answer.ts";
import type { AskRequest, SearchRequest } from "../core/app.ts";
import { z } from "../core/schema.ts";
import { visibleCharacter } from "../core/text.ts";
import { name } from "../operations/fields.ts";
import { answerTime, narrowing, toFilters } from "../shapes/narrowing.ts";

/** Text that says something. Longest: a question, in characters. */
export const question = z.string().max(8000).regex(visibleCharacter, "must not be empty");

/** Members that a search and a question share. */
export const filters = {
  top_k: z.int().min(1).max(100).describe("Default: the setting retrieve.topK.").optional(),
  ...narrowing,
};

/** The same in the query of an address, where numbers are text. */
export const queryFilters = {
  ...filters,
  top_k: z.coerce.number().int().min(1).max(100).describe("Default: the setting retrieve.topK.").optional(),
  versions: z
    .union([z.enum(["latest", "all"]), z.coerce.number().int().min(1)])
    .describe("Default: latest.")
    .optional(),
};

/** Body of `POST /v1/search`. */
export const searchBody = z.strictObject({
  query: question,
  mode: z.enum(["hybrid", "dense", "lexical"]).describe("Default: hybrid.").optional(),
  ...filters,
});

/** Agent and strictness, in addition to the filters. */
export const askFields = {
  agent: name.describe("Name or id of the agent that answers. Default: chosen by the router.").optional(),
  grounded: z.enum(groundedModes).describe("Default: the setting answer.grounded.").optional(),
  budget: answerTime.optional(),
  ...filters,
};

/** Body of `POST /v1/ask`. */
export const askBody = z.strictObject({
  query: question,
  ...askFields,
  history: z
    .array(z.strictObject({ role: z.enum(["user", "assistant"]), text: z.string().max(100_000) }))
    .max(50)
    .describe("Earlier messages, oldest first, so that follow-up questions are understood.")
    .optional(),
  conversation: z
    .string()
    .regex(/^[\w-]{8,64}$/)
    .describe(
      "Any id, the same for every question of a conversation: the question is listed under it, and a streamed answer is written on for 10 minutes when its reader leaves.",
    )
    .optional(),
});

type Filters = Pick<z.output<typeof searchBody>, keyof typeof filters>;

const filtersOf = ({ top_k, ...rest }: Filters, topK: number) => ({
  topK: top_k ?? topK,
  ...toFilters(rest),
});

/** A search as the app takes it; `topK` where the body names none. */
export const searchRequest = (
  { query, mode = "hybrid", ...rest }: z.output<typeof searchBody>,
  topK: number,
): SearchRequest => ({ query, mode, ...filtersOf(rest, topK) });

/** A question as the app takes it, without its text; `topK` where the body names none. */
export const askOptions = (
  { agent, grounded, budget, ...rest }: Omit<z.output<typeof askBody>, "query" | "history">,
  topK: number,
): Omit<AskRequest, "query"> => ({
  ...filtersOf(rest, topK),
  ...(agent === undefined ? {} : { agent }),
  ...(grounded === undefined ? {} : { grounded }),
  ...(budget === undefined ? {} : { budget }),
});
