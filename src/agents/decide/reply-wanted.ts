import type { Turn } from "../../core/answers/agent.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";

/** Whether a message in a room asks for a reply, and what said so. */
export interface ReplyDecision {
  readonly wanted: boolean;
  readonly reason: string;
}

const system = `You watch a chat room. Decide whether the assistant should reply to the last message.
YES: a question, a request, or something said to the assistant. NO: small talk among people, thanks, agreement, an announcement.
Answer YES or NO.`;

/** Turns shown to the model, and the characters of each. */
const shown = { turns: 4, characters: 300 };

/**
 * Decides under a grammar, temperature 0.1, whether to respond. Source: seed 003.
 * Without a model a message that asks something is answered: it ends with a question mark or begins like a question or request.
 */
export async function replyWanted(
  text: string,
  history: readonly Turn[],
  model: LanguageModel | null,
  signal: AbortSignal,
): Promise<ReplyDecision> {
  if (model === null) {
    const asks =
      /[?？]\s*$/.test(text) ||
      /^\s*(?:who|what|when|where|why|which|how|is|are|do|does|did|can|could|should|tell|show|explain|list|find|please|ai|có|ai là|tại sao|khi nào|bao nhiêu|làm sao)\b/i.test(
        text,
      );
    return {
      wanted: asks,
      reason: asks ? "it asks something" : "it asks nothing, and no model is installed to look closer",
    };
  }
  const said = [
    ...history.slice(-shown.turns).map((turn) => `${turn.author}: ${turn.text}`),
    `last message: ${text}`,
  ];
  const messages = [
    { role: "system", text: system },
    {
      role: "user",
      text: said.map((line) => line.replace(/\s+/g, " ").slice(0, shown.characters)).join("\n"),
    },
  ] as const;
  let reply = "";
  for await (const event of model.generate(
    messages,
    { temperature: 0.1, maxTokens: 10, grammar: 'root ::= "YES" | "NO"' },
    signal,
  )) {
    if (event.type === "text-delta") reply += event.text;
  }
  const wanted = !reply.trim().startsWith("NO");
  return { wanted, reason: `the model said ${wanted ? "YES" : "NO"}` };
}
