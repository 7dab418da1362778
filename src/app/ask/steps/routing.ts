import { routeAgent, withWidestReader } from "../../../agents/decide/route.ts";
import type { AgentChoice, AgentProfile, PermittedResources } from "../../../core/answers/agent.ts";
import type { AvailableTool } from "../../../core/answers/tool.ts";
import { filterAsync } from "../../../core/flow.ts";
import type { Run } from "../../../core/run.ts";
import { documentsInQuestion } from "../../../language/asking/document-names.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { agentsNamed, toolsOf, toolsWithoutAgent, usableAgents } from "../agent-profiles.ts";
import { type AskHome, decisionDrivers, type QuestionContext, type RoutedQuestion } from "../question.ts";
import { isSpreadsheetQuery, spreadsheetsOf } from "../sheets.ts";
import { versionsOf } from "../visibility.ts";

/** Chooses the agent that answers, among those that the principal may use. @throws NOT_FOUND */
export async function chooseAgent(
  text: string,
  question: QuestionContext,
  home: AskHome,
  run: Run,
): Promise<AgentChoice> {
  const { request, sight } = question;
  const [named] = request.agent === undefined ? [] : await agentsNamed(request.agent, home, run);
  if (named !== undefined) return { agent: named, scores: [], reason: "chosen in the request" };
  // An agent that may read none of the collections in question cannot answer.
  const agents = await filterAsync(
    await usableAgents(home, run),
    async (agent) => (await sight.readableBy(agent)).length > 0,
  );
  const readers = await readersOfNamed(text, agents, question, home);
  const routed = await routeAgent(text, readers, decisionDrivers(home, question, run), run);
  const chosen = withWidestReader(
    routed,
    await Promise.all(
      readers.map(async (agent) => ({ agent, count: (await sight.readableBy(agent)).length })),
    ),
  );
  const { agent } = chosen;
  // A provider of the agent's own must not see what the agent may not read.
  return agent !== null && (await isReadBeyond(agent, question))
    ? { ...chosen, agent: { ...agent, providerConfig: {} } }
    : chosen;
}

/**
 * Determines what both the principal and the agent may read, and the tools both may use. An empty list means
 * nothing, never everything.
 */
export async function permit(
  { agent }: AgentChoice,
  question: QuestionContext,
  home: AskHome,
  run: Run,
): Promise<PermittedResources> {
  const { sight } = question;
  const collections = await sight.readableBy(question.through(agent));
  const row = (await home.agents.list()).find(({ id }) => id === agent?.id);
  const own = row === undefined ? toolsWithoutAgent : toolsOf(row, await home.tools.list());
  const hasSheets = (await spreadsheetsOf(collections, home)).length > 0;
  const tools = await filterAsync(
    agent !== null && (await isReadBeyond(agent, question)) ? searchingHere(own) : own,
    async (tool) =>
      (await home.access.tool(run, agent, tool)).effect === "allow" &&
      (hasSheets || !isSpreadsheetQuery(tool)),
  );
  return { collections, withheld: (await sight.searched()).length - collections.length, tools };
}

/** Whether more is read for an agent's answer than the agent may read. */
const isReadBeyond = async (agent: AgentProfile, { sight, through }: QuestionContext): Promise<boolean> =>
  (await sight.readableBy(agent)).length < (await sight.readableBy(through(agent))).length;

/** Tools with a search of the stores of the home, where an agent has none or one of other stores. */
function searchingHere(tools: readonly AvailableTool[]): readonly AvailableTool[] {
  const isSearch = ({ type }: AvailableTool): boolean => type === "rag";
  const all = tools.some(isSearch) ? tools : [...toolsWithoutAgent.filter(isSearch), ...tools];
  return all.map((tool) => {
    const { milvus_public_uri: _, milvus_private_uri: __, ...config } = tool.config;
    return isSearch(tool) ? { ...tool, config } : tool;
  });
}

/**
 * The agents that can read a document which the request or the question names, where the principal may read
 * it; all where it names none, or none that any of them can read.
 */
async function readersOfNamed(
  question: string,
  agents: readonly AgentProfile[],
  { request, sight }: Pick<QuestionContext, "request" | "sight">,
  { documents }: Pick<AskHome, "documents">,
): Promise<readonly AgentProfile[]> {
  const held = await documents.asOf(await sight.searched(), versionsOf(request));
  const ids = new Set(request.documents ?? []);
  const named = ids.size > 0 ? held.filter(({ id }) => ids.has(id)) : documentsInQuestion(question, held);
  const collections = new Set(named.map(({ collection }) => collection));
  const readers = await filterAsync(agents, async (agent) =>
    (await sight.readableBy(agent)).some((name) => collections.has(name)),
  );
  return readers.length > 0 ? readers : agents;
}

/**
 * The collections not searched because the answering agent may not read them although the principal may, and
 * how to include them; undefined for none. Not shown in a room, where others read the reply.
 */
export async function listUnsearchedCollections(
  { sight, memory, text, answeredBy: agent, withheld: count }: RoutedQuestion,
  home: Pick<AskHome, "access" | "agents">,
  run: Run,
): Promise<string | undefined> {
  if (agent === null || count === 0 || memory !== null) return undefined;
  const own = (await sight.readableBy(agent)).length;
  const usable = await usableAgents(home, run);
  const reads = usable.map(async (one) => ({ name: one.name, reads: (await sight.readableBy(one)).length }));
  const [widest] = (await Promise.all(reads))
    .filter((one) => one.reads > own)
    .toSorted((one, two) => two.reads - one.reads);
  const { unsearched, askAgent } = notesFor(text).reasons;
  const lack = unsearched(agent.name, count);
  return widest === undefined ? lack : `${lack}; ${askAgent(widest.name)}`;
}
