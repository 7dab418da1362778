import type { Turn } from "../../core/answers/agent.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";

/** Whether a message in a room asks for a reply, and why. */
export interface ReplyDecision {
  readonly wanted: boolean;
  readonly reason: string;
}

const system = `You watch a chat room. Decide whether the assistant should reply to the last message.
YES: a question, a request, or something said to the assistant. NO: small talk among people, thanks, agreement, an announcement.
Answer YES or NO.`;

/** Turns shown to the model, and characters of each. */
const limits = { turns: 4, characters: 300 };

const questionEnd = /[?？]\s*$/;
const questionStart =
  /^\s*(?:who|what|when|where|why|which|how|is|are|do|does|did|can|could|should|tell|show|explain|list|find|please|ai|có|ai là|tại sao|khi nào|bao nhiêu|làm sao)\b/i;

/**
 * Decides under a grammar, at temperature 0.1, whether to reply. Source: seed 003. Without a model, a message
 * is answered when it ends with a question mark or begins like a question or a request.
 */
export async function replyWanted(
  text: string,
  history: readonly Turn[],
  model: LanguageModel | null,
  signal: AbortSignal,
): Promise<ReplyDecision> {
  if (model === null) return byForm(text);
  const lines = [
    ...history.slice(-limits.turns).map((turn) => `${turn.author}: ${turn.text}`),
    `last message: ${text}`,
  ];
  const messages = [
    { role: "system", text: system },
    {
      role: "user",
      text: lines.map((line) => line.replace(/\s+/g, " ").slice(0, limits.characters)).join("\n"),
    },
  ] as const;
  const options = { temperature: 0.1, maxTokens: 10, grammar: 'root ::= "YES" | "NO"' };
  let reply = "";
  for await (const event of model.generate(messages, options, signal)) {
    if (event.type === "text-delta") reply += event.text;
  }
  const wanted = !reply.trim().startsWith("NO");
  return { wanted, reason: `the model said ${wanted ? "YES" : "NO"}` };
}

function byForm(text: string): ReplyDecision {
  const wanted = questionEnd.test(text) || questionStart.test(text);
  return {
    wanted,
    reason: wanted ? "it asks something" : "it asks nothing, and no model is installed to look closer",
  };
}
