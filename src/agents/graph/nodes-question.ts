import type { AgentState, Reflection } from "../../core/answers/agent.ts";
import type { AnswerEvent, Verdict } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { matchDirectReply } from "../decide/intent.ts";
import type { GraphDrivers, Step } from "./node.ts";

/** Longest question, in characters; anything longer is a document. */
const longestQuestion = 8000;

/** Checks the question and strips invisible characters. @throws USAGE_INVALID */
export async function orchestrateNode(state: AgentState): Promise<Step> {
  const question = state.query
    .normalize("NFC")
    .replace(/[\p{Cf}\p{Co}\p{Cs}]|(?![\t\n])\p{Cc}/gu, " ")
    .replace(/[ \t]+/g, " ")
    .trim();
  if (!/[\p{L}\p{N}]/u.test(question)) {
    throw new RagctlError("USAGE_INVALID", "the question is empty", {
      hint: 'e.g. ragctl ask "How many days of leave do I get?"',
    });
  }
  if (question.length > longestQuestion) {
    throw new RagctlError(
      "USAGE_INVALID",
      `the question has ${question.length} characters; the limit is ${longestQuestion}`,
      { hint: "put long text into a file, ingest it, and ask about it" },
    );
  }
  const turns = state.chatHistory.length;
  return {
    patch: { clarifiedQuery: question },
    decided: turns === 0 ? "a new question" : `a question after ${turns} turns`,
    details: { characters: question.length, turns },
    next: "reflect",
  };
}

/**
 * Makes a follow-up self-contained. The original is searched as well, because a rewrite can lose part of the
 * question. A message that needs no search is unchanged: thanks name no subject, and are no follow-up.
 */
export async function reflectNode(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const direct = matchDirectReply(state.clarifiedQuery);
  const reflection: Reflection =
    direct === null
      ? await drivers.reflect(state.clarifiedQuery, state.chatHistory, run)
      : { rewritten: null, via: "none", reason: direct };
  const { rewritten, via, reason } = reflection;
  return {
    patch: rewritten === null ? {} : { clarifiedQuery: rewritten },
    decided: rewritten === null ? "self-contained" : `rewritten: ${rewritten}`,
    details: { via, reason, ...(rewritten === null ? {} : { rewritten }) },
    next: "intent",
  };
}

/** Decides what the question wants; retrieval if in doubt. */
export async function intentNode(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const decision = drivers.arithmetic(state.clarifiedQuery)
    ? {
        intent: "retrieval" as const,
        via: "rule" as const,
        scores: {},
        reason: "plain arithmetic: a tool answers",
      }
    : await drivers.classify(state.clarifiedQuery, state.chatHistory, run);
  const next = decision.intent === "direct" || decision.intent === "clarify" ? decision.intent : "route";
  return {
    patch: { intent: decision },
    decided: `${decision.intent} (${decision.via})`,
    details: { intent: decision.intent, reason: decision.reason, scores: decision.scores },
    next,
  };
}

/** A greeting or a question about ragctl itself: no search, no model. */
export async function* directNode(
  state: AgentState,
  drivers: GraphDrivers,
  run: Run,
): AsyncGenerator<AnswerEvent, Step> {
  return yield* reply(
    await drivers.directReply(state.clarifiedQuery, run),
    "direct",
    "answered without a search",
  );
}

/** Asks one specific question back. */
export async function* clarifyNode(
  state: AgentState,
  drivers: GraphDrivers,
  run: Run,
): AsyncGenerator<AnswerEvent, Step> {
  return yield* reply(
    await drivers.clarifyingQuestion(state.clarifiedQuery, run),
    "clarify",
    "the question is too vague to search for",
  );
}

async function* reply(
  text: string,
  status: "direct" | "clarify",
  reason: string,
): AsyncGenerator<AnswerEvent, Step> {
  yield { type: "text-delta", text };
  const verdict: Verdict = {
    status,
    reason,
    evidence: 0,
    threshold: 0,
    grounded: "off",
    sentences: [],
    removed: 0,
  };
  return { patch: { finalResponse: text, shown: text, verdict }, decided: reason, next: "finish" };
}
