import type { Turn } from "../../core/answers/agent.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";
import { classifyMessage, looksLikeQuestion } from "../../language/asking/messages.ts";
import { detectDependence } from "../../language/dependence.ts";
import { socialPhraseKinds } from "../../language/forms.ts";

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

/**
 * Whether a message continues the assistant's last one: it answers a question of the assistant, or names only
 * what differs (`and in Asia`).
 */
function goesOn(text: string, history: readonly Turn[]): boolean {
  const last = history.at(-1);
  if (last?.role !== "assistant") return false;
  return /[?？]\s*$/u.test(last.text) || detectDependence(text)?.kind === "ellipsis";
}

/**
 * Decides whether to reply: by form, if that distinguishes a question or request from a remark, or if the
 * message continues the assistant's last one; otherwise by the model, under a grammar, at temperature 0.1
 * (source: seed 003). Without a model, a message that begins like a question or a request gets a reply.
 */
export async function shouldReply(
  text: string,
  history: readonly Turn[],
  model: () => Promise<LanguageModel | null>,
  signal: AbortSignal,
): Promise<ReplyDecision> {
  const form = classifyMessage(text);
  if (form === "request") return { wanted: true, reason: "it asks something" };
  if (socialPhraseKinds(text).length > 0)
    return { wanted: false, reason: "it is a greeting, thanks or the like" };
  if (goesOn(text, history)) return { wanted: true, reason: "it continues what the assistant said" };
  if (form === "remark") return { wanted: false, reason: "it is a remark, not a question" };
  const judge = await model();
  if (judge === null) return withoutModel(text);
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
  for await (const event of judge.generate(messages, options, signal)) {
    if (event.type === "text-delta") reply += event.text;
  }
  const wanted = !reply.trim().startsWith("NO");
  return { wanted, reason: `the model said ${wanted ? "YES" : "NO"}` };
}

function withoutModel(text: string): ReplyDecision {
  return looksLikeQuestion(text)
    ? { wanted: true, reason: "it begins like a question" }
    : { wanted: false, reason: "it asks nothing, and no model is installed to check" };
}
