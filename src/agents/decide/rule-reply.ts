import type { Draft } from "../../core/answers/agent.ts";
import { type HeldDocument, inventoryReply, isInventoryQuestion } from "./inventory.ts";
import { clarifyingQuestion, directReply, type ReplyFacts } from "./reply.ts";

/** What a question wants that is answered by rule, without a search. */
export type RuleIntent = "direct" | "clarify";

/** What a reply may mention: what the principal may see, and only that. */
interface HeldFacts extends Omit<ReplyFacts, "documents"> {
  readonly documents: readonly HeldDocument[];
}

/** Whether a reply may name agents; a question back, and a list of documents, name documents alone. */
export const mayNameAgents = (
  intent: RuleIntent,
  question: string,
  documents: readonly HeldDocument[],
): boolean => intent === "direct" && !(documents.length > 0 && isInventoryQuestion(question));

/** The reply to a greeting or a question about ragctl itself, or a question back for a vague one. */
export function ruleReply(
  intent: RuleIntent,
  question: string,
  { agents, collections, documents }: HeldFacts,
): string {
  if (mayNameAgents(intent, question, documents))
    return directReply(question, { agents, collections, documents: documents.length });
  return intent === "direct"
    ? inventoryReply(question, documents)
    : clarifyingQuestion(
        question,
        documents.map(({ title, name }) => title || name),
      );
}

/** A reply as the draft of an answer that nothing was searched for. */
export const draftOfReply = (intent: RuleIntent, question: string, text: string): Draft => ({
  text,
  citations: [],
  verdict: {
    status: intent,
    reason: intent === "direct" ? "answered without a search" : "the question is too vague to search for",
    evidence: 0,
    threshold: 0,
    grounded: "off",
    sentences: [],
    removed: 0,
  },
  model: null,
  context: { question, passages: [], tokenCount: 0, dropped: { overBudget: 0, duplicate: 0 } },
  phases: [],
});
