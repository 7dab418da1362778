import type { AgentChoice, AgentProfile } from "../../core/answers/agent.ts";
import { generalDepartment } from "../../core/decide.ts";
import { cosine } from "../../core/documents/embedding.ts";
import type { Run } from "../../core/run.ts";
import { oneLine } from "../../language/words.ts";
import { baselineQuestions } from "./cohort.ts";
import type { DecisionDrivers } from "./drivers.ts";
import { meanAndDeviation, meanOfLargest, upperQuantile } from "./statistics.ts";

export interface RouteOptions {
  /** Number of an agent's nearest texts whose cosines are averaged. */
  readonly nearest: number;
  /**
   * How many of all agents' texts an everyday question may match by chance; a lower number raises the
   * threshold.
   */
  readonly expectedByChance: number;
}

export const routeDefaults: RouteOptions = { nearest: 2, expectedByChance: 0.5 };

/** Longest question embedded, in characters. */
const longestQuestion = 1000;

/** A topic with its department: `leave` alone is ambiguous. */
function inDepartment(topic: string, agent: AgentProfile): string {
  return agent.department === "" ? topic : `${topic} (${agent.department.replaceAll("_", " ")})`;
}

/**
 * The distinct texts that represent an agent: its description, the things the description lists, its topics
 * and its examples.
 */
export function agentTexts(agent: AgentProfile): readonly string[] {
  const subjects = oneLine(agent.description)
    .replace(
      /^(?:answers questions (?:about|on)|answers|handles|helps (?:with|to)?|covers|deals with|knows)\s+/i,
      "",
    )
    .split(/[,;:.] |[,;:.]$| and /)
    .map((clause) => clause.trim())
    .filter((clause) => clause.length > 3);
  const topics = [...agent.topics, ...subjects].map((topic) => inDepartment(topic, agent));
  return [...new Set([agent.description, ...topics, ...agent.examples].map(oneLine))].filter(
    (text) => text !== "",
  );
}

interface AgentTexts {
  readonly agent: AgentProfile;
  readonly texts: readonly string[];
}

interface AgentScore {
  readonly agent: AgentProfile;
  readonly score: number;
}

/** Cosines of the question with the cohort, and with each agent's texts. */
async function similarities(
  question: string,
  candidates: readonly AgentTexts[],
  drivers: DecisionDrivers,
): Promise<{ readonly cohort: readonly number[]; readonly agents: readonly (readonly number[])[] }> {
  const [[vector = new Float32Array()], vectors] = await Promise.all([
    drivers.embed([oneLine(question).slice(0, longestQuestion)], "query"),
    drivers.embed([...baselineQuestions, ...candidates.flatMap(({ texts }) => texts)], "passage"),
  ]);
  const cosines = vectors.map((other) => cosine(vector, other));
  let end = baselineQuestions.length;
  const agents = candidates.map(({ texts }) => {
    const start = end;
    end += texts.length;
    return cosines.slice(start, end);
  });
  return { cohort: cosines.slice(0, baselineQuestions.length), agents };
}

/**
 * The score that, by chance, at most `expectedByChance` of `count` texts would exceed for an everyday
 * question.
 */
function thresholdOf(cohortCosines: readonly number[], count: number, expectedByChance: number): number {
  const { mean, deviation } = meanAndDeviation(cohortCosines);
  return mean + deviation * upperQuantile(Math.min(0.5, expectedByChance / Math.max(1, count)));
}

/** Chooses the best specialist if it reaches the threshold, otherwise the general agent. */
function choose(ranked: readonly AgentScore[], threshold: number, general: AgentProfile | null): AgentChoice {
  const scores = ranked.map(({ agent, score }) => ({ agent: agent.name, score }));
  const [best, second] = ranked;
  if (best === undefined) return { agent: general, scores, reason: "no agent has text to compare" };
  const runnerUp = second === undefined ? "" : `, then ${second.agent.name} ${second.score.toFixed(2)}`;
  const summary = `${best.agent.name} ${best.score.toFixed(2)}${runnerUp}; ${threshold.toFixed(2)} is needed`;
  if (best.score >= threshold) return { agent: best.agent, scores, reason: summary };
  const fallback = general === null ? "" : `; ${general.name} answers`;
  return { agent: general, scores, reason: `no suitable agent: ${summary}${fallback}` };
}

/**
 * Chooses among the given agents; the caller leaves out those that may not be used.
 * 1. An agent's score is the mean cosine of the question with its nearest texts.
 * 2. The threshold is above the question's cosines with everyday questions, by enough standard deviations
 *    that at most `expectedByChance` of all the agents' texts exceed it by chance.
 * 3. Below it no specialist suits, and the general agent takes the question; null if there is none.
 */
export async function routeAgent(
  question: string,
  agents: readonly AgentProfile[],
  drivers: DecisionDrivers,
  run: Run,
  options: RouteOptions = routeDefaults,
): Promise<AgentChoice> {
  const usable = agents.filter((agent) => agent.enabled);
  const general = usable.find((agent) => agent.department === generalDepartment) ?? null;
  const specialists = usable.filter((agent) => agent.department !== generalDepartment);
  if (specialists.length === 0) {
    const reason = general === null ? "no permitted agent" : `${general.name} is the only permitted agent`;
    return { agent: general, scores: [], reason };
  }
  const candidates = specialists.map((agent) => ({ agent, texts: agentTexts(agent) }));
  const cosines = await similarities(question, candidates, drivers);
  run.signal.throwIfAborted();
  const threshold = thresholdOf(cosines.cohort, cosines.agents.flat().length, options.expectedByChance);
  const ranked = specialists
    .map((agent, index) => ({ agent, score: meanOfLargest(cosines.agents[index] ?? [], options.nearest) }))
    .toSorted((a, b) => b.score - a.score);
  return choose(ranked, threshold, general);
}

/**
 * Where no specialist fits, the agent that reads most of what the principal may read is the best choice.
 * `count`: collections that an agent may read.
 */
export function withWidestReader(
  choice: AgentChoice,
  readers: readonly { readonly agent: AgentProfile; readonly count: number }[],
): AgentChoice {
  const { agent, reason } = choice;
  if (agent !== null && agent.department !== generalDepartment) return choice;
  const [widest] = readers.toSorted((a, b) => b.count - a.count);
  const chosen = readers.find((each) => each.agent === agent)?.count ?? 0;
  if (widest === undefined || widest.count <= chosen) return choice;
  const { name } = widest.agent;
  return {
    ...choice,
    agent: widest.agent,
    reason: `${reason}; ${name} can read more of the permitted collections`,
  };
}
