// Measures agent choice without any language model.
//   node scripts/eval/routing.ts CLINC150.json [--home DIR] [--sample N] [--chance N]
// In scope: the ten published domains of CLINC150 are ten agents (routing-agents.ts); out of scope: no agent
// may be chosen. The texts of an agent and `expectedByChance` were chosen on `train`, `oos_train` and the
// seeded company; a first comparison of ways to average and to normalise looked at `val` too, so `val` is not
// untouched. The seeded company is asked the questions of fixtures/agent-questions.jsonl; and the whole agent
// layer is timed, vectors of fixed texts kept in memory.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { createIntentRouter } from "../../src/agents/decide/intent.ts";
import { planQueries } from "../../src/agents/decide/plan.ts";
import { rewriteFollowUp } from "../../src/agents/decide/reflect.ts";
import { routeAgent, routeDefaults } from "../../src/agents/decide/route.ts";
import { readUtterances } from "../../src/agents/decide/utterances.ts";
import { openEmbedder } from "../../src/app/engines/models.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { AgentProfile } from "../../src/core/answers/agent.ts";
import { z } from "../../src/core/schema.ts";
import { openModelFolder } from "../../src/models/models.ts";
import { decisionDrivers, median, quiet } from "./decisions.ts";
import { clincAgents, domainOf } from "./routing-agents.ts";
import { shareOf } from "./shares.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    home: { type: "string" },
    sample: { type: "string", default: "1500" },
    chance: { type: "string" },
  },
});
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const { settings } = loadSettings({ flags: values.home === undefined ? {} : { home: values.home } });
const models = await openModelFolder({
  home: settings.home,
  manifestPath: path("models/manifest.yaml"),
  hubUrl: settings.hub.url,
});
await using embedder = await openEmbedder(settings, models);
const drivers = decisionDrivers(embedder, null);
const options = {
  ...routeDefaults,
  ...(values.chance === undefined ? {} : { expectedByChance: Number(values.chance) }),
};
const print = (cells: readonly (string | number)[]): void =>
  void process.stdout.write(
    `${cells.map((cell) => (typeof cell === "number" ? cell.toFixed(3) : cell).padStart(16)).join("")}\n`,
  );
const share = (of: readonly boolean[]): number => of.filter(Boolean).length / Math.max(1, of.length);

interface Asked {
  readonly text: string;
  /** Name of the agent that should take it; null for none. */
  readonly wanted: string | null;
}

async function measure(name: string, questions: readonly Asked[], agents: readonly AgentProfile[]) {
  const results = [];
  for (const { text, wanted } of questions) {
    const choice = await routeAgent(text, agents, drivers, quiet, options);
    results.push({ wanted, found: choice.agent?.name ?? null, nearest: choice.scores[0]?.agent ?? null });
  }
  const inside = results.filter(({ wanted }) => wanted !== null);
  const figures = {
    inScope: inside.length,
    inScopeAccuracy: share(inside.map(({ wanted, found }) => wanted === found)),
    inScopeNearest: share(inside.map(({ wanted, nearest }) => wanted === nearest)),
    inScopeNone: share(inside.map(({ found }) => found === null)),
    outOfScope: results.length - inside.length,
    outOfScopeRecall: share(
      results.filter(({ wanted }) => wanted === null).map(({ found }) => found === null),
    ),
  };
  print([
    name,
    `n ${figures.inScope}+${figures.outOfScope}`,
    figures.inScopeAccuracy,
    figures.inScopeNearest,
    figures.inScopeNone,
    figures.outOfScopeRecall,
  ]);
  const right = shareOf(inside, ({ wanted, found }) => wanted === found);
  const outside = results.filter(({ wanted }) => wanted === null);
  print(["", "95 %", right, shareOf(outside, ({ found }) => found === null)]);
  return { figures, results };
}

const [file] = positionals;
print(["set", "", "in-scope acc.", "nearest right", "in-scope none", "oos recall"]);
const report: Record<string, unknown> = { embedder: embedder.id, ...options };
if (file !== undefined) {
  const pairs = z.array(z.tuple([z.string(), z.string()]));
  const data = z
    .object({ train: pairs, val: pairs, oos_train: pairs, oos_val: pairs })
    .parse(JSON.parse(readFileSync(file, "utf8")));
  for (const [name, inside, outside] of [
    ["tuned on", data.train, data.oos_train],
    ["held out", data.val, data.oos_val],
  ] as const) {
    const step = Math.max(1, Math.floor(inside.length / Number(values.sample)));
    const sampled = inside.filter((_, index) => index % step === 0);
    const questions = [...sampled, ...outside].map(([text, label]) => ({
      text,
      wanted: domainOf.get(label) ?? null,
    }));
    const { figures, results } = await measure(`clinc ${name}`, questions, clincAgents);
    report[name] = figures;
    if (name === "held out") {
      for (const { name: agent } of clincAgents) {
        const own = results.filter(({ wanted }) => wanted === agent);
        print([
          agent,
          `n ${own.length}`,
          share(own.map(({ found }) => found === agent)),
          share(own.map(({ nearest }) => nearest === agent)),
        ]);
      }
    }
  }
}

const company = z
  .object({
    agents: z.array(
      z.object({
        name: z.string(),
        department: z.string(),
        description: z.string(),
        capabilities: z.object({
          topics: z.array(z.string()).default([]),
          examples: z.array(z.string()).default([]),
        }),
      }),
    ),
  })
  .parse(parse(readFileSync(path("config/seed.yaml"), "utf8")))
  .agents.map(
    ({ capabilities, ...agent }): AgentProfile => ({
      ...agent,
      ...capabilities,
      id: agent.name,
      enabled: true,
      providerConfig: {},
    }),
  );
const specialists = company.filter(({ department }) => department !== "general");
const asked = readFileSync(path("fixtures/agent-questions.jsonl"), "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => z.object({ question: z.string(), agent: z.string() }).parse(JSON.parse(line)))
  .map(({ question, agent }) => ({
    text: question,
    wanted: specialists.some(({ name }) => name === agent) ? agent : null,
  }));
report["seeded company"] = (await measure("seeded company", asked, specialists)).figures;

// Everything fixed has its vectors by now, as in a warm process; the question itself is embedded anew.
const router = createIntentRouter(
  readUtterances(parse(readFileSync(path("config/intents.yaml"), "utf8")), "config/intents.yaml"),
  drivers,
);
await router.classify("How does the measuring of the whole layer warm up?", [], quiet);
const history = [
  { role: "user", author: "owner", text: "How long is the warranty of the HP-200 pump?" },
  { role: "assistant", author: "Engineering Assistant", text: "It is 24 months from delivery [1]." },
] as const;
const times: Record<string, number[]> = { reflect: [], classify: [], route: [], plan: [], layer: [] };
for (const { text } of asked) {
  const question = `${text.replace(/[?.]$/, "")} this year?`;
  const marks = [performance.now()];
  const reflection = await rewriteFollowUp(question, history, drivers, quiet);
  marks.push(performance.now());
  const intent = await router.classify(reflection.rewritten ?? question, history, quiet);
  marks.push(performance.now());
  await routeAgent(reflection.rewritten ?? question, company, drivers, quiet);
  marks.push(performance.now());
  planQueries(question, reflection, intent);
  marks.push(performance.now());
  for (const [index, name] of ["reflect", "classify", "route", "plan"].entries())
    times[name]?.push((marks[index + 1] ?? 0) - (marks[index] ?? 0));
  times["layer"]?.push((marks.at(-1) ?? 0) - (marks[0] ?? 0));
}
print(["warm", ...Object.keys(times)]);
print(["p50 ms", ...Object.values(times).map(median)]);
report["msP50"] = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
process.stdout.write(`${JSON.stringify(report)}\n`);
