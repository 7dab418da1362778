import { createIntentRouter } from "../../agents/decide/intent.ts";
import { inventoryReply, isInventoryQuestion } from "../../agents/decide/inventory.ts";
import { planQueries } from "../../agents/decide/plan.ts";
import { rewriteFollowUp } from "../../agents/decide/reflect.ts";
import { clarifyingQuestion, directReply } from "../../agents/decide/reply.ts";
import type { GraphDrivers } from "../../agents/graph/node.ts";
import type { SearchRequest } from "../../core/app.ts";
import type { Run } from "../../core/run.ts";
import { withDocumentNames } from "../../language/forms.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import { arithmeticIn } from "../../tools/calculator/arithmetic.ts";
import { originsOfReply } from "./origins.ts";
import { type AskHome, decisionDrivers, type QuestionContext } from "./question.ts";

type Understanding = "reflect" | "arithmetic" | "classify" | "directReply" | "clarifyingQuestion" | "plan";

/** Understands the question, and gives the replies that need no search. */
export function openUnderstandingDrivers(
  question: QuestionContext,
  home: Pick<
    AskHome,
    | "access"
    | "agents"
    | "documents"
    | "utterances"
    | "routingVectors"
    | "languageModels"
    | "retrieval"
    | "rates"
    | "settings"
  >,
): Pick<GraphDrivers, Understanding> {
  const { request, sight } = question;
  // A question about an earlier time is searched in the versions of that time.
  const versions = typeof request.versions === "object" ? request.versions : "latest";
  const heldDocuments = (collections: readonly string[]) => home.documents.asOf(collections, versions);
  // Documents that only a day narrowed down were not named.
  const named =
    request.since === undefined && request.metadata === undefined ? (request.documents ?? []) : [];
  /** The question with the documents that the request names; null where it is about something else. */
  const about = (text: string): string | null => {
    const ids = new Set(named);
    if (ids.size === 0) return null;
    const documents = heldDocuments(sight.searched()).filter(({ id }) => ids.has(id));
    return withDocumentNames(
      text,
      documents.map(({ name }) => name),
    );
  };
  return {
    async reflect(typed, history, run) {
      const text = await speltQuestion(typed, versions, question, home, run);
      const reflection = await rewriteFollowUp(text, history, decisionDrivers(home, question, run), run);
      if (reflection.rewritten !== null) return reflection;
      const rewritten = about(text);
      if (rewritten !== null) return { rewritten, via: "rule", reason: "it names documents" };
      const reason = "spelled as in the documents";
      return text === typed ? reflection : { rewritten: text, via: "spelling", reason };
    },
    arithmetic: (text) => arithmeticIn(text) !== null,
    async classify(text, history, run) {
      const router = createIntentRouter(home.utterances(), decisionDrivers(home, question, run));
      const decision = await router.classify(text, history, run);
      // A question that names documents is never too vague: they are its subject.
      const vague = decision.intent === "clarify" && named.length > 0;
      return vague
        ? { ...decision, intent: "retrieval", reason: `${decision.reason}, but it names documents` }
        : decision;
    },
    directReply: async (text, run) =>
      replyDirectly(text, heldDocuments(sight.readable()), question, home, run),
    clarifyingQuestion: async (text) => askBack(text, heldDocuments(sight.readable()), question),
    plan(text, { rewritten }, { intent }) {
      const whole = planQueries(text, { rewritten }, { intent });
      const most = question.budget?.plan.formulations ?? whole.queries.length;
      return { ...whole, queries: whole.queries.slice(0, most) };
    },
  };
}

/** A reply that needs no search; the documents and agents that it mentions become origins. */
function replyDirectly(
  text: string,
  held: readonly DocumentRecord[],
  { sight, origins }: Pick<QuestionContext, "sight" | "origins">,
  home: Pick<AskHome, "access" | "agents">,
  run: Run,
): string {
  const collections = sight.readable();
  if (held.length > 0 && isInventoryQuestion(text)) {
    origins.made({ chunks: [], collections, agents: [] });
    return inventoryReply(text, held);
  }
  const agents = home.access.agents(run, home.agents.list()).map(({ name }) => name);
  const reply = directReply(text, { agents, collections, documents: held.length });
  const bare = directReply(text, { agents: [], collections: [], documents: 0 });
  origins.made(originsOfReply(reply, bare, { collections, agents }));
  return reply;
}

/** A question back, with titles of documents, which become origins. */
function askBack(
  text: string,
  held: readonly DocumentRecord[],
  { sight, origins }: Pick<QuestionContext, "sight" | "origins">,
): string {
  const titles = held.map(({ title, name }) => title || name);
  const reply = clarifyingQuestion(text, titles);
  const bare = clarifyingQuestion(text, []);
  origins.made(originsOfReply(reply, bare, { collections: sight.readable(), agents: [] }));
  return reply;
}

/**
 * The question with misspelt words as documents spell them. Only documents that may be read are known, and
 * their collections become origins.
 */
async function speltQuestion(
  typed: string,
  versions: NonNullable<SearchRequest["versions"]>,
  { sight, origins }: Pick<QuestionContext, "sight" | "origins">,
  { retrieval, documents }: Pick<AskHome, "retrieval" | "documents">,
  run: Run,
): Promise<string> {
  const collections = sight.readable();
  if (collections.length === 0) return typed;
  const { text, misspelt } = await retrieval.spelt(typed, { collections, versions }, run);
  if (misspelt.length === 0) return typed;
  const ids = new Set(misspelt.flatMap((each) => each.documents));
  const holders = documents.asOf(collections, versions).filter(({ id }) => ids.has(id));
  origins.read([...new Set(holders.map(({ collection }) => collection))]);
  return text;
}
