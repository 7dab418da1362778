import { hint, named } from "../../app/audit/attempt.ts";
import type { Company } from "../../app/company.ts";
import { groundedModes } from "../../core/answers/answer.ts";
import { z } from "../../core/schema.ts";
import { askShape } from "../../shapes/answer.ts";
import { answerTime } from "../../shapes/narrowing.ts";
import { name, passages } from "../fields.ts";
import { type Context, defined, field, type InputOf, inputSchema, operation } from "../operation.ts";
import { narrowedTo, narrowingFields } from "./narrowing.ts";
import { question } from "./search.ts";

/** How a question is answered, wherever it is asked. */
export const askFields = {
  top_k: passages("to retrieve"),
  agent: field(
    "--agent <name>",
    name.describe("Name or id of the agent that answers. Default: chosen by the router.").optional(),
    "agent that answers (default: chosen by the router)",
  ),
  grounded: field(
    "--grounded <mode>",
    z.enum(groundedModes).optional(),
    "what to do with an unsupported answer: strict refuses it, prefer marks what is unsupported, off shows it as it is (default: the setting answer.grounded)",
  ),
  budget: field(
    "--budget <time>",
    answerTime.optional(),
    "time budget for the answer, e.g. 10s (answer.budget; default: none)",
  ),
  ...narrowingFields,
};
/** The same as routes take it. */
export const { shape: askMembers } = inputSchema(askFields);

/** What was typed or sent with a question, as the app takes it; `usual` where no number was. */
export const askOptions = (
  { top_k: topK, agent, grounded, budget, ...rest }: Partial<InputOf<typeof askFields>>,
  usual: number,
) => ({ topK: topK ?? usual, ...narrowedTo(rest), ...defined({ agent, grounded, budget }) });

const turn = z.strictObject({ role: z.enum(["user", "assistant"]), text: z.string().max(100_000) });
const conversation = z.string().regex(/^[\w-]{8,64}$/);
const input = {
  query: field("<query>", question, "the question"),
  ...askFields,
  history: field(
    "",
    z.array(turn).max(50).default([]),
    "earlier messages, oldest first, so that follow-up questions are understood",
    { only: "api" },
  ),
  conversation: field(
    "",
    conversation.optional(),
    "any id, the same for every question of a conversation: the question is listed under it, and a streamed answer is written on for 10 minutes when its reader leaves",
    { only: "api" },
  ),
};
/** A question with its members, as the route takes it. */
export type Asked = InputOf<typeof input>;

/** What happens until the question is answered. */
export const askEvents = (app: Company, { query, history, ...rest }: Asked, { run, topK }: Context) =>
  app.ask({ query, ...askOptions(rest, topK) }, run, {
    history: history.map((turn) => ({ ...turn, author: turn.role === "user" ? run.principal : turn.role })),
    ...defined({ conversation: rest.conversation }),
  });

/** An answer from the documents; the command, which reads many questions too, is in cli/. */
export const ask = operation({
  name: "ask",
  isCommand: false,
  input,
  document: "ask",
  http: {
    route: "POST /v1/ask",
    tag: "Questions",
    summary: "Answer a question from the documents, with citations; streams with Accept: text/event-stream",
    answer: "The answer",
    isSlow: true,
    isStream: true,
  },
  mcp: {
    effect: "reads",
    description:
      'Answer a question from the documents, with citations. Every sentence is checked against the passages. Without evidence it refuses (verdict.status "refused") or asks for clarification ("clarify"). Slower than search. The question must be self-contained: earlier ones are not remembered.',
    without: ["agent", "grounded", "history", "conversation"],
  },
  attempt: ({ question: query, collection }) => [
    { input: { query, top_k: 5 }, ...hint },
    { input: { query, collections: [collection] }, by: "in the collection", ...named, ...hint },
  ],
  async run(app, asked, context) {
    let nodes = 0;
    for await (const event of askEvents(app, asked, context)) {
      if (event.type === "answer-end") return event.answer;
      if (event.type === "node-end") context.progress?.(++nodes, undefined, event.event.node);
    }
    throw new TypeError("the answer stream ended without an answer");
  },
  print: askShape,
  text: ({ response }) => response,
});
