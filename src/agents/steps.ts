import type {
  AgentChoice,
  Draft,
  Found,
  IntentDecision,
  PermittedResources,
  Reflection,
  ToolChoice,
} from "../core/answers/agent.ts";
import type { AnswerEvent, Verdict } from "../core/answers/answer.ts";
import type { TraceEvent } from "../core/answers/trace.ts";
import type { JsonObject } from "../core/json.ts";
import { plural } from "../core/plural.ts";
import type { Run } from "../core/run.ts";
import type { TypedQuestion } from "./decide/typed-question.ts";

/** The steps of a question, each with its outcome. */
interface Outcomes {
  readonly orchestrate: TypedQuestion;
  readonly reflect: Reflection;
  readonly intent: IntentDecision;
  readonly direct: Draft;
  readonly clarify: Draft;
  readonly route: AgentChoice;
  readonly permit: PermittedResources;
  readonly select_tools: ToolChoice;
  readonly execute: Found;
  readonly assemble: Draft;
  readonly judge: Verdict;
  readonly finish: Verdict;
}

type StepName = keyof Outcomes;

/** What the trace says of an outcome: one line for people, and the details for machines. */
interface Told {
  readonly decided: string;
  readonly details?: JsonObject;
}

type Steps = {
  readonly [Name in StepName]: {
    readonly to: readonly StepName[];
    tell(outcome: Outcomes[Name]): Told;
  };
};

/**
 * Every step with its possible successors. The drawing in docs/explanation/agents.md is made from this table.
 */
export const steps: Steps = {
  orchestrate: { to: ["reflect"], tell: tellTyped },
  reflect: { to: ["intent"], tell: tellReflection },
  intent: {
    to: ["route", "direct", "clarify"],
    tell: ({ intent, via, reason, scores }) => ({
      decided: `${intent} (${via})`,
      details: { intent, reason, scores },
    }),
  },
  direct: { to: ["finish"], tell: ({ verdict }) => ({ decided: verdict.reason }) },
  clarify: { to: ["finish"], tell: ({ verdict }) => ({ decided: verdict.reason }) },
  route: {
    to: ["permit"],
    tell: ({ agent, reason, scores }) => ({
      decided: agent === null ? "no agent" : agent.name,
      details: { reason, scores: scores.slice(0, 5) },
    }),
  },
  permit: { to: ["select_tools"], tell: tellPermitted },
  select_tools: { to: ["execute"], tell: tellTools },
  execute: { to: ["assemble"], tell: tellFound },
  assemble: { to: ["judge"], tell: tellDraft },
  judge: { to: ["finish"], tell: tellVerdict },
  finish: {
    to: [],
    tell: ({ status }) => ({ decided: status === "direct" || status === "clarify" ? "answered" : status }),
  },
};

/** The steps as a Mermaid flowchart. */
export function drawSteps(): string {
  const edges = Object.entries(steps).flatMap(([from, { to }]) => to.map((name) => `  ${from} --> ${name}`));
  return ["flowchart TD", ...edges].join("\n");
}

/** Work that decides, or that writes and then returns its outcome. */
type Work<Outcome> = Outcome | Promise<Outcome> | AsyncGenerator<AnswerEvent, Outcome>;

/** Opens the trace of a question. */
export function openTrace(run: Run) {
  const events: TraceEvent[] = [];
  let last: StepName | null = null;
  let shown = "";
  const record = (event: TraceEvent): void => {
    events.push(event);
    // The decision may quote the question, which must not be logged.
    run.log.event("node", { node: event.node, duration_ms: event.durationMs });
  };
  /** A step that writes: the text it shows, and the steps that it takes itself, in the trace. */
  async function* followed<Outcome>(
    writing: AsyncGenerator<AnswerEvent, Outcome>,
  ): AsyncGenerator<AnswerEvent, Outcome> {
    let next = await writing.next();
    for (; next.done !== true; next = await writing.next()) {
      if (next.value.type === "text-delta") shown += next.value.text;
      if (next.value.type === "node-end") record(next.value.event);
      yield next.value;
    }
    return next.value;
  }
  return {
    /** The steps that ended, in order. */
    events,
    /** The text that the reader was shown so far. */
    shown: (): string => shown,
    /** Takes a step, unless the run was stopped, and emits what it decided. An error ends the question. */
    async *step<Name extends StepName>(
      name: Name,
      work: () => Work<Outcomes[Name]>,
    ): AsyncGenerator<AnswerEvent, Outcomes[Name]> {
      run.signal.throwIfAborted();
      if (last !== null && !steps[last].to.includes(name))
        throw new TypeError(`${last} may not lead to ${name}`);
      last = name;
      const since = performance.now();
      const working = work();
      const outcome = Symbol.asyncIterator in working ? yield* followed(working) : await working;
      const { decided, details = {} } = steps[name].tell(outcome);
      const event = { node: name, decided, durationMs: performance.now() - since, details };
      record(event);
      yield { type: "node-end", event };
      return outcome;
    },
  };
}

function tellTyped({ text, turns }: TypedQuestion): Told {
  return {
    decided: turns === 0 ? "a new question" : `a question after ${turns} turns`,
    details: { characters: text.length, turns },
  };
}

function tellReflection({ rewritten, via, reason }: Reflection): Told {
  return {
    decided: rewritten === null ? "self-contained" : `rewritten: ${rewritten}`,
    details: { via, reason, ...(rewritten === null ? {} : { rewritten }) },
  };
}

function tellPermitted({ tools, ...permissions }: PermittedResources): Told {
  const { collections, withheld } = permissions;
  const names = tools.map(({ name }) => name);
  return {
    decided: `may read ${plural(collections.length, "collection")}${withheld === 0 ? "" : `, ${withheld} withheld`}, use ${names.join(", ") || "no tool"}`,
    details: { ...permissions, tools: names },
  };
}

function tellTools({ calls, plan }: ToolChoice): Told {
  return {
    decided:
      calls.length === 0 ? "no tool" : calls.map(({ tool, reason }) => `${tool} (${reason})`).join(", "),
    details: { calls, ...(plan === null ? {} : { plan }) },
  };
}

function tellFound({ plan, gathered, results }: Found): Told {
  const queries = plan?.queries ?? [];
  const hits = gathered?.hits ?? [];
  const summary = gathered === null ? "no search" : `${hits.length} hits by ${queries.length} queries`;
  const tools = results.map(({ call, status, message }) => `${call.tool} ${status}: ${message}`);
  return {
    decided: [summary, ...tools].join("; "),
    details: {
      queries,
      hits: hits.length,
      reranked: hits.filter(({ via }) => via === "reranked").length,
      tools: results.map(({ call, status, code, durationMs }) => ({
        tool: call.tool,
        status,
        code,
        duration_ms: durationMs,
      })),
    },
  };
}

function tellDraft({ verdict, citations, context, model, reader }: Draft): Told {
  const { status, evidence, threshold } = verdict;
  const read = reader === undefined ? "" : `, read as ${reader.level}: ${reader.why}`;
  return {
    decided: `${status}, evidence ${evidence.toFixed(2)} (at least ${threshold.toFixed(2)} needed), ${plural(citations.length, "citation")}, ${plural(context.passages.length, "passage")}${read}`,
    details: { model, tokens: context.tokenCount, evidence, reader: reader?.level ?? null },
  };
}

function tellVerdict({ status, reason, sentences, removed }: Verdict): Told {
  const supported = sentences.filter(({ support }) => support === "supported").length;
  return {
    decided: `${status}: ${supported} of ${plural(sentences.length, "sentence")} supported${removed > 0 ? `, ${removed} removed` : ""}`,
    details: { reason, sentences },
  };
}
