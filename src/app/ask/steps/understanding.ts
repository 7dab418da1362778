import { createIntentRouter, matchDirectReply } from "../../../agents/decide/intent.ts";
import { rewriteFollowUp } from "../../../agents/decide/reflect.ts";
import {
  draftOfReply,
  mayNameAgents,
  type RuleIntent,
  ruleReply,
} from "../../../agents/decide/rule-reply.ts";
import type { Draft, IntentDecision, Reflection } from "../../../core/answers/agent.ts";
import type { AnswerEvent } from "../../../core/answers/answer.ts";
import type { Run } from "../../../core/run.ts";
import { withDocumentNames } from "../../../language/forms.ts";
import { arithmeticIn } from "../../../tools/calculator/arithmetic.ts";
import { originsOfReply } from "../origins.ts";
import { type AskHome, decisionDrivers, type QuestionContext } from "../question.ts";
import { versionsOf } from "../visibility.ts";

/**
 * Makes a follow-up self-contained. The original is searched as well, because a rewrite can lose part of the
 * question. A message that needs no search is unchanged: thanks name no subject, and are no follow-up.
 */
export async function reflect(
  typed: string,
  question: QuestionContext,
  home: AskHome,
  run: Run,
): Promise<Reflection> {
  const direct = matchDirectReply(typed);
  if (direct !== null) return { rewritten: null, via: "none", reason: direct };
  const text = await speltQuestion(typed, question, home, run);
  const drivers = decisionDrivers(home, question, run);
  const reflection = await rewriteFollowUp(text, question.history, drivers, run);
  if (reflection.rewritten !== null) return reflection;
  const rewritten = await withNamedDocuments(text, question, home);
  if (rewritten !== null) return { rewritten, via: "rule", reason: "it names documents" };
  const reason = "spelled as in the documents";
  return text === typed ? reflection : { rewritten: text, via: "spelling", reason };
}

/** Decides what the question wants; retrieval if in doubt. */
export async function classify(
  text: string,
  question: QuestionContext,
  home: AskHome,
  run: Run,
): Promise<IntentDecision> {
  if (arithmeticIn(text) !== null)
    return { intent: "retrieval", via: "rule", scores: {}, reason: "plain arithmetic: a tool answers" };
  const router = createIntentRouter(home.utterances(), decisionDrivers(home, question, run));
  const decision = await router.classify(text, question.history, run);
  // A question that names documents is never too vague: they are its subject.
  const isVague = decision.intent === "clarify" && namedBy(question).length > 0;
  return isVague
    ? { ...decision, intent: "retrieval", reason: `${decision.reason}, but it names documents` }
    : decision;
}

/**
 * A greeting or a question about ragctl itself is answered, and a vague question gets one back: no search, no
 * model. Documents and agents that the reply mentions become origins.
 */
export async function* reply(
  intent: RuleIntent,
  question: string,
  { sight, origins, request }: QuestionContext,
  { access, agents: rows, documents }: AskHome,
  run: Run,
): AsyncGenerator<AnswerEvent, Draft> {
  const collections = await sight.readable();
  const held = await documents.asOf(collections, versionsOf(request));
  const agents = mayNameAgents(intent, question, held)
    ? (await access.agents(run, await rows.list())).map(({ name }) => name)
    : [];
  const text = ruleReply(intent, question, { agents, collections, documents: held });
  const bare = ruleReply(intent, question, { agents: [], collections: [], documents: [] });
  origins.made(originsOfReply(text, bare, { collections, agents }));
  yield { type: "text-delta", text };
  return draftOfReply(intent, question, text);
}

/** Documents that the request names; those that only a day narrowed down were not named. */
const namedBy = ({ request }: QuestionContext): readonly string[] =>
  request.since === undefined && request.metadata === undefined ? (request.documents ?? []) : [];

/** The question with the documents that the request names; null where it is about something else. */
async function withNamedDocuments(
  text: string,
  question: QuestionContext,
  { documents }: Pick<AskHome, "documents">,
): Promise<string | null> {
  const ids = new Set(namedBy(question));
  if (ids.size === 0) return null;
  const held = await documents.asOf(await question.sight.searched(), versionsOf(question.request));
  return withDocumentNames(
    text,
    held.flatMap(({ id, name }) => (ids.has(id) ? [name] : [])),
  );
}

/**
 * The question with misspelt words as documents spell them. Only documents that may be read are known, and
 * their collections become origins.
 */
async function speltQuestion(
  typed: string,
  { request, sight, origins }: QuestionContext,
  { retrieval, documents }: Pick<AskHome, "retrieval" | "documents">,
  run: Run,
): Promise<string> {
  const versions = versionsOf(request);
  const collections = await sight.readable();
  if (collections.length === 0) return typed;
  const { text, misspelt } = await retrieval.spelt(typed, { collections, versions }, run);
  if (misspelt.length === 0) return typed;
  const ids = new Set(misspelt.flatMap((each) => each.documents));
  const holders = (await documents.asOf(collections, versions)).filter(({ id }) => ids.has(id));
  origins.read([...new Set(holders.map(({ collection }) => collection))]);
  return text;
}
