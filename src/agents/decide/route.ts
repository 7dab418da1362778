import type { AgentChoice, AgentProfile } from "../../core/answers/agent.ts";
import { generalDepartment } from "../../core/decide.ts";
import { cosine } from "../../core/documents/embedding.ts";
import type { Run } from "../../core/run.ts";
import { oneLine } from "../../language/words.ts";
import { cohort, upperQuantile } from "./cohort.ts";
import { type DecisionDrivers, meanOfLargest, spread } from "./drivers.ts";

export interface RouteOptions {
  /** Nearest texts of an agent whose cosines are averaged. */
  readonly nearest: number;
  /** Texts of all agents together that an everyday question may come near to by chance; fewer means a higher threshold. */
  readonly expectedByChance: number;
}

export const routeDefaults: RouteOptions = { nearest: 2, expectedByChance: 0.5 };

/** Longest question that is embedded, in characters. */
const longestQuestion = 1000;

/** A topic said with the department it belongs to: `leave` alone may mean anything. */
function inDepartment(topic: string, agent: AgentProfile): string {
  return agent.department === "" ? topic : `${topic} (${agent.department.replaceAll("_", " ")})`;
}

/** What stands for an agent: its description, the things the description lists, its topics, its examples; each once. */
export function textsOf(agent: AgentProfile): readonly string[] {
  const listed = oneLine(agent.description)
    .replace(
      /^(?:answers questions (?:about|on)|answers|handles|helps (?:with|to)?|covers|deals with|knows)\s+/i,
      "",
    )
    .split(/[,;:.] |[,;:.]$| and /)
    .map((clause) => clause.trim())
    .filter((clause) => clause.length > 3);
  const topics = [...agent.topics, ...listed].map((topic) => inDepartment(topic, agent));
  return [...new Set([agent.description, ...topics, ...agent.examples].map(oneLine))].filter(
    (text) => text !== "",
  );
}

/**
 * Chooses the agent for a question among those given; what may not be used must not be given.
 * 1. An agent's score is the mean cosine of the question with its nearest texts.
 * 2. The threshold lies so many deviations above the question's cosines with everyday questions that by chance at most
 *    `expectedByChance` of all the agents' texts would pass it.
 * 3. Below it no specialist suits: the general assistant takes the question; null where there is none.
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
    return {
      agent: general,
      scores: [],
      reason:
        general === null ? "no agent may be used" : `${general.name} is the only agent that may be used`,
    };
  }
  const texts = specialists.map(textsOf);
  const [[asked = new Float32Array()], vectors] = await Promise.all([
    drivers.embed([oneLine(question).slice(0, longestQuestion)], "query"),
    drivers.embed([...cohort, ...texts.flat()], "passage"),
  ]);
  run.signal.throwIfAborted();
  const cosines = vectors.map((vector) => cosine(asked, vector));
  const { mean, deviation } = spread(cosines.slice(0, cohort.length));
  const count = cosines.length - cohort.length;
  const threshold =
    mean + deviation * upperQuantile(Math.min(0.5, options.expectedByChance / Math.max(1, count)));
  let from = cohort.length;
  const scored = specialists
    .map((agent, index) => {
      const own = cosines.slice(from, from + (texts[index]?.length ?? 0));
      from += own.length;
      return { agent, score: meanOfLargest(own, options.nearest) };
    })
    .toSorted((a, b) => b.score - a.score);
  const scores = scored.map(({ agent, score }) => ({ agent: agent.name, score }));
  const [best, second] = scored;
  if (best === undefined) return { agent: general, scores, reason: "no agent has a text to compare with" };
  const runnerUp = second === undefined ? "" : `, then ${second.agent.name} ${second.score.toFixed(2)}`;
  const told = `${best.agent.name} ${best.score.toFixed(2)}${runnerUp}; ${threshold.toFixed(2)} is needed`;
  if (best.score >= threshold) return { agent: best.agent, scores, reason: told };
  return {
    agent: general,
    scores,
    reason: `no suitable agent: ${told}${general === null ? "" : `; ${general.name} takes it`}`,
  };
}
